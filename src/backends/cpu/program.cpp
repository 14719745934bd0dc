// See program.h.
#include "backends/cpu/program.h"

#include <algorithm>

#include "backends/cpu/arena.h"
#include "support/check.h"
#include "support/thread_pool.h"

namespace tg::cpu {
namespace {

constexpr double kUnitSeconds = 100e-9;  // what a call takes at least
constexpr int64_t kInlineUnits = 100, kGrainUnits = 50;
constexpr double kInlineSeconds = kInlineUnits * kUnitSeconds;
constexpr double kGrainSeconds = kGrainUnits * kUnitSeconds;
constexpr int64_t kMaxUnits = 1 << 22;  // of a call; times its chunks it is a 64-bit number

double estimate(const LinearKernel& k, const Target& t) {
  return std::max(k.flops / t.flops_per_second, k.bytes / t.bytes_per_second);
}

// Seconds of a chunk on one thread; 0 where nothing is known.
double seconds_per_chunk(const LinearKernel& k, const Target& t) {
  return estimate(k, t) / static_cast<double>(std::max<int64_t>(k.chunks, 1));
}

// Fewest chunks that are worth handing to a thread.
int64_t choose_grain(const LinearKernel& k, double chunk_seconds) {
  if (chunk_seconds <= 0) return 1;  // nothing is known: each chunk may be long
  const double chunks = std::min(kGrainSeconds / chunk_seconds, static_cast<double>(k.chunks));
  return std::max({static_cast<int64_t>(chunks), std::min(k.least_chunks, k.chunks), int64_t{1}});
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
      chunk_limit_(kernel.chunk_limit),
      scratch_bytes_(kernel.scratch_bytes),
      chunk_seconds_(seconds_per_chunk(kernel, target)),
      least_grain_(choose_grain(kernel, chunk_seconds_)) {}

void CpuProgram::launch(std::span<void* const> buffers, std::span<const int64_t> vars) {
  const Call call{this, buffers, vars};
  check(call);
  const int64_t chunks = chunks_for(vars, chunks_, chunk_limit_);
  parallel_for(chunks, grain(chunks),
               [&](int64_t begin, int64_t end, int) { run_chunks(call, begin, end); });
}

int64_t CpuProgram::grain(int64_t chunks) const {
  const double seconds = chunk_seconds_ * static_cast<double>(chunks);
  return seconds > 0 && seconds < kInlineSeconds ? chunks : least_grain_;
}

CpuProgram::Share CpuProgram::share_of(const Call& call) const {
  check(call);
  const int64_t chunks = chunks_for(call.vars, chunks_, chunk_limit_);
  const double units = static_cast<double>(chunks) *
                       (chunk_seconds_ > 0 ? chunk_seconds_ / kUnitSeconds : double{kGrainUnits});
  return {chunks, static_cast<int64_t>(std::clamp(units, 1.0, double{kMaxUnits}))};
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

void CpuProgram::run_units(const Call& call, const Share& all, int64_t begin, int64_t end) const {
  // Chunk c begins in unit ⌊c · units / chunks⌋, so the first one at or after unit u is ⌈u · chunks
  // / units⌉.
  const auto first_at = [&](int64_t u) { return (u * all.chunks + all.units - 1) / all.units; };
  const int64_t from = first_at(begin), to = first_at(end);
  if (from < to) run_chunks(call, from, to);
}

void launch_together(std::span<const Call> calls) {
  std::vector<CpuProgram::Share> shares;
  std::vector<int64_t> ends;
  shares.reserve(calls.size());
  ends.reserve(calls.size());
  int64_t all = 0;
  for (const Call& c : calls) {
    shares.push_back(program_of(c).share_of(c));
    ends.push_back(all += shares.back().units);
  }
  const int64_t grain = all < kInlineUnits ? all : kGrainUnits;
  parallel_for(all, grain, [&](int64_t begin, int64_t end, int) {
    auto i = static_cast<size_t>(std::ranges::upper_bound(ends, begin) - ends.begin());
    for (; begin < end; ++i) {
      const int64_t start = i == 0 ? 0 : ends[i - 1], stop = std::min(end, ends[i]);
      program_of(calls[i]).run_units(calls[i], shares[i], begin - start, stop - start);
      begin = stop;
    }
  });
}

}  // namespace tg::cpu
