// The table of operators, put together from the files of ops/: see table.h.
#include "frontend/onnx/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace tg::onnx {
namespace {

std::vector<const Operator*> collect() {
  std::vector<const Operator*> out;
  for (const auto rows : {elementwise_operators(),
                          logic_operators(),
                          reduction_operators(),
                          shape_operators(),
                          indexing_operators(),
                          creation_operators(),
                          product_operators(),
                          convolution_operators(),
                          pooling_operators(),
                          resize_operators(),
                          normalisation_operators(),
                          recurrent_operators(),
                          quantised_operators(),
                          detection_operators(),
                          sampling_operators(),
                          control_operators(),
                          loss_operators(),
                          signal_operators(),
                          training_operators(),
                          attention_operators(),
                          microsoft_operators(),
                          microsoft_attention_operators(),
                          microsoft_quantised_operators()})
    for (const Operator& row : rows) out.push_back(&row);
  std::ranges::sort(out, {}, [](const Operator* o) { return o->name; });
  return out;
}

}  // namespace

std::span<const Operator* const> all_operators() {
  static const std::vector<const Operator*> rows = collect();
  return rows;
}

Lookup look_up(const std::string& domain, const std::string& op, int64_t version) {
  const std::string name = domain.empty() ? op : domain + "." + op;
  const auto rows = all_operators();
  const auto found = std::ranges::lower_bound(rows, std::string_view(name), {},
                                              [](const Operator* o) { return o->name; });
  if (found == rows.end() || (*found)->name != name) return {nullptr, "no such operator"};
  if (domain.empty() && version > kNewestVersion)
    return {nullptr,
            fmt::format("version {} of the standard: at most {}", version, kNewestVersion)};
  if (version < (*found)->since.front())
    return {nullptr, fmt::format("version {}: from {} on", version, (*found)->since.front())};
  return {*found, ""};
}

bool takes_attribute(const Operator& op, std::string_view name) {
  std::string_view rest = op.attributes;
  while (!rest.empty()) {
    const size_t end = std::min(rest.find(' '), rest.size());
    if (rest.substr(0, end) == name) return true;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return false;
}

}  // namespace tg::onnx
