// include/tg/c/tg_ops.h: a declaration and an options structure for every function.
#include <fmt/format.h>

#include <algorithm>

#include "tg-bindgen/c_types.h"

namespace bindgen {
namespace {

constexpr std::string_view kHead = R"(/* Generated from bindings/manifest.json by tg-bindgen; do not edit.
 *
 * Every function of tensors, layers and optimisers. Arguments that must be given stand in order;
 * the others are fields of an options structure, which may be null:
 *
 *   tg_tensor y = NULL;
 *   tg_softmax_options options = {sizeof options};
 *   options.axis = tg_int(0);
 *   if (tg_softmax(x, &options, &y) != TG_OK) puts(tg_error_message());
 *
 * A field that stays 0 is TG_NONE, the default. Results are owned by the caller: handles go by
 * tg_release, a tg_value by tg_value_clear. What functions share, and all rules: tg.h.
 */
#pragma once

#include "tg/c/tg.h"

#ifdef __cplusplus
extern "C" {
#endif
)";

constexpr std::string_view kTail = R"(
#ifdef __cplusplus
}
#endif
)";

std::string enumeration(const Enumeration& e) {
  const std::string name = "tg_" + snake(e.name);
  std::string out = fmt::format("\ntypedef int32_t {};\nenum {{\n", name);
  for (size_t i = 0; i < e.values.size(); ++i)
    out += fmt::format("  {}_{} = {}{}\n", upper(name), upper(snake(e.values[i])), i,
                       i + 1 == e.values.size() ? "" : ",");
  return out + "};\n";
}

std::string comment(const Function& f) {
  std::string out;
  for (const std::string& p : paragraphs(f)) out += wrapped(p, " * ");
  out.replace(0, 2, "/**");
  return "\n" + out + " */\n";
}

// Broken between parameters only.
std::string declaration(const Function& f) {
  constexpr char kGlue = '\x01';
  std::string text = "TG_C_API " + c_signature(f) + ";";
  const size_t open = text.find('(');
  for (size_t i = 1; i < text.size(); ++i) {
    if (text[i] == ' ' && (i < open || text[i - 1] != ',')) text[i] = kGlue;
  }
  std::string out = wrapped(text, "    ", 98).substr(4);
  std::ranges::replace(out, kGlue, ' ');
  return out;
}

std::string options(const Function& f) {
  const std::string name = c_options(f);
  if (name.empty()) return "";
  std::string out = fmt::format("typedef struct {} {{\n  size_t struct_size;\n", name);
  for (const Param& p : optional_params(f))
    out += fmt::format("  tg_value {}; /**< {} */\n", p.name, p.kind);
  return out + fmt::format("}} {};\n", name);
}

}  // namespace

std::string c_header(const Manifest& m) {
  std::string out(kHead);
  for (const Enumeration& e : m.enums) out += enumeration(e);
  std::string family;
  for (const Function& f : m.functions) {
    if (f.family != family) out += fmt::format("\n/* ---- {} ---- */\n", f.family);
    family = f.family;
    out += comment(f) + options(f) + declaration(f);
  }
  return out + std::string(kTail);
}

}  // namespace bindgen
