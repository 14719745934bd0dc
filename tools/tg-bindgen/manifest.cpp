// See manifest.h.
#include "tg-bindgen/manifest.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace bindgen {
namespace {

using Json = nlohmann::json;

Param param_from(const Json& j) {
  return {.name = j.at("name"),
          .kind = j.at("kind"),
          .enumeration = j.value("enum", ""),
          .default_text = j.value("default", ""),
          .meaning = j.at("meaning"),
          .unit = j.value("unit", ""),
          .required = j.at("required"),
          .number = j.value("number", false)};
}

Function function_from(const Json& j) {
  Function f = {.name = j.at("name"),
                .family = j.at("family"),
                .doc = j.at("doc"),
                .result = j.at("result"),
                .shapes = j.at("shapes"),
                .dtype = j.at("dtype"),
                .errors = j.at("errors"),
                .gradient = j.at("gradient"),
                .method = j.at("method")};
  for (const Json& p : j.at("params")) f.params.push_back(param_from(p));
  return f;
}

Manifest manifest_from(const Json& j) {
  Manifest m = {.abi_version = j.at("abi_version"), .version = j.at("version")};
  for (const Json& d : j.at("dtypes")) m.dtypes.push_back({d.at("name"), d.at("value")});
  for (const Json& e : j.at("enums"))
    m.enums.push_back({e.at("name"), e.at("values").get<std::vector<std::string>>()});
  for (const Json& f : j.at("functions")) m.functions.push_back(function_from(f));
  return m;
}

std::vector<Param> params_that(const Function& f, bool required) {
  std::vector<Param> out;
  std::ranges::copy_if(f.params, std::back_inserter(out),
                       [&](const Param& p) { return p.required == required; });
  return out;
}

}  // namespace

Manifest read_manifest(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw std::runtime_error(fmt::format("tg-bindgen: cannot read \"{}\".", path));
  try {
    return manifest_from(Json::parse(in));
  } catch (const Json::exception& e) {
    throw std::runtime_error(fmt::format("tg-bindgen: \"{}\" is no manifest: {}.", path, e.what()));
  }
}

std::string joined_name(std::string_view name) {
  std::string out(name);
  std::ranges::replace(out, '.', '_');
  return out;
}

std::string snake(std::string_view name) {
  const auto is_upper = [&](size_t i) {
    return std::isupper(static_cast<unsigned char>(name[i])) != 0;
  };
  std::string out;
  for (size_t i = 0; i < name.size(); ++i) {
    // A word begins at a capital that follows a small letter, or ends a row of capitals.
    const bool small_after =
        i + 1 < name.size() && std::islower(static_cast<unsigned char>(name[i + 1])) != 0;
    if (i > 0 && is_upper(i) && name[i - 1] != '_' && (!is_upper(i - 1) || small_after)) out += '_';
    out += static_cast<char>(std::tolower(static_cast<unsigned char>(name[i])));
  }
  return out;
}

std::string camel(std::string_view name) {
  std::string out;
  if (name.starts_with("nn.")) {
    name.remove_prefix(3);
    if (std::isupper(static_cast<unsigned char>(name[0])) != 0) out = "New";
  }
  bool start = true;
  for (const char c : name) {
    if (c != '_') out += start ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    start = c == '_';
  }
  return name.ends_with('_') ? out + "InPlace" : out;
}

std::string upper(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](unsigned char c) { return std::toupper(c); });
  return out;
}

std::string wrapped(std::string_view text, std::string_view prefix, size_t width) {
  std::string out, line(prefix);
  size_t at = 0;
  while (at < text.size()) {
    const size_t end = std::min(text.find(' ', at), text.size());
    const std::string_view word = text.substr(at, end - at);
    at = end + 1;
    if (line.size() > prefix.size() && line.size() + 1 + word.size() > width) {
      out += line + "\n";
      line = prefix;
    }
    if (line.size() > prefix.size()) line += ' ';
    line += word;
  }
  return out + line + "\n";
}

std::vector<std::string> paragraphs(const Function& f) {
  std::vector<std::string> out = {f.doc, fmt::format("Shape: {}. Dtype: {}.", f.shapes, f.dtype)};
  for (const Param& p : f.params) {
    const std::string unit = p.unit.empty() ? "" : fmt::format(" ({})", p.unit);
    const std::string standard = p.required ? "" : fmt::format(" Default: {}.", p.default_text);
    out.push_back(fmt::format("{}: {}{}.{}", p.name, p.meaning, unit, standard));
  }
  if (!f.errors.empty()) out.push_back(fmt::format("Errors: {}.", f.errors));
  return out;
}

std::vector<Param> required_params(const Function& f) { return params_that(f, true); }
std::vector<Param> optional_params(const Function& f) { return params_that(f, false); }

}  // namespace bindgen
