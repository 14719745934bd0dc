// See program.h.
#include "backends/cpu/program.h"

#include <algorithm>

#include "backends/cpu/arena.h"
#include "support/check.h"
#include "support/thread_pool.h"

namespace tg::cpu {
namespace {

constexpr double kInlineSeconds = 20e-6;
constexpr double kGrainSeconds = 5e-6;

int64_t choose_grain(const LinearKernel& k, const Target& t) {
  if (k.chunks <= 1) return 1;
  const double seconds = std::max(k.flops / t.flops_per_second, k.bytes / t.bytes_per_second);
  if (seconds <= 0) return 1;  // nothing is known: each chunk may be long
  if (seconds < kInlineSeconds) return k.chunks;
  const double per_chunk = seconds / static_cast<double>(k.chunks);
  return std::clamp<int64_t>(static_cast<int64_t>(kGrainSeconds / per_chunk), 1, k.chunks);
}

}  // namespace

CpuProgram::CpuProgram(CodeRef code, const LinearKernel& kernel, const Target& target)
    : code_(std::move(code)),
      entry_(reinterpret_cast<KernelEntry*>(code_->symbol(kernel.name))),
      name_(kernel.name),
      params_(kernel.params.size()),
      vars_(kernel.vars.size()),
      chunks_(kernel.chunks),
      scratch_bytes_(kernel.scratch_bytes),
      grain_(choose_grain(kernel, target)) {}

void CpuProgram::launch(std::span<void* const> buffers, std::span<const int64_t> vars) {
  TG_CHECK(buffers.size() == params_ && vars.size() == vars_,
           "{}: launched with {} buffers and {} variables, not {} and {}", name_, buffers.size(),
           vars.size(), params_, vars_);
  parallel_for(chunks_, grain_, [&](int64_t begin, int64_t end, int) {
    char* scratch = scratch_bytes_ > 0 ? thread_arena(scratch_bytes_) : nullptr;
    entry_(buffers.data(), vars.data(), begin, end, scratch);
  });
}

}  // namespace tg::cpu
