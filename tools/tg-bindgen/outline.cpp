// bindings/functions.txt: every function on a line, for people. It is also the smallest generator
// there is, and the template for that of a further language: docs/bindings.md walks through it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tg-bindgen/manifest.h"

namespace bindgen {
namespace {

// What a value of this kind is called: here as in the manifest.
std::string type_of(const Param& p) {
  if (p.kind == "choice") return p.enumeration;
  return p.number ? "tensor or number" : p.kind;
}

std::string parameter(const Param& p) {
  const std::string standard = p.required ? "" : fmt::format(" = {}", p.default_text);
  return fmt::format("{}: {}{}", p.name, type_of(p), standard);
}

std::string function(const Function& f) {
  std::vector<std::string> parameters;
  for (const Param& p : required_params(f)) parameters.push_back(parameter(p));
  for (const Param& p : optional_params(f)) parameters.push_back(parameter(p));
  return fmt::format("{}{}({}) -> {}\n", f.method ? "tensor." : "", f.name,
                     fmt::join(parameters, ", "), f.result);
}

}  // namespace

std::string outline(const Manifest& m) {
  std::string out = "Generated from bindings/manifest.json by tg-bindgen; do not edit.\n\n";
  for (const Enumeration& e : m.enums)
    out += fmt::format("{} is one of {}\n", e.name, fmt::join(e.values, ", "));
  std::string family;
  for (const Function& f : m.functions) {
    if (f.family != family) out += fmt::format("\n{}\n", f.family);
    family = f.family;
    out += "  " + function(f);
  }
  return out;
}

}  // namespace bindgen
