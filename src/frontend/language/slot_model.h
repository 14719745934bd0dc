// A decoder with several slots, each of which has room for the keys and values of one text, as
// recorded calls: a chunk of one text's prompt, and one token of each of several texts. Which text
// is in which slot, and what its tokens are: text_engine.cpp. The graph: decoder.h.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <vector>

#include "frontend/language/loaded_model.h"
#include "tg/jit.h"

namespace tg::models {

/// Only one thread at a time may use it.
class SlotModel {
 public:
  SlotModel(LoadedModel model, int64_t slots);
  SlotModel(const SlotModel&) = delete;
  SlotModel& operator=(const SlotModel&) = delete;

  /// The next token of the text in a slot.
  struct Row {
    int64_t slot, position;
    int32_t token;
  };

  const LoadedModel& model() const { return model_; }
  int64_t slots() const { return slots_; }

  /// The logits [vocabulary] after the last of 1 to `chunk` tokens, the first of which is at the
  /// position `begin` of the text in `slot`.
  std::vector<float> read(int64_t slot, int64_t begin, std::span<const int32_t> tokens);
  /// The logits after each row, [rows, vocabulary]. Of each slot one row at most.
  std::vector<float> step(std::span<const Row> rows);
  /// Keys and values of the first `count` positions, from one slot to another one.
  void copy(int64_t from, int64_t to, int64_t count);
  /// Zeros for keys and values of a slot: a number that is none would reach the next text in it,
  /// since nothing times it is not nothing.
  void clear(int64_t slot);
  /// Compiles and records all calls, so that no text waits for that. The slots' texts are lost.
  void warm_up();

 private:
  using ReadCall =
      std::function<Tensor(const Tensor&, const SymInt&, const SymInt&, const SymInt&)>;
  using StepCall = std::function<Tensor(const Tensor&, const Tensor&, const Tensor&, const SymInt&,
                                        const std::vector<SymInt>&, const std::vector<SymInt>&)>;
  using CopyCall = std::function<void(const SymInt&, const SymInt&, const SymInt&)>;

  int64_t rows_of_call(int64_t rows) const;
  TinyJit<StepCall>& step_call(int64_t rows);
  Tensor on_device(const std::vector<int32_t>& numbers) const;

  LoadedModel model_;
  int64_t slots_;
  Variable begin_, count_, seen_, slot_, other_slot_;
  std::vector<Variable> slot_of_, position_of_;  // of each row of a step
  TinyJit<ReadCall> read_;
  TinyJit<CopyCall> copy_;
  std::map<int64_t, TinyJit<StepCall>> steps_;  // by their number of rows
};

}  // namespace tg::models
