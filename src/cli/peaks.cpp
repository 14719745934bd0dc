// See peaks.h. Every loop runs on all threads at once, each on memory of its own; the best of
// several runs counts, because everything else that happens on a machine only makes it slower.
#include "cli/peaks.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <memory>
#include <system_error>
#include <thread>
#include <tuple>

#include "cli/instruction_loops.h"
#include "support/check.h"
#include "support/interrupt.h"
#include "support/os/os.h"
#include "tg/ir/function_ref.h"

namespace tg::cli {
namespace {

// Runs are shorter than the time that a system gives to a process, so that some are undisturbed on
// a busy machine too.
constexpr int kRuns = 50;
constexpr double kRunSeconds = 5e-4;  // of one run, about
constexpr int kRunsOfAProbe = 8;
constexpr int64_t kPart = int64_t{1} << 20;
constexpr int64_t kBlock = 1024, kAlignment = int64_t{2} << 20;
constexpr int64_t kMemoryBytes = int64_t{256} << 20;

// Threads that begin and end every run together, awake from one to the next: on a busy machine the
// pool's would sleep, and those that are awake would do their work.
class Team {
 public:
  explicit Team(int threads) : wanted_(threads) {}

  // Seconds of each of `runs` runs of `body` on all threads at once.
  std::vector<double> time(int runs, FunctionRef<void(int thread)> body) {
    std::vector<std::jthread> others;
    try {
      for (int i = 1; i < wanted_; ++i) {
        others.emplace_back([this, runs, body, i] {
          while (size_.load() == 0) std::this_thread::yield();
          for (int run = 0; run < runs; ++run) together(body, i);
        });
      }
    } catch (const std::system_error&) {
      // The system refuses more threads: these are the team.
    }
    size_ = static_cast<int>(others.size()) + 1;
    std::vector<double> seconds;
    for (int run = 0; run < runs; ++run) seconds.push_back(together(body, 0));
    return seconds;
  }

  // Threads that took part.
  int size() const { return size_.load(); }

 private:
  double together(FunctionRef<void(int thread)> body, int thread) {
    using Clock = std::chrono::steady_clock;
    wait_for_all();
    const Clock::time_point begin = Clock::now();
    body(thread);
    wait_for_all();
    return std::chrono::duration<double>(Clock::now() - begin).count();
  }

  // Returns when all threads are here.
  void wait_for_all() {
    const int round = arrived_.fetch_add(1) / size();
    for (int spins = 0; arrived_.load() < (round + 1) * size(); ++spins) {
      if (spins % kSpins == kSpins - 1) std::this_thread::yield();
    }
  }

  static constexpr int kSpins = 1 << 12;
  const int wanted_;
  std::atomic<int> size_ = 0;
  std::atomic<int> arrived_ = 0;
};

// Turns of a loop on one thread; the FunctionRefs below make so many of them.
using Turns = FunctionRef<void(int thread, int64_t turns)>;

int64_t turns_of_a_run(Turns body) {
  check_interrupt("bench");
  int64_t turns = 1;
  const auto alone = [&](int) { body(0, turns); };
  for (double seconds = 0; seconds < kRunSeconds; turns *= 2)
    seconds = std::ranges::min(Team(1).time(3, alone));
  return turns;
}

// Turns a second of all threads together at their best.
double turns_per_second(int threads, Turns body) {
  const int64_t turns = turns_of_a_run(body);
  Team team(threads);
  const auto seconds = team.time(kRuns, [&](int thread) { body(thread, turns); });
  return static_cast<double>(turns) * team.size() / std::ranges::min(seconds);
}

// The same right now: the median of a few runs of `turns`.
double present_turns_per_second(int threads, int64_t turns, Turns body) {
  check_interrupt("bench");
  Team team(threads);
  auto seconds = team.time(kRunsOfAProbe, [&](int thread) { body(thread, turns); });
  const auto middle = seconds.begin() + kRunsOfAProbe / 2;
  std::ranges::nth_element(seconds, middle);
  return static_cast<double>(turns) * team.size() / *middle;
}

struct FreeAligned {
  void operator()(char* block) const { os::free_aligned(block); }
};
using Block = std::unique_ptr<char, FreeAligned>;

Block allocate(int64_t bytes) {
  const int64_t whole = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  void* block = os::allocate_aligned(kAlignment, static_cast<size_t>(whole));
  if (block == nullptr) {
    user_error<DeviceError>("bench", fmt::format("there is no memory for {} bytes", whole));
  }
  os::prefer_huge_pages(block, static_cast<size_t>(whole));
  std::memset(block, 1, static_cast<size_t>(whole));
  return Block(static_cast<char*>(block));
}

int64_t whole_blocks(int64_t bytes) { return std::max(bytes / kBlock, int64_t{2}) * kBlock; }

// Walks `bytes` of one thread, a part a turn; a copy goes from the first half to the second.
class Walk {
 public:
  explicit Walk(int64_t bytes)
      : bytes_(whole_blocks(bytes)),
        half_(whole_blocks(bytes / 2)),
        block_(allocate(std::max(bytes_, 2 * half_))) {}

