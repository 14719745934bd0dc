// manifest.json in memory: all that the generators know. Its form: bindings/manifest.schema.json.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bindgen {

struct Param {
  std::string name, kind, enumeration, default_text, meaning, unit;
  bool required = false;
  bool number = false;  ///< a number will do in place of the tensor
};

struct Function {
  std::string name, family, doc, result, shapes, dtype, errors, gradient;
  bool method = false;
  std::vector<Param> params;
};

struct Enumeration {
  std::string name;
  std::vector<std::string> values;
};

struct Named {
  std::string name;
  int value = 0;
};

struct Manifest {
  int abi_version = 0;
  std::string version;
  std::vector<Named> dtypes;
  std::vector<Enumeration> enums;
  std::vector<Function> functions;
};

/// Reads the file. Throws std::runtime_error naming it, and what is wrong.
Manifest read_manifest(const std::string& path);

/// "nn.Linear" → "nn_Linear".
std::string joined_name(std::string_view name);
/// "PadMode" → "pad_mode", "RMSNorm" → "rms_norm"; "is_param_" stays.
std::string snake(std::string_view name);
/// "layer_norm" → "LayerNorm", "is_param_" → "IsParamInPlace", "nn.Linear" → "NewLinear", "nn.clip_grad_norm" → "ClipGradNorm".
std::string camel(std::string_view name);
std::string upper(std::string_view text);
/// Lines of at most `width` columns, each with `prefix` before it.
std::string wrapped(std::string_view text, std::string_view prefix, size_t width = 100);
/// What documentation in a program says of a function: a paragraph, its options, its errors.
std::vector<std::string> paragraphs(const Function& f);

/// The parameters that must be given, and those that need not be.
std::vector<Param> required_params(const Function& f);
std::vector<Param> optional_params(const Function& f);

// One function a language: the text of its generated file.
std::string c_header(const Manifest& m);
std::string c_shims(const Manifest& m);
std::string rust(const Manifest& m);
std::string go(const Manifest& m);
std::string zig(const Manifest& m);
std::string outline(const Manifest& m);

}  // namespace bindgen
