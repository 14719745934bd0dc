// bindings/go/ops.go: a method of Tensor or a function of the package for every function, an
// options structure, and the enumerations. What they call: values.go.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <stdexcept>

#include "tg-bindgen/manifest.h"

namespace bindgen {
namespace {

constexpr std::string_view kHead =
    R"(// Generated from bindings/manifest.json by tg-bindgen; do not edit. Every function of tensors, layers
// and optimisers by the record of its name: see values.go.

package tg
)";

// How a parameter is declared and handed to `call`, where it must be given and where it need not.
struct GoType {
  std::string_view required, argument, optional;
};

const GoType& type_of(const Param& p) {
  static const std::map<std::string, GoType, std::less<>> types = {
      {"bool", {"bool", "{}", "*bool"}},
      {"int", {"int64", "{}", "*int64"}},
      {"float", {"float64", "{}", "*float64"}},
      {"dtype", {"DType", "{}", "DType"}},
      {"string", {"string", "needText({})", "string"}},
      {"ints", {"[]int64", "needInts({})", "[]int64"}},
      {"sizes", {"Sizes", "{}", "Sizes"}},
      {"size", {"Size", "{}", "Size"}},
      {"tensor", {"*Tensor", "{}", "*Tensor"}},
      {"number", {"any", "{}", "any"}},
      {"tensors", {"[]*Tensor", "needTensors({})", "[]*Tensor"}},
      {"index", {"[]IndexItem", "{}", "[]IndexItem"}},
      {"bytes", {"[]byte", "{}", "[]byte"}}};
  const auto it = types.find(p.number ? "number" : p.kind);
  if (it == types.end())
    throw std::runtime_error(fmt::format("tg-bindgen: Go has no parameters of kind {}.", p.kind));
  return it->second;
}

std::string result_type(const Function& f) {
  static const std::map<std::string, std::string, std::less<>> types = {
      {"none", "struct{}"}, {"bool", "bool"},           {"int", "int64"},
      {"float", "float64"}, {"dtype", "DType"},         {"string", "string"},
      {"ints", "[]int64"},  {"tensor", "*Tensor"},      {"tensors", "[]*Tensor"},
      {"size", "Size"},     {"sizes", "[]Size"},        {"bytes", "[]byte"},
      {"layer", "*Layer"},  {"optimizer", "*Optimizer"}};
  const auto it = types.find(f.result);
  if (it == types.end())
    throw std::runtime_error(fmt::format("tg-bindgen: Go has no results of kind {}.", f.result));
  return it->second;
}

std::string options_name(const Function& f) {
  return optional_params(f).empty() ? "" : camel(f.name) + "Options";
}

std::string comment(const Function& f) {
  std::string out;
  for (const std::string& p : paragraphs(f)) {
    const std::string text = out.empty() ? fmt::format("{}: {}", camel(f.name), p) : p;
    out += (out.empty() ? "" : "//\n") + wrapped(text, "// ");
  }
  return out;
}

std::string options(const Function& f) {
  const std::string name = options_name(f);
  if (name.empty()) return "";
  std::string out = fmt::format("\n// {} is what {} can be told.\ntype {} struct {{\n", name,
                                camel(f.name), name);
  for (const Param& p : optional_params(f)) {
    const std::string type =
        p.kind == "choice" ? "*" + p.enumeration : std::string(type_of(p).optional);
    out += wrapped(fmt::format("{}. Default: {}.", p.meaning, p.default_text), "\t// ");
    out += fmt::format("\t{} {}\n", camel(p.name), type);
  }
  return out + "}\n";
}

std::string argument(const Param& p) {
  if (!p.required) {
    const std::string field = "o." + camel(p.name);
    return p.kind == "choice" ? fmt::format("optionalChoice({})", field) : field;
  }
  if (p.kind == "choice") return fmt::format("choice({})", p.name);
  return fmt::format(fmt::runtime(type_of(p).argument), p.name);
}

std::string function(const Function& f) {
  std::vector<std::string> parameters, arguments = {fmt::format("\"{}\"", f.name)};
  if (f.method) arguments.emplace_back("t");
  for (const Param& p : required_params(f)) {
    const std::string type = p.kind == "choice" ? p.enumeration : std::string(type_of(p).required);
    parameters.push_back(fmt::format("{} {}", p.name, type));
  }
  for (const Param& p : f.params) arguments.push_back(argument(p));
  const std::string opts = options_name(f), result = result_type(f);
  if (!opts.empty()) parameters.push_back("options ..." + opts);
  const bool none = f.result == "none";
  std::string out = "\n" + comment(f);
  out +=
      fmt::format("func {}{}({}) {} {{\n", f.method ? "(t *Tensor) " : "", camel(f.name),
                  fmt::join(parameters, ", "), none ? "error" : fmt::format("({}, error)", result));
  if (!opts.empty()) out += "\to := first(options)\n";
  const std::string call = fmt::format("call[{}]({})", result, fmt::join(arguments, ", "));
  out += none ? fmt::format("\t_, err := {}\n\treturn err\n", call)
              : fmt::format("\treturn {}\n", call);
  return out + "}\n";
}

std::string enumeration(const Enumeration& e) {
  std::string out = fmt::format(
      "\n// {0} is a choice that functions offer.\ntype {0} int\n\n// Its values.\nconst (\n",
      e.name);
  for (size_t i = 0; i < e.values.size(); ++i)
    out += fmt::format("\t{0}{1} {0} = {2}\n", e.name, e.values[i], i);
  return out + fmt::format(
                   ")\n\n// Ptr is for options.\nfunc (value {0}) Ptr() *{0} {{ return &value }}\n",
                   e.name);
}

std::string dtypes(const Manifest& m) {
  std::string out = fmt::format(
      "\n// ABIVersion is that of the C interface that this package was made for.\n"
      "const ABIVersion = {}\n\n// DType is an element type.\ntype DType int\n\n// Its "
      "values.\nconst (\n",
      m.abi_version);
  for (const Named& d : m.dtypes)
    out += fmt::format("\tDType{} DType = {}\n", camel(d.name), d.value);
  return out + ")\n";
}

}  // namespace

std::string go(const Manifest& m) {
  std::string out(kHead);
  out += dtypes(m);
  for (const Enumeration& e : m.enums) out += enumeration(e);
  for (const Function& f : m.functions) out += options(f) + function(f);
  return out;
}

}  // namespace bindgen
