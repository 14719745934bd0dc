// See c_types.h.
#include "tg-bindgen/c_types.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <stdexcept>

namespace bindgen {
namespace {

struct CType {
  std::string_view type;         // of a single value
  std::string_view element;      // of a list's elements; empty: no list
  std::string_view constructor;  // makes a tg_value
};

const CType& type_of(const std::string& kind) {
  static const std::map<std::string, CType, std::less<>> types = {
      {"bool", {"bool", "", "tg_bool"}},
      {"int", {"int64_t", "", "tg_int"}},
      {"float", {"double", "", "tg_float"}},
      {"dtype", {"tg_dtype", "", "tg_type"}},
      {"string", {"const char*", "", "tg_text"}},
      {"ints", {"", "int64_t", "tg_ints"}},
      {"sizes", {"", "int64_t", "tg_ints"}},
      {"tensor", {"tg_tensor", "", "tg_of"}},
      {"tensors", {"", "tg_tensor", "tg_tensors"}},
      {"index", {"", "tg_index_item", "tg_items"}},
      {"bytes", {"", "void", "tg_bytes"}},
      {"size", {"int64_t", "", "tg_int"}},
      {"choice", {"", "", "tg_choice"}}};
  const auto it = types.find(kind);
  if (it == types.end())
    throw std::runtime_error(fmt::format("tg-bindgen: C has no parameters of kind {}.", kind));
  return it->second;
}

}  // namespace

std::string c_name(const Function& f) {
  const std::string name = "tg_" + joined_name(f.name);
  return f.name == "size" || f.name == "dtype" ? name + "_of" : name;
}

std::string c_options(const Function& f) {
  return optional_params(f).empty() ? "" : fmt::format("tg_{}_options", joined_name(f.name));
}

std::string c_declarator(const Param& p) {
  if (p.number) return "tg_value " + p.name;
  if (p.kind == "choice") return fmt::format("tg_{} {}", snake(p.enumeration), p.name);
  const CType& t = type_of(p.kind);
  if (t.element.empty()) return fmt::format("{} {}", t.type, p.name);
  return fmt::format("const {0}* {1}, size_t {1}_count", t.element, p.name);
}

std::string c_value(const Param& p) {
  if (p.number) return p.name;
  const CType& t = type_of(p.kind);
  if (t.element.empty()) return fmt::format("{}({})", t.constructor, p.name);
  return fmt::format("{0}({1}, {1}_count)", t.constructor, p.name);
}

std::string c_result(const Function& f) {
  static const std::map<std::string, std::string, std::less<>> types = {
      {"none", ""},          {"bool", "bool"},
      {"int", "int64_t"},    {"float", "double"},
      {"dtype", "tg_dtype"}, {"tensor", "tg_tensor"},
      {"layer", "tg_layer"}, {"optimizer", "tg_optimizer"}};
  const auto it = types.find(f.result);
  return it == types.end() ? "tg_value" : it->second;
}

std::string c_signature(const Function& f) {
  std::vector<std::string> params;
  if (f.method) params.emplace_back("tg_tensor self");
  for (const Param& p : required_params(f)) params.push_back(c_declarator(p));
  if (const std::string options = c_options(f); !options.empty())
    params.push_back(fmt::format("const {}* options", options));
  if (const std::string result = c_result(f); !result.empty())
    params.push_back(fmt::format("{}* result", result));
  return fmt::format("tg_status {}({})", c_name(f),
                     params.empty() ? "void" : fmt::format("{}", fmt::join(params, ", ")));
}

}  // namespace bindgen
