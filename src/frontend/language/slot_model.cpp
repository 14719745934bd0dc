// See slot_model.h. Steps are recorded for 1, 2, 4, 8, … rows, and fewer rows take the next larger
// call: kernels of a fixed number of rows are faster than those of a variable one.
#include "frontend/language/slot_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "tg/autograd.h"

namespace tg::models {

SlotModel::SlotModel(LoadedModel model, int64_t slots)
    : model_(std::move(model)),
      slots_(slots),
      begin_("begin", 0, model_.info.context - 1),
      count_("count", 1, model_.chunk),
      seen_("seen", 1, model_.info.context),
      slot_("slot", 0, slots - 1),
      other_slot_("other_slot", 0, slots - 1),
      read_([this](const Tensor& x, const SymInt& slot, const SymInt& at, const SymInt& n) {
        return model_.decoder.logits(model_.decoder(x, at, n, slot)[{n - 1}]);
      }),
      copy_([this](const SymInt& from, const SymInt& to, const SymInt& count) {
        model_.decoder.copy(from, to, count);
      }) {
  for (int64_t i = 0; i < slots; ++i) {
    slot_of_.emplace_back(fmt::format("slot_{}", i), 0, slots - 1);
    position_of_.emplace_back(fmt::format("position_{}", i), 0, model_.info.context - 1);
  }
}

int64_t SlotModel::rows_of_call(int64_t rows) const {
  return std::min(slots_, static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(rows))));
}

TinyJit<SlotModel::StepCall>& SlotModel::step_call(int64_t rows) {
  const auto f = [this](const Tensor& x, const Tensor& slots, const Tensor& positions,
                        const SymInt& seen, const std::vector<SymInt>& slot_of,
                        const std::vector<SymInt>& position_of) {
    return model_.decoder.logits(model_.decoder.rows(x, {.slots = slots,
                                                         .positions = positions,
                                                         .slot_of = slot_of,
                                                         .position_of = position_of,
                                                         .seen = seen}));
  };
  return steps_.try_emplace(rows, StepCall(f)).first->second;
}

Tensor SlotModel::on_device(const std::vector<int32_t>& numbers) const {
  return Tensor(numbers, TensorOptions{.device = model_.device});
}

std::vector<float> SlotModel::read(int64_t slot, int64_t begin, std::span<const int32_t> tokens) {
  std::vector<int32_t> padded(tokens.begin(), tokens.end());
  padded.resize(static_cast<size_t>(model_.chunk), 0);
  const NoGradScope no_gradients;
  const Tensor x = model_.decoder.embedded(on_device(padded));
  return read_(x, slot_.bind(slot), begin_.bind(begin),
               count_.bind(static_cast<int64_t>(tokens.size())))
      .to_vector<float>();
}

std::vector<float> SlotModel::step(std::span<const Row> rows) {
  const int64_t n = rows_of_call(static_cast<int64_t>(rows.size()));
  std::vector<int32_t> tokens, slots, positions;
  std::vector<SymInt> slot_of, position_of;
  int64_t last = 0;
  for (size_t i = 0; i < static_cast<size_t>(n); ++i) {
    // Rows that the call has more are the last one again.
    const Row& row = rows[std::min(i, rows.size() - 1)];
    tokens.push_back(row.token);
    slots.push_back(static_cast<int32_t>(row.slot));
    positions.push_back(static_cast<int32_t>(row.position));
    slot_of.push_back(slot_of_[i].bind(row.slot));
    position_of.push_back(position_of_[i].bind(row.position));
    last = std::max(last, row.position);
  }
  const NoGradScope no_gradients;
  const Tensor x = model_.decoder.embedded(on_device(tokens));
  std::vector<float> logits = step_call(n)(x, on_device(slots), on_device(positions),
                                           seen_.bind(last + 1), slot_of, position_of)
                                  .to_vector<float>();
  logits.resize(rows.size() * static_cast<size_t>(model_.info.vocabulary));
  return logits;
}

void SlotModel::copy(int64_t from, int64_t to, int64_t count) {
  const NoGradScope no_gradients;
  copy_(other_slot_.bind(from), slot_.bind(to), seen_.bind(count));
}

void SlotModel::clear(int64_t slot) {
  const NoGradScope no_gradients;
  model_.decoder.clear(slot_.bind(slot));
}

void SlotModel::warm_up() {
  constexpr int kCalls = 2;  // the second one records
  const std::vector<int32_t> tokens(static_cast<size_t>(model_.chunk), 0);
  for (int call = 0; call < kCalls; ++call) {
    read(0, 0, tokens);
    if (slots_ > 1) copy(0, slots_ - 1, 1);
    std::vector<Row> rows;
    for (int64_t n = 1;; n = std::min(2 * n, slots_)) {
      while (static_cast<int64_t>(rows.size()) < n)
        rows.push_back({static_cast<int64_t>(rows.size()), 0, 0});
      step(rows);
      if (n == slots_) break;
    }
  }
}

}  // namespace tg::models
