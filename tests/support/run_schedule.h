// Runs a schedule kernel by kernel with the evaluator of ranged kernels: what the scheduler decided
// is tested without lowering, compilers or devices. Temporaries start with a wrong value, so a read
// before the write is seen.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "schedule/schedule.h"
#include "tg/ir/walk.h"
#include "uop/evaluate_ranged.h"
#include "uop/evaluate_tensor.h"

namespace tg::test {

/// What storage that nothing was written to holds.
inline TensorValue unwritten(const Node* n) {
  TensorValue v = TensorValue::zeros(Shape(n->shape().begin(), n->shape().end()), n->dtype);
  for (int64_t i = 0; i < v.numel(); ++i)
    v.set(i, Scalar::of_int(is_bool(n->dtype) ? 1 : 77, n->dtype));
  return v;
}

/// The storage that a version (AFTER) is a version of.
inline const Node* unversioned(const Node* storage) {
  while (storage->op == Op::After) storage = storage->src()[0];
  return storage;
}

/// The items in order, or with those of each step the other way round.
inline std::vector<const ScheduleItem*> items_in_order(const Schedule& s, bool backwards_in_steps) {
  std::vector<const ScheduleItem*> order;
  for (auto begin = s.items.begin(); begin != s.items.end();) {
    const auto end = std::find_if(begin, s.items.end(),
                                  [&](const ScheduleItem& x) { return x.step != begin->step; });
    const auto first = static_cast<std::ptrdiff_t>(order.size());
    for (; begin != end; ++begin) order.push_back(&*begin);
    if (backwards_in_steps) std::reverse(order.begin() + first, order.end());
  }
  return order;
}

/// The values of `roots` after the schedule's kernels have run on `contents`, in the schedule's
/// order, or with the members of each batch the other way round. `storage_of`: buffers that share
/// memory (schedule/memory_plan.h); by default none do.
inline std::vector<TensorValue> run_schedule(const Schedule& s, std::span<const UOp> roots,
                                             BufferContents contents,
                                             bool backwards_in_steps = false,
                                             std::span<const int> storage_of = {}) {
  const auto place = [&](int b) {
    const auto i = static_cast<size_t>(b);
    return storage_of.empty() ? i : static_cast<size_t>(storage_of[i]);
  };
  std::vector<TensorValue> memory;
  for (const ScheduledBuffer& b : s.buffers) {
    auto given = contents.find(b.node);
    memory.push_back(given == contents.end() ? unwritten(b.node) : given->second);
  }
  for (const ScheduleItem* item : items_in_order(s, backwards_in_steps)) {
    std::vector<TensorValue> params;
    for (int b : item->buffers) params.push_back(memory[place(b)]);
    evaluate_ranged(item->kernel, params);
    for (size_t i = 0; i < params.size(); ++i)
      memory[place(item->buffers[i])] = std::move(params[i]);
  }
  for (size_t i = 0; i < memory.size(); ++i) {
    if (s.buffers[i].external) contents[s.buffers[i].node] = memory[i];
  }
  std::vector<TensorValue> out;
  for (size_t i = 0; i < roots.size(); ++i) {
    if (s.results[i] >= 0) {
      out.push_back(memory[static_cast<size_t>(s.results[i])]);
      continue;
    }
    const Node* below = storage_below(roots[i].node());
    const UOp view = substitute(roots[i], {{below, UOp::share(unversioned(below))}});
    out.push_back(evaluate(view, contents));
  }
  return out;
}

/// A choice of what is materialised, by a bit for each candidate in the order in which they are
/// asked for; nodes beyond the bits are as proposed.
class ChoiceByBits {
 public:
  explicit ChoiceByBits(uint64_t bits, int n = 64) : bits_(bits), n_(n) {}
  FusionOptions options() { return {.override_choice = choose, .context = this}; }
  int asked() const { return static_cast<int>(index_.size()); }

 private:
  static bool choose(const Node* x, bool proposed, void* context) {
    auto* self = static_cast<ChoiceByBits*>(context);
    const int i = self->index_.try_emplace(x, self->asked()).first->second;
    return i < self->n_ ? ((self->bits_ >> i) & 1) != 0 : proposed;
  }
  uint64_t bits_;
  int n_;
  std::unordered_map<const Node*, int> index_;
};

}  // namespace tg::test
