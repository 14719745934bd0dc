// tg-manifest: prints manifest.json, the description of the C interface from which every binding is
// generated (tools/tg-bindgen). Its form: bindings/manifest.schema.json; where its contents come
// from: the function records (src/tensor/records, src/nn/records.cpp).
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>

#include "capi/functions.h"
#include "tensor/records/value.h"
#include "tg/c/tg.h"
#include "tg/dtype.h"
#include "tg/version.h"

namespace {

using Json = nlohmann::ordered_json;
using tg::FnKind;
using tg::FnParam;
using tg::FnType;

Json kinds() {
  Json out = Json::array();
  for (int i = 0; i < tg::kNumFnKinds; ++i)
    out.push_back({{"name", tg::fn_kind_name(static_cast<FnKind>(i))}, {"value", i}});
  return out;
}

Json dtypes() {
  Json out = Json::array();
  for (int i = TG_DTYPE_BOOL; i <= TG_DTYPE_FLOAT64; ++i) {
    const auto t = static_cast<tg::DType>(i);
    out.push_back({{"name", tg::dtype_name(t)}, {"value", i}, {"bytes", tg::dtype_size(t)}});
  }
  return out;
}

Json enums() {
  Json out = Json::array();
  for (const tg::FnChoices* c : tg::fn_choices())
    out.push_back({{"name", c->name}, {"values", Json(c->names)}});
  return out;
}

Json statuses() {
  constexpr const char* kNames[] = {"ok",       "shape",  "dtype",  "index",
                                    "argument", "device", "file",   "cancelled",
                                    "internal", "handle", "memory", "callback"};
  Json out = Json::array();
  for (int i = TG_OK; i <= TG_ERROR_CALLBACK; ++i)
    out.push_back({{"name", kNames[i]}, {"value", i}});
  return out;
}

Json parameter(const FnParam& p, const FnType& type) {
  Json out = {{"name", p.name}, {"kind", tg::fn_kind_name(type.kind)}};
  if (type.choices != nullptr) out["enum"] = type.choices->name;
  if (type.pairs) out["pairs"] = true;
  if (p.number) out["number"] = true;
  out["required"] = p.default_value.empty();
  if (!p.default_value.empty()) out["default"] = p.default_value;
  out["meaning"] = p.meaning;
  if (!p.unit.empty()) out["unit"] = p.unit;
  return out;
}

Json function(const tg_function_record& f) {
  const tg::FnRecord& r = *f.record;
  Json params = Json::array();
  for (size_t i = 0; i < r.params.size(); ++i)
    params.push_back(parameter(r.params[i], r.param_type(i)));
  return {{"name", f.name},       {"family", f.family},
          {"doc", r.doc},         {"method", r.call.method},
          {"params", params},     {"result", tg::fn_kind_name(r.call.result.kind)},
          {"shapes", r.shapes},   {"dtype", r.dtype},
          {"errors", r.errors},   {"gradient", r.gradient},
          {"example", r.example}, {"example_result", r.result}};
}

Json manifest() {
  Json functions = Json::array();
  for (const tg_function_record& f : tg::capi::functions()) functions.push_back(function(f));
  return {{"$schema", "manifest.schema.json"},
          {"abi_version", TG_ABI_VERSION},
          {"version", tg::version()},
          {"kinds", kinds()},
          {"dtypes", dtypes()},
          {"enums", enums()},
          {"statuses", statuses()},
          {"functions", functions}};
}

}  // namespace

int main(int argc, char**) {
  if (argc > 1) {
    std::fputs("usage: tg-manifest\n\nPrints the manifest of the C interface as JSON.\n", stderr);
    return 2;
  }
  const std::string text = manifest().dump(1) + "\n";
  return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() ? 0 : 1;
}
