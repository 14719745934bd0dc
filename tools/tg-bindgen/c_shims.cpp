// src/capi/ops.cpp: each function of tg_ops.h by tg_call.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tg-bindgen/c_types.h"

namespace bindgen {
namespace {

constexpr std::string_view kHead =
    R"(// Generated from bindings/manifest.json by tg-bindgen; do not edit. The functions of tg_ops.h, each by
// the record of its name: see shim.h.
// clang-format off
#include "tg/c/tg_ops.h"

#include "capi/shim.h"

using tg::capi::option;
using tg::capi::Shim;
)";

std::string shim(const Function& f) {
  const std::string options = c_options(f);
  std::vector<std::string> values;
  if (f.method) values.emplace_back("tg_of(self)");
  for (const Param& p : f.params) {
    values.push_back(p.required ? c_value(p)
                                : fmt::format("option(options, &{}::{})", options, p.name));
  }
  std::string out =
      fmt::format("\n{} {{\n  static const Shim shim(\"{}\");\n", c_signature(f), f.name);
  const std::string arguments =
      values.empty() ? "{}" : fmt::format("{{{{{}}}}}", fmt::join(values, ", "));
  out +=
      fmt::format("  const std::array<tg_value, {}> arguments = {};\n", values.size(), arguments);
  return out + fmt::format("  return shim({}, arguments, {});\n}}\n",
                           options.empty() ? "nullptr" : "options",
                           c_result(f).empty() ? "nullptr" : "result");
}

}  // namespace

std::string c_shims(const Manifest& m) {
  std::string out(kHead);
  for (const Function& f : m.functions) out += shim(f);
  return out;
}

}  // namespace bindgen
