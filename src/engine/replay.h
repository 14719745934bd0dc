// The launches of a captured call as devices repeat them: sequences of kernels that a device gets
// as one object (Device::prepare), and between them copies and programs that run alone. Kernels of
// several phases are taken apart, so that they do not end a sequence. What is captured: capture.h.
// Internal to src/engine.
#pragma once

#include <deque>
#include <memory>
#include <variant>
#include <vector>

#include "engine/compile.h"
#include "tg/ir/function_ref.h"

namespace tg {

/// What is added must stay where it is: the arrays of calls, and what copies point to. Arrays may
/// have other contents at each run.
class ReplaySteps {
 public:
  /// From pointers[1] on `from` to pointers[0] on `to`.
  void add_copy(Device& to, Device& from, void* const* pointers, int64_t bytes);
  /// One launch; `kernels` are those of `calls`. Behind the arguments of a kernel of phases stand
  /// its workspaces, from their first slot on. `varies`: may the arguments of this call differ from
  /// run to run?
  void add_launch(Device& device, std::span<const Call> calls,
                  std::span<const ReadyKernelRef> kernels, FunctionRef<bool(const Call&)> varies);
  /// Runs all steps in order; devices are told of their sequences at the first run.
  void run();
  /// Sequences that devices got.
  int64_t sequences() const;

 private:
  struct Copy {
    Device* to;
    Device* from;
    void* const* pointers;
    int64_t bytes;
  };
  struct Sequence {
    Device* device = nullptr;
    std::vector<Call> calls;
    std::vector<size_t> ends, varying;
    std::unique_ptr<Replay> replay;
    void add(const Call& call, bool varies);
    void run();
  };
  Sequence& sequence_on(Device& device);

  std::deque<std::variant<Copy, Call, Sequence>> steps_;
};

}  // namespace tg
