// Lowered kernels compiled for the CPU and run with every array and the scratch memory directly
// before or after pages that nobody may touch.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backends/cpu/compiler.h"
#include "backends/cpu/program.h"
#include "support/guarded_memory.h"
#include "uop/tensor_value.h"

namespace tg::test {

/// Kernels that one call of the C compiler made.
class GuardedKernels {
 public:
  /// Renames the kernels: two schedules may share a name.
  GuardedKernels(const cpu::KernelCompiler& compiler, std::vector<LinearKernel> kernels)
      : kernels_(std::move(kernels)) {
    for (size_t i = 0; i < kernels_.size(); ++i) kernels_[i].name += "_" + std::to_string(i);
    code_ = compiler.load(compiler.render(kernels_), std::to_string(kernels_.size()) + " kernels");
  }

  /// What went wrong, or "": the first access outside an array or to one that may only be read, or
  /// a write next to an array. `params` by slot; they hold the results afterwards.
  std::string run(size_t kernel, std::vector<TensorValue>& params, Flush flush) const {
    const LinearKernel& k = kernels_[kernel];
    std::vector<std::unique_ptr<GuardedMemory>> memory;
    std::vector<void*> buffers;
    for (size_t i = 0; i < params.size(); ++i) {
      const std::vector<std::byte> bytes = params[i].to_bytes();
      memory.push_back(std::make_unique<GuardedMemory>(bytes.size(), flush));
      if (!bytes.empty()) std::memcpy(memory.back()->data(), bytes.data(), bytes.size());
      buffers.push_back(memory.back()->data());
      const bool written = i < k.params.size() && k.params[i].written;
      if (!written) memory.back()->make_read_only();
    }
    memory.push_back(std::make_unique<GuardedMemory>(static_cast<size_t>(k.scratch_bytes), flush));
    if (const void* at = launch(k, buffers, *memory.back())) return describe(k, memory, at);
    for (size_t i = 0; i < memory.size(); ++i) {
      if (!memory[i]->slack_is_untouched()) return "a write next to " + name_of(i, memory);
    }
    for (size_t i = 0; i < params.size(); ++i) params[i] = contents(*memory[i], params[i]);
    return "";
  }

 private:
  // In two launches, the last chunks first.
  const void* launch(const LinearKernel& k, const std::vector<void*>& buffers,
                     GuardedMemory& scratch) const {
    auto* entry = reinterpret_cast<cpu::KernelEntry*>(code_->symbol(k.name));
    auto* room = reinterpret_cast<char*>(scratch.data());
    const int64_t half = k.chunks / 2;
    return first_fault([&] {
      entry(buffers.data(), nullptr, half, k.chunks, room);
      if (half > 0) entry(buffers.data(), nullptr, 0, half, room);
    });
  }

  static TensorValue contents(GuardedMemory& m, const TensorValue& like) {
    return TensorValue::from_bytes(like.shape, like.dtype, {m.data(), m.size()});
  }

  using Memories = std::vector<std::unique_ptr<GuardedMemory>>;
  static std::string name_of(size_t i, const Memories& memory) {
    return i + 1 == memory.size() ? "scratch" : "parameter " + std::to_string(i);
  }
  static std::string describe(const LinearKernel& k, const Memories& memory, const void* at) {
    for (size_t i = 0; i < memory.size(); ++i) {
      if (!memory[i]->contains(at)) continue;
      return k.name + ": byte " + std::to_string(memory[i]->offset_of(at)) + " of the " +
             std::to_string(memory[i]->size()) + " of " + name_of(i, memory);
    }
    return k.name + ": an address far from all arrays";
  }

  std::vector<LinearKernel> kernels_;
  cpu::CodeRef code_;
};

}  // namespace tg::test
