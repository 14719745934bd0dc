// bindings/rust/src/ops.rs: a method, an associated function, or a function of the module nn for
// every function, an options structure with defaults, and the enumerations. What they call:
// value.rs.
#include <fmt/format.h>

#include <array>
#include <map>
#include <stdexcept>

#include "tg-bindgen/manifest.h"

namespace bindgen {
namespace {

constexpr std::string_view kHead =
    R"(// Generated from bindings/manifest.json by tg-bindgen; do not edit. Every function of tensors, layers
// and optimisers by the record of its name: see value.rs.
#![allow(clippy::all)]
use crate::error::{Error, Result};
use crate::network::{Layer, Optimizer};
use crate::size::{Size, Sizes};
use crate::tensor::{Index, Operand, Tensor};
use crate::value::{Argument, Arguments, Choice, Function};
)";

struct RustType {
  std::string_view type;      // of a parameter
  std::string_view argument;  // what is called with it
  bool lifetime = false;      // whether it borrows
};

const RustType& type_of(const Param& p) {
  static const std::map<std::string, RustType, std::less<>> types = {
      {"bool", {"bool", "{}"}},
      {"int", {"i64", "{}"}},
      {"float", {"f64", "{}"}},
      {"dtype", {"DType", "{}"}},
      {"string", {"&'a str", "{}", true}},
      {"ints", {"&'a [i64]", "{}", true}},
      {"sizes", {"impl Into<Sizes<'a>>", "{}.into()", true}},
      {"tensor", {"&'a Tensor", "{}", true}},
      {"number", {"impl Into<Operand<'a>>", "{}.into()", true}},
      {"tensors", {"&'a [&'a Tensor]", "{}", true}},
      {"index", {"&'a [Index<'a>]", "{}", true}},
      {"bytes", {"&'a [u8]", "{}", true}},
      {"size", {"&'a Size", "{}", true}},
      {"choice", {"", "{}", false}}};
  const auto it = types.find(p.number ? "number" : p.kind);
  if (it == types.end())
    throw std::runtime_error(fmt::format("tg-bindgen: Rust has no parameters of kind {}.", p.kind));
  return it->second;
}

std::string result_type(const Function& f) {
  static const std::map<std::string, std::string, std::less<>> types = {
      {"none", "()"},       {"bool", "bool"},          {"int", "i64"},
      {"float", "f64"},     {"dtype", "DType"},        {"string", "String"},
      {"ints", "Vec<i64>"}, {"tensor", "Tensor"},      {"tensors", "Vec<Tensor>"},
      {"size", "Size"},     {"sizes", "Vec<Size>"},    {"bytes", "Vec<u8>"},
      {"layer", "Layer"},   {"optimizer", "Optimizer"}};
  const auto it = types.find(f.result);
  if (it == types.end())
    throw std::runtime_error(fmt::format("tg-bindgen: Rust has no results of kind {}.", f.result));
  return it->second;
}

// A name that Rust takes for itself gets r# before it.
std::string identifier(const std::string& name) {
  static constexpr std::array<std::string_view, 13> kKeywords = {
      "as",   "box", "fn",   "in",   "loop", "match", "mod",
      "move", "ref", "self", "type", "use",  "where"};
  for (const std::string_view k : kKeywords) {
    if (name == k) return "r#" + name;
  }
  return name;
}

bool is_nn(const Function& f) { return f.name.starts_with("nn."); }
std::string short_name(const Function& f) { return is_nn(f) ? f.name.substr(3) : f.name; }

// `clone` is a trait's in Rust, and a copy of the elements is no clone of a handle.
std::string rust_name(const Function& f) {
  return f.name == "clone" ? "copy" : identifier(snake(short_name(f)));
}

std::string options_name(const Function& f) {
  if (optional_params(f).empty()) return "";
  return camel(short_name(f)) + "Options";
}

bool options_borrow(const Function& f) {
  for (const Param& p : optional_params(f)) {
    if (type_of(p).lifetime) return true;
  }
  return false;
}

std::string comment(const Function& f, std::string_view indent) {
  std::string out;
  const std::string prefix = fmt::format("{}/// ", indent);
  for (const std::string& p : paragraphs(f)) {
    std::string text;
    for (const char c : p) {  // Brackets would be links.
      if (c == '[' || c == ']' || c == '<' || c == '>') text += '\\';
      text += c;
    }
    out += (out.empty() ? "" : fmt::format("{}///\n", indent)) + wrapped(text, prefix);
  }
  return out;
}

std::string options(const Function& f, std::string_view indent) {
  const std::string name = options_name(f);
  if (name.empty()) return "";
  std::string out = fmt::format(
      "\n{0}/// What `{1}` can be told.\n{0}#[derive(Clone, Copy, Default)]\n"
      "{0}pub struct {2}{3} {{\n",
      indent, rust_name(f), name, options_borrow(f) ? "<'a>" : "");
  for (const Param& p : optional_params(f)) {
    const std::string type = p.number             ? "Operand<'a>"
                             : p.kind == "choice" ? p.enumeration
                             : p.kind == "sizes"  ? "Sizes<'a>"
                                                  : std::string(type_of(p).type);
    out += wrapped(fmt::format("{}. Default: {}.", p.meaning, p.default_text),
                   fmt::format("{}    /// ", indent));
    out += fmt::format("{}    pub {}: Option<{}>,\n", indent, identifier(p.name), type);
  }
  return out + fmt::format("{}}}\n", indent);
}

// With 'a where anything borrows.
std::string signature(const Function& f, bool* borrows) {
  std::string out;
  *borrows = f.method || (!options_name(f).empty() && options_borrow(f));
  if (f.method) out = "&'a self";
  for (const Param& p : required_params(f)) {
    *borrows = *borrows || type_of(p).lifetime;
    const std::string type = p.kind == "choice" ? p.enumeration : std::string(type_of(p).type);
    out += fmt::format("{}{}: {}", out.empty() ? "" : ", ", identifier(p.name), type);
  }
  if (const std::string name = options_name(f); !name.empty())
    out += fmt::format("{}options: {}{}", out.empty() ? "" : ", ", name,
                       options_borrow(f) ? "<'a>" : "");
  return out;
}

std::string function(const Function& f, std::string_view indent) {
  bool borrows = false;
  const std::string parameters = signature(f, &borrows);
  std::string out = "\n" + comment(f, indent);
  out += fmt::format("{}pub fn {}{}({}) -> Result<{}> {{\n", indent, rust_name(f),
                     borrows ? "<'a>" : "", parameters, result_type(f));
  out +=
      fmt::format("{}    static FUNCTION: Function = Function::new(\"{}\\0\");\n", indent, f.name);
  std::string arguments = f.method ? ".add(self)" : "";
  for (const Param& p : f.params) {
    const std::string name = identifier(p.name);
    arguments +=
        fmt::format(".add({})", p.required ? fmt::format(fmt::runtime(type_of(p).argument), name)
                                           : "options." + name);
  }
  return out + fmt::format(
                   "{0}    let arguments = Arguments::new(){1};\n{0}    FUNCTION.call(arguments)\n"
                   "{0}}}\n",
                   indent, arguments);
}

std::string enumeration(const Enumeration& e) {
  std::string out = fmt::format(
      "\n/// A choice that functions offer.\n#[derive(Debug, Clone, Copy, PartialEq, Eq)]\n"
      "pub enum {} {{\n",
      e.name);
  for (size_t i = 0; i < e.values.size(); ++i)
    out += fmt::format("    /// {0}\n    {0} = {1},\n", e.values[i], i);
  return out + fmt::format(
                   "}}\n\nimpl<'a> Argument<'a> for {} {{\n"
                   "    fn value(self, arguments: &mut Arguments<'a>) -> crate::sys::Value {{\n"
                   "        Choice(self as i64).value(arguments)\n    }}\n}}\n",
                   e.name);
}

std::string dtypes(const Manifest& m) {
  std::string names, values;
  for (const Named& d : m.dtypes) {
    names += fmt::format("    /// {}\n    {} = {},\n", d.name, camel(d.name), d.value);
    values += fmt::format("            {} => Ok(DType::{}),\n", d.value, camel(d.name));
  }
  return fmt::format(
      "\n/// The version of the C interface that this crate was made for.\n"
      "pub const ABI_VERSION: u32 = {};\n\n"
      "/// Element types.\n#[derive(Debug, Clone, Copy, PartialEq, Eq)]\npub enum DType "
      "{{\n{}}}\n\n"
      "impl DType {{\n    pub(crate) fn from_value(value: i64) -> Result<DType> {{\n"
      "        match value {{\n{}            _ => Err(Error::Internal(format!(\"dtype: {{}} is "
      "unknown.\", value))),\n        }}\n    }}\n}}\n",
      m.abi_version, names, values);
}

}  // namespace

std::string rust(const Manifest& m) {
  std::string out(kHead), methods, structs, modules;
  out += dtypes(m);
  for (const Enumeration& e : m.enums) out += enumeration(e);
  for (const Function& f : m.functions) {
    if (is_nn(f)) {
      modules += options(f, "    ") + function(f, "    ");
    } else {
      structs += options(f, "");
      methods += function(f, "    ");
    }
  }
  out += structs + "\nimpl Tensor {" + methods + "}\n";
  return out + "\n/// Layers and optimisers.\npub mod nn {\n    use super::*;\n" + modules + "}\n";
}

}  // namespace bindgen
