// bindings/zig/ops.zig: the type Tensor with a method or function for every function, an options
// structure for each, the module nn, and the enumerations. What they call: tinygrad.zig.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <map>
#include <stdexcept>

#include "tg-bindgen/manifest.h"

namespace bindgen {
namespace {

constexpr std::string_view kHead =
    R"(// Generated from bindings/manifest.json by tg-bindgen; do not edit. Every function of tensors, layers
// and optimisers by the record of its name: see tinygrad.zig, which is what programs import.
const tg = @import("tinygrad.zig");
const call = tg.call;
const Error = tg.Error;
const Index = tg.Index;
const Layer = tg.Layer;
const Operand = tg.Operand;
const Optimizer = tg.Optimizer;
const Size = tg.Size;
)";

// `tg.Tensor` is this one.
constexpr std::string_view kTensor = R"(
/// An array that is computed when somebody looks. The caller owns what it gets until `deinit`.
pub const Tensor = struct {
    handle: tg.c.tg_tensor,

    /// One more owner of the same tensor.
    pub fn retain(self: Tensor) Tensor {
        _ = tg.c.tg_retain(self.handle);
        return self;
    }

    /// Gives it back.
    pub fn deinit(self: Tensor) void {
        _ = tg.c.tg_release(self.handle);
    }

    /// A copy of `data`, row-major, on the default device.
    pub fn fromSlice(comptime Element: type, data: []const Element, sizes_: []const i64) Error!Tensor {
        return tg.tensorFromSlice(Element, data, sizes_);
    }

    /// Computes the tensor and copies its elements, row-major, into `out`, which they fill.
    pub fn read(self: Tensor, comptime Element: type, out: []Element) Error!void {
        return tg.readTensor(self, Element, out);
    }
)";

std::string type_of(const Param& p) {
  static const std::map<std::string, std::string, std::less<>> types = {
      {"bool", "bool"},
      {"int", "i64"},
      {"float", "f64"},
      {"dtype", "DType"},
      {"string", "[:0]const u8"},
      {"ints", "[]const i64"},
      {"sizes", "[]const Size"},
      {"size", "Size"},
      {"tensor", "Tensor"},
      {"number", "Operand"},
      {"tensors", "[]const Tensor"},
      {"index", "[]const Index"},
      {"bytes", "[]const u8"}};
  if (p.kind == "choice") return p.enumeration;
  const auto it = types.find(p.number ? "number" : p.kind);
  if (it == types.end())
    throw std::runtime_error(fmt::format("tg-bindgen: Zig has no parameters of kind {}.", p.kind));
  return it->second;
}

// Arrays and texts stay in a tg.Value until its `deinit`.
std::string result_type(const Function& f) {
  static const std::map<std::string, std::string, std::less<>> types = {
      {"none", "void"},   {"bool", "bool"},     {"int", "i64"},     {"float", "f64"},
      {"dtype", "DType"}, {"tensor", "Tensor"}, {"layer", "Layer"}, {"optimizer", "Optimizer"}};
  const auto it = types.find(f.result);
  return it == types.end() ? "tg.Value" : it->second;
}

bool is_nn(const Function& f) { return f.name.starts_with("nn."); }
std::string short_name(const Function& f) { return is_nn(f) ? f.name.substr(3) : f.name; }

// Names that Zig takes for itself, in quotes as it wants them.
std::string identifier(const std::string& name) {
  static constexpr std::array<std::string_view, 10> kKeywords = {
      "and", "align", "bool", "error", "export", "or", "test", "type", "union", "var"};
  for (const std::string_view k : kKeywords) {
    if (name == k) return fmt::format("@\"{}\"", name);
  }
  return name;
}

// "scatter_add" → "scatterAdd", "nn.RMSNorm" → "rmsNorm", as functions are named in Zig; those that
// change their tensor end in "InPlace".
std::string zig_name(const Function& f) {
  std::string out = camel(snake(short_name(f)));
  out[0] = static_cast<char>(out[0] - 'A' + 'a');
  return f.name == "T" ? "T" : identifier(out);
}

std::string options_name(const Function& f) {
  if (optional_params(f).empty()) return "";
  return camel(short_name(f)) + "Options";
}

std::string comment(const Function& f) {
  std::string out;
  for (const std::string& p : paragraphs(f))
    out += (out.empty() ? "" : "    ///\n") + wrapped(p, "    /// ");
  return out;
}

std::string options(const Function& f) {
  const std::string name = options_name(f);
  if (name.empty()) return "";
  std::string out = fmt::format("\n    /// What `{}` can be told.\n    pub const {} = struct {{\n",
                                zig_name(f), name);
  for (const Param& p : optional_params(f)) {
    out += wrapped(fmt::format("{}. Default: {}.", p.meaning, p.default_text), "        /// ");
    out += fmt::format("        {}: ?{} = null,\n", identifier(p.name), type_of(p));
  }
  return out + "    };\n";
}

// A parameter must not have the name of a function beside it.
std::string parameter_name(const Param& p) { return p.name + "_"; }

std::string function(const Function& f) {
  std::vector<std::string> parameters, arguments;
  if (f.method) {
    parameters.emplace_back("self: Tensor");
    arguments.emplace_back("self");
  }
  for (const Param& p : required_params(f))
    parameters.push_back(fmt::format("{}: {}", parameter_name(p), type_of(p)));
  for (const Param& p : f.params)
    arguments.push_back(p.required ? parameter_name(p) : "options." + identifier(p.name));
  if (const std::string name = options_name(f); !name.empty())
    parameters.push_back("options: " + name);
  const std::string tuple =
      arguments.empty() ? ".{}" : fmt::format(".{{ {} }}", fmt::join(arguments, ", "));
  return fmt::format(
      "\n{}    pub fn {}({}) Error!{} {{\n        return call({}, \"{}\", {});\n    }}\n",
      comment(f), zig_name(f), fmt::join(parameters, ", "), result_type(f), result_type(f), f.name,
      tuple);
}

std::string enumeration(const Enumeration& e) {
  std::string out =
      fmt::format("\n/// A choice that functions offer.\npub const {} = enum(i64) {{\n", e.name);
  for (size_t i = 0; i < e.values.size(); ++i)
    out += fmt::format("    {} = {},\n", identifier(snake(e.values[i])), i);
  return out + "};\n";
}

std::string dtypes(const Manifest& m) {
  std::string out = fmt::format(
      "\n/// The version of the C interface that this file was made for.\npub const abi_version = "
      "{};\n\n"
      "/// Element types.\npub const DType = enum(i64) {{\n",
      m.abi_version);
  for (const Named& d : m.dtypes) out += fmt::format("    {} = {},\n", identifier(d.name), d.value);
  return out + "};\n";
}

}  // namespace

std::string zig(const Manifest& m) {
  std::string out(kHead), tensor(kTensor),
      nn = "\n/// Layers and optimisers.\npub const nn = struct {";
  out += dtypes(m);
  for (const Enumeration& e : m.enums) out += enumeration(e);
  for (const Function& f : m.functions) (is_nn(f) ? nn : tensor) += options(f) + function(f);
  return out + tensor + "};\n" + nn + "};\n";
}

}  // namespace bindgen
