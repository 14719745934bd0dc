// A compiled kernel and its launch, alone or with others: chunks over the thread pool, scratch
// memory for each thread.
#pragma once

#include "backends/cpu/loaded_code.h"
#include "codegen/linear.h"
#include "runtime/device.h"

namespace tg::cpu {

/// What the renderer's entry functions look like; see renderer/render.h.
using KernelEntry = void(void* const* buffers, const int64_t* vars, int64_t begin, int64_t end,
                         char* scratch);

class CpuProgram final : public Program {
 public:
  /// `target` gives the rates by which a launch's time is estimated.
  CpuProgram(CodeRef code, const LinearKernel& kernel, const Target& target);

  /// Runs to the end. Work that is estimated below 20 us, or has one chunk, stays on the calling
  /// thread. Thread-safe.
  void launch(std::span<void* const> buffers, std::span<const int64_t> vars) override;

  /// How many of a launch's `chunks` are the fewest that are worth handing to a thread; all of them
  /// if it stays on the calling thread.
  int64_t grain(int64_t chunks) const;
  /// The chunks of a call, and their estimated time on one thread in units of 100 ns, at least 1.
  struct Share {
    int64_t chunks, units;
  };
  /// Throws InternalError if the call's arguments are not as many as the kernel's parameters.
  Share share_of(const Call& call) const;
  /// Runs on the calling thread the chunks that begin in units [begin, end) of `all` of the call.
  /// Each chunk begins in one unit.
  void run_units(const Call& call, const Share& all, int64_t begin, int64_t end) const;
  /// The machine code, for people.
  std::span<const std::byte> instructions() const { return code_->instructions(name_); }

 private:
  void check(const Call& call) const;
  void run_chunks(const Call& call, int64_t begin, int64_t end) const;

  CodeRef code_;
  KernelEntry* entry_;
  std::string name_;
  size_t params_;
  size_t vars_;
  int64_t chunks_;
  std::optional<ChunkLimit> chunk_limit_;
  int64_t scratch_bytes_;
  double chunk_seconds_;  // on one thread; 0 where nothing is known
  int64_t least_grain_;
};

/// Runs CpuPrograms that do not depend on each other, to the end, as one loop over the time of all:
/// shares of equal time, so that a thread gets several small kernels or a part of a large one. Work
/// that is estimated below 20 us together stays on the calling thread. Which thread runs a chunk
/// changes no result. Thread-safe.
void launch_together(std::span<const Call> calls);

}  // namespace tg::cpu