  // Returns the bytes read and written.
  int64_t turn(const MemoryLoop& loop) {
    const bool copies = loop.kind == MemoryLoop::Kind::Copy;
    const int64_t end = copies ? half_ : bytes_, part = std::min(kPart, end);
    if (at_ + part > end) at_ = 0;
    loop.run(block_.get() + at_, block_.get() + at_ + (copies ? half_ : 0), part);
    at_ += part;
    return copies ? 2 * part : part;
  }

 private:
  int64_t bytes_, half_, at_ = 0;
  Block block_;
};

// One walk a thread.
class Walks {
 public:
  Walks(int threads, int64_t bytes) {
    for (int i = 0; i < threads; ++i) walks_.emplace_back(bytes);
  }

  int64_t bytes_of_turn(const MemoryLoop& loop) { return walks_[0].turn(loop); }

  void run(const MemoryLoop& loop, int thread, int64_t turns) {
    for (int64_t i = 0; i < turns; ++i) walks_[static_cast<size_t>(thread)].turn(loop);
  }

 private:
  std::vector<Walk> walks_;
};

LevelPeak measure_level(const std::vector<MemoryLoop>& loops, int threads, int64_t bytes) {
  Walks walks(threads, bytes);
  LevelPeak level;
  for (const MemoryLoop& loop : loops) {
    const int64_t bytes_of_turn = walks.bytes_of_turn(loop);
    const double turns =
        turns_per_second(threads, [&](int thread, int64_t n) { walks.run(loop, thread, n); });
    double& kept = loop.kind == MemoryLoop::Kind::Copy   ? level.copy
                   : loop.kind == MemoryLoop::Kind::Read ? level.read
                                                         : level.write;
    kept = std::max(kept, turns * static_cast<double>(bytes_of_turn));
  }
  return level;
}

// What a level holds, and what a walk through it takes for itself, in bytes.
struct Level {
  const char* name;
  int64_t holds, bytes_a_thread;
};

std::vector<Level> levels_of(const Target& t, int threads) {
  return {{"L1", t.l1_bytes * threads, t.l1_bytes / 2},
          {"L2", t.l2_bytes * threads, t.l2_bytes / 2},
          {"L3", t.l3_bytes, t.l3_bytes / 2 / threads},
          {"memory", INT64_MAX, std::max(kMemoryBytes, 4 * t.l3_bytes) / threads}};
}

std::vector<LevelPeak> measure_levels(const Target& target, int threads) {
  const std::vector<MemoryLoop> loops = memory_loops(target);
  std::vector<LevelPeak> levels;
  for (const Level& l : levels_of(target, threads)) {
    levels.push_back(measure_level(loops, threads, l.bytes_a_thread));
    levels.back().name = l.name;
    levels.back().bytes = l.holds;
  }
  // A level is no slower than the one behind it: that one's walk passes through it.
  for (size_t i = levels.size() - 1; i-- > 0;) {
    for (double LevelPeak::*rate : {&LevelPeak::read, &LevelPeak::write, &LevelPeak::copy})
      levels[i].*rate = std::max(levels[i].*rate, levels[i + 1].*rate);
  }
  return levels;
}

std::vector<ArithmeticPeak> measure_arithmetic(const Target& target, int threads) {
  std::vector<std::pair<void (*)(int64_t), double>> measured;  // loops serve several dtypes
  std::vector<ArithmeticPeak> peaks;
  for (const ArithmeticLoop& loop : arithmetic_loops(target)) {
    auto known = std::ranges::find(measured, loop.run, [](const auto& m) { return m.first; });
    if (known == measured.end()) {
      const auto body = [&](int, int64_t turns) { loop.run(turns); };
      measured.emplace_back(loop.run, turns_per_second(threads, body));
      known = measured.end() - 1;
    }
    ArithmeticPeak peak{loop.dtype, loop.instructions, known->second * loop.operations_per_turn};
    const auto same = std::ranges::find(peaks, loop.dtype, &ArithmeticPeak::dtype);
    if (same == peaks.end()) {
      peaks.push_back(std::move(peak));
    } else if (peak.operations_per_second > same->operations_per_second) {
      *same = std::move(peak);
    }
  }
  return peaks;
}

}  // namespace

const ArithmeticPeak& Peaks::of(DType dtype) const {
  const auto own = std::ranges::find(arithmetic, dtype, &ArithmeticPeak::dtype);
  if (own != arithmetic.end()) return *own;
  return *std::ranges::find(arithmetic, DType::Float32, &ArithmeticPeak::dtype);
}

const LevelPeak& Peaks::holding(int64_t bytes) const {
  return *std::ranges::find_if(levels, [&](const LevelPeak& l) { return bytes <= l.bytes; });
}

Peaks measure_peaks(const Target& target, int threads) {
  return {.threads = threads,
          .arithmetic = measure_arithmetic(target, threads),
          .levels = measure_levels(target, threads)};
}

Peaks better(Peaks a, const Peaks& b) {
  for (size_t i = 0; i < a.arithmetic.size(); ++i) {
    if (b.arithmetic[i].operations_per_second > a.arithmetic[i].operations_per_second)
      a.arithmetic[i] = b.arithmetic[i];
  }
  for (size_t i = 0; i < a.levels.size(); ++i) {
    for (double LevelPeak::*rate : {&LevelPeak::read, &LevelPeak::write, &LevelPeak::copy})
      a.levels[i].*rate = std::max(a.levels[i].*rate, b.levels[i].*rate);
  }
  return a;
}

PeakProbe PeakProbe::arithmetic(const Target& target, const Peaks& peaks, DType dtype) {
  const ArithmeticPeak peak = peaks.of(dtype);
  const std::vector<ArithmeticLoop> loops = arithmetic_loops(target);
  const ArithmeticLoop loop = *std::ranges::find_if(loops, [&](const ArithmeticLoop& l) {
    return l.dtype == peak.dtype && l.instructions == peak.instructions;
  });
  const auto body = [loop](int, int64_t turns) { loop.run(turns); };
  return PeakProbe([=, threads = peaks.threads, turns = turns_of_a_run(body)] {
    return present_turns_per_second(threads, turns, body) * loop.operations_per_turn /
           peak.operations_per_second;
  });
}

PeakProbe PeakProbe::copying(const Target& target, const Peaks& peaks, int64_t bytes) {
  const LevelPeak level = peaks.holding(bytes);
  const int threads = peaks.threads;
  const std::vector<Level> levels = levels_of(target, threads);
  const Level& walked = *std::ranges::find(levels, level.name, &Level::name);
  const auto walks = std::make_shared<Walks>(threads, walked.bytes_a_thread);
  // The loop that sets the peak; the other one is slower in every state of the machine.
  MemoryLoop fastest{};
  double best = 0;
  for (const MemoryLoop& loop : memory_loops(target)) {
    if (loop.kind != MemoryLoop::Kind::Copy) continue;
    const double turns =
        turns_per_second(threads, [&](int thread, int64_t n) { walks->run(loop, thread, n); });
    if (turns > best) std::tie(best, fastest) = std::pair(turns, loop);
  }
  const auto body = [walks, fastest](int thread, int64_t n) { walks->run(fastest, thread, n); };
  const auto bytes_of_turn = static_cast<double>(walks->bytes_of_turn(fastest));
  return PeakProbe([=, turns = turns_of_a_run(body)] {
    return present_turns_per_second(threads, turns, body) * bytes_of_turn / level.copy;
  });
}

double seconds_of_traffic(const LevelPeak& level, double read, double written) {
  const double both = std::min(read, written);
  return 2 * both / level.copy + (read - both) / level.read + (written - both) / level.write;
}

std::string table(const Peaks& peaks) {
  std::string text = fmt::format("threads: {}\n", peaks.threads);
  for (const ArithmeticPeak& p : peaks.arithmetic) {
    text += fmt::format("  {:<12} {:>8.1f} Gop/s   {}\n", dtype_name(p.dtype),
                        p.operations_per_second * 1e-9, p.instructions);
  }
  for (const LevelPeak& l : peaks.levels) {
    text += fmt::format("  {:<12} {:>8.1f} GB/s read, {:.1f} written, {:.1f} copied\n", l.name,
                        l.read * 1e-9, l.write * 1e-9, l.copy * 1e-9);
  }
  return text;
}

}  // namespace tg::cli
