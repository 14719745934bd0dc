// See program.h.
#include "backends/cpu/program.h"

#include <algorithm>

#include "backends/cpu/arena.h"
#include "support/check.h"
#include "support/thread_pool.h"

namespace tg::cpu {
namespace {

constexpr double kUnitSeconds = 100e-9;  // what a call takes at least
constexpr int64_t kInlineUnits = 200, kGrainUnits = 50;
constexpr double kInlineSeconds = kInlineUnits * kUnitSeconds;
constexpr double kGrainSeconds = kGrainUnits * kUnitSeconds;
constexpr int64_t kMaxUnits = 1 << 22;  // of a kernel; times its chunks it is a 64-bit number

double estimate(const LinearKernel& k, const Target& t) {
  return std::max(k.flops / t.flops_per_second, k.bytes / t.bytes_per_second);
}

int64_t choose_grain(const LinearKernel& k, double seconds) {
  if (k.chunks <= 1) return 1;
  if (seconds <= 0) return 1;  // nothing is known: each chunk may be long
  if (seconds < kInlineSeconds) return k.chunks;
  const double per_chunk = seconds / static_cast<double>(k.chunks);
  return std::clamp<int64_t>(static_cast<int64_t>(kGrainSeconds / per_chunk),
                             std::min(k.least_chunks, k.chunks), k.chunks);
}

// Where nothing is known each chunk may be long.
int64_t count_units(const LinearKernel& k, double seconds) {
  const double units =
      seconds > 0 ? seconds / kUnitSeconds : static_cast<double>(k.chunks) * double{kGrainUnits};
  return static_cast<int64_t>(std::clamp(units, 1.0, double{kMaxUnits}));
}

const CpuProgram& program_of(const Call& call) {
  return *static_cast<const CpuProgram*>(call.program);
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
      grain_(choose_grain(kernel, estimate(kernel, target))),
      units_(count_units(kernel, estimate(kernel, target))) {}

void CpuProgram::launch(std::span<void* const> buffers, std::span<const int64_t> vars) {
  const Call call{this, buffers, vars};
  check(call);
  parallel_for(chunks_, grain_,
               [&](int64_t begin, int64_t end, int) { run_chunks(call, begin, end); });
}

void CpuProgram::check(const Call& call) const {
  TG_CHECK(call.buffers.size() == params_ && call.vars.size() == vars_,
           "{}: launched with {} buffers and {} variables, not {} and {}", name_,
           call.buffers.size(), call.vars.size(), params_, vars_);
}

void CpuProgram::run_chunks(const Call& call, int64_t begin, int64_t end) const {
  char* scratch = scratch_bytes_ > 0 ? thread_arena(scratch_bytes_) : nullptr;
  entry_(call.buffers.data(), call.vars.data(), begin, end, scratch);
}

void CpuProgram::run_units(const Call& call, int64_t begin, int64_t end) const {
  // Chunk c begins in unit ⌊c · units / chunks⌋, so the first one at or after unit u is ⌈u · chunks
  // / units⌉.
  const auto first_at = [&](int64_t u) { return (u * chunks_ + units_ - 1) / units_; };
  const int64_t from = first_at(begin), to = first_at(end);
  if (from < to) run_chunks(call, from, to);
}

void launch_together(std::span<const Call> calls) {
  std::vector<int64_t> ends;
  ends.reserve(calls.size());
  int64_t all = 0;
  for (const Call& c : calls) {
    program_of(c).check(c);
    ends.push_back(all += program_of(c).units());
  }
  const int64_t grain = all < kInlineUnits ? all : kGrainUnits;
  parallel_for(all, grain, [&](int64_t begin, int64_t end, int) {
    auto i = static_cast<size_t>(std::ranges::upper_bound(ends, begin) - ends.begin());
    for (; begin < end; ++i) {
      const int64_t start = i == 0 ? 0 : ends[i - 1], stop = std::min(end, ends[i]);
      program_of(calls[i]).run_units(calls[i], begin - start, stop - start);
      begin = stop;
    }
  });
}

}  // namespace tg::cpu
