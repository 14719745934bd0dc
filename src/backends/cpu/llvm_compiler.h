// LLVM IR → loaded code, inside this process: libLLVM makes an object file, which the disk cache
// keeps and our own loader places (object_code.h). A program whose kernels are all cached never
// opens libLLVM.
#pragma once

#include <atomic>
#include <span>
#include <string>

#include "backends/cpu/kernel_compiler.h"
#include "backends/cpu/llvm_library.h"
#include "renderer/render.h"
#include "runtime/disk_cache.h"
#include "target/target.h"

namespace tg::cpu {

class LlvmCompiler final : public KernelCompiler {
 public:
  LlvmCompiler(LlvmFile file, const Target& target);

  std::string render(std::span<const LinearKernel> kernels) const override;
  CodeRef load(const std::string& source, const std::string& what) const override;
  /// Once enough was compiled that most of libLLVM has been read, what comes next (the first
  /// training step) would else take its memory beside some 50 MiB of instructions.
  void rest() const override;
  int64_t kernels_per_call() const override { return 1; }
  std::string description() const override;

  /// The object file of the module `source`. Throws DeviceError with LLVM's reason and the path of
  /// the kept source. Thread-safe: each call has its own LLVM context.
  std::string compile(const std::string& source, const std::string& what) const;

 private:
  LlvmFile file_;
  std::string processor_;  // to compile for, by LLVM's name; empty: this one
  LlvmMachine machine_;
  std::string identity_;
  DiskCache cache_{kKernelCache};
  mutable std::atomic<int64_t> compiled_{0};  // since the last rest that was worth it
};

/// Instructions as text, a line each with its offset, by any libLLVM that is found; without one, a
/// line that says so.
std::string disassemble(std::span<const std::byte> instructions);

}  // namespace tg::cpu
