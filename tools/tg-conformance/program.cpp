// What programs are made of; see program.h.
#include "program.h"

#include <cmath>
#include <random>

#include "dtype/convert.h"
#include "error_bound.h"

namespace tg::conformance {

int64_t count_of(const Input& input) {
  int64_t count = 1;
  for (const int64_t extent : input.shape) count *= extent;
  return count;
}

std::vector<double> elements_of(const Input& input, uint64_t call) {
  std::vector<double> out = drawn_elements(input, call);
  const auto count = static_cast<size_t>(count_of(input));
  out.reserve(count);
  for (size_t i = 0; out.size() < count; ++i) out.push_back(out[i]);
  return out;
}

std::vector<double> drawn_elements(const Input& input, uint64_t call) {
  constexpr int64_t kLong = 3000, kPeriod = 251;
  std::mt19937_64 rng(mixed(input.seed + 1, call));
  const int64_t all = count_of(input), count = all > kLong ? kPeriod : all;
  const double grain = is_float(input.dtype) ? input.grain : 1;
  std::vector<double> out;
  for (int64_t i = 0; i < count; ++i) {
    const double unit = static_cast<double>(rng() >> 11) * 0x1p-53;
    const double v = std::floor((input.low + unit * (input.high - input.low)) / grain) * grain;
    out.push_back(is_float(input.dtype) ? round_to_float(v, input.dtype) : v);
  }
  return out;
}

Program without_unused(const Program& p) {
  std::vector<bool> used(p.values.size(), false);
  const auto use = [&](int v) { used[static_cast<size_t>(v)] = true; };
  for (const int v : p.outputs) use(v);
  if (p.loss >= 0) {
    use(p.loss);
    for (const int v : p.targets) use(v);
  }
  // Assignments change their first operand: they stay as long as that is used.
  Program all = p;
  for (size_t i = p.values.size(); i-- > 0;) {
    auto* step = std::get_if<Step>(&all.values[i]);
    if (step == nullptr) continue;
    const bool in_place = step->function == "assign" || step->function == "set";
    if (in_place && used[static_cast<size_t>(std::get<Operand>(step->arguments[0]).value)])
      used[i] = true;
    if (used[i]) for_each_operand(*step, [&](Operand& o) { use(o.value); });
  }
  std::vector<int> number(used.size(), -1);
  int next = 0;
  for (size_t v = 0; v < used.size(); ++v) {
    if (used[v]) number[v] = next++;
  }
  const auto renumber = [&](int& v) { v = number[static_cast<size_t>(v)]; };
  Program kept = all;
  kept.values.clear();
  for (size_t i = 0; i < all.values.size(); ++i) {
    if (!used[i]) continue;
    if (auto* step = std::get_if<Step>(&all.values[i]))
      for_each_operand(*step, [&](Operand& o) { renumber(o.value); });
    kept.values.push_back(all.values[i]);
  }
  for (int& v : kept.outputs) renumber(v);
  if (kept.loss >= 0) {
    renumber(kept.loss);
    for (int& v : kept.targets) renumber(v);
  }
  return kept;
}

}  // namespace tg::conformance
