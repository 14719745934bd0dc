// A kernel tried out: arrays of its own, filled with numbers, on which programs of the kernel are
// timed and compared. For a search that asks which schedule is the quickest (search.h).
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "engine/kernel_arguments.h"
#include "runtime/buffer.h"

namespace tg {

class Trial {
 public:
  /// Arrays for `kernel`, which takes `vars`, on `device`; variables have their largest value.
  /// Empty if the arrays are so large that to make them would be a surprise (kMostBytes).
  static std::optional<Trial> of(Device& device, const UOp& kernel, std::span<const UOp> vars);

  /// Seconds of a launch, the quickest of some. One launch is all where that takes longer than
  /// `limit` seconds.
  double seconds_of(Program& program, double limit);
  /// Makes what `program` computes what the others are compared with.
  void set_reference(Program& program);
  /// Whether the program computes what the reference does: integers and bools equal, floats up to
  /// the order of sums (first_difference in validate.h).
  bool agrees(Program& program);

 private:
  static constexpr int64_t kMostBytes = int64_t{1} << 30;

  Trial(Device& device, std::vector<KernelArgument> arguments, std::vector<int64_t> values);
  void fill(size_t slot);
  void run(Program& program);
  std::vector<std::byte> contents(size_t slot);

  Device& device_;
  std::vector<KernelArgument> arguments_;
  std::vector<int64_t> values_;  // of the variables
  std::vector<Ref<Buffer>> buffers_;
  std::vector<void*> pointers_;
  std::vector<std::vector<std::byte>> reference_;  // by slot; of arrays that are written
};

}  // namespace tg
