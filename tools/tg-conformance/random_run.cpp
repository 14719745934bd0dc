// See random_run.h.
#include "random_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>

#include "runtime/device.h"
#include "shrink.h"
#include "suite.h"
#include "support/check.h"
#include "support/interrupt.h"
#include "support/progress.h"
#include "support/text.h"

namespace tg::conformance {
namespace {

constexpr size_t kBlock = 16;      // programs that are computed in one call
constexpr int kShrinkTries = 400;  // to make a failing program shorter
constexpr int64_t kReports = 5;    // failures that are made short; the others are only named

// The options under which a program runs, and how a person asks for them.
struct Way {
  std::string name;
  Options options;
};

bool has_device(const std::string& name) {
  try {
    device(name);
    return true;
  } catch (const DeviceError&) {
    return false;
  }
}

std::vector<Way> ways_of(const RandomSettings& s) {
  Options plain = options();
  plain.device = s.device;
  plain.cache_dir.clear();  // nobody will ask for these kernels again
  std::vector<Way> ways;
  const auto add = [&](const std::string& what, const std::string& name, const Options& o) {
    if (s.against.empty() || s.against == what) ways.push_back({name, o});
  };
  add("evaluator", "", plain);
  Options noopt = plain;
  noopt.noopt = true;
  add("noopt", "NOOPT=1", noopt);
  if (device(s.device).target().threads > 0) {
    for (const int threads : {1, 2, 3, 4}) {
      Options o = plain;
      o.threads = threads;
      add("threads", fmt::format("THREADS={}", threads), o);
    }
  }
  Options clang = plain;
  clang.device = s.device + ":CLANG";
  if (has_device(clang.device)) add("clang", "DEV=" + clang.device, clang);
  if (ways.empty())
    user_error<ArgumentError>(
        "tg-conformance", fmt::format("{} has nothing to be run against {}", s.device, s.against));
  // Half of the blocks run as programs do.
  const size_t others = ways.size() - 1;
  for (size_t i = 1; s.against.empty() && i < others; ++i) ways.insert(ways.begin(), ways[0]);
  return ways;
}

class RandomRun {
 public:
  explicit RandomRun(const RandomSettings& s)
      : settings_(s),
        floats_(floats_of(s.device)),
        ways_(ways_of(s)),
        bar_("programs", s.programs) {}

  int run() {
    const auto begin = std::chrono::steady_clock::now();
    for (int64_t done = 0; done < settings_.programs;) {
      check_interrupt("tg-conformance");
      const uint64_t first = settings_.seed + static_cast<uint64_t>(done);
      const auto rest = static_cast<int64_t>(kBlock - first % kBlock);
      const int64_t count = std::min(rest, settings_.programs - done);
      run_block(first, count);
      done += count;
    }
    bar_.finish();
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    summary(seconds);
    return failed_ == 0 ? 0 : 1;
  }

 private:
  void run_block(uint64_t first, int64_t count) {
    // By number, so that a program alone runs as it did among others.
    const Way& way = ways_[first / kBlock % ways_.size()];
    const OptionsScope scope(way.options);
    std::vector<Program> programs;
    std::vector<uint64_t> seeds;
    for (int64_t i = 0; i < count; ++i) {
      const uint64_t seed = first + static_cast<uint64_t>(i);
      DrawnProgram d = random_program(seed, floats_);
      for (const auto& [reason, n] : d.redrawn) redrawn_[reason] += n;
      if (!d.fault.empty()) {
        ++failed_;
        fmt::print("FAILED program {}: arguments that are not legal: {}\n", seed, d.fault);
        continue;
      }
      if (settings_.print_all)
        fmt::print("program {}\n\n{}\n{}\n", seed, as_cpp(d.program), as_python(d.program));
      gradients_ += d.program.loss >= 0, second_ += d.program.second_order;
      captured_ += d.program.captured;
      programs.push_back(std::move(d.program)), seeds.push_back(seed);
    }
    const std::vector<Outcome> outcomes = run_programs(programs, way.options);
    for (size_t i = 0; i < outcomes.size(); ++i) {
      judged_ += outcomes[i].judged, unknown_ += outcomes[i].unknown;
      if (!outcomes[i].passed()) fail(programs[i], outcomes[i], seeds[i], way);
    }
    bar_.advance(count, fmt::format("{} failed", failed_));
  }

  void fail(const Program& p, const Outcome& outcome, uint64_t seed, const Way& way) {
    ++failed_;
    const std::string name =
        fmt::format("program {}{}{}", seed, way.name.empty() ? "" : " with ", way.name);
    fmt::print("FAILED {}: {}\n", name, outcome.text);
    if (failed_ <= kReports) report(p, outcome, way.options);
    std::fflush(stdout);
  }

  void summary(double seconds) const {
    for (const auto& [reason, count] : redrawn_)
      fmt::print("steps drawn again {:>5}  {}\n", count, reason);
    const auto all = static_cast<double>(std::max<int64_t>(judged_ + unknown_, 1));
    fmt::print(
        "{}: {} programs ({} with gradients, {} of these of second order, {} captured), {} failed "
        "in {}, {:.0f} a minute\n",
        settings_.device, settings_.programs, gradients_, second_, captured_, failed_,
        human_time(seconds), 60 * static_cast<double>(settings_.programs) / seconds);
    fmt::print(
        "{} elements judged, {:.2f} % not, for rounding may make anything of them; seed {}\n",
        judged_, 100 * static_cast<double>(unknown_) / all, settings_.seed);
  }

  const RandomSettings settings_;
  const std::vector<DType> floats_;
  const std::vector<Way> ways_;
  ProgressBar bar_;
  std::map<std::string, int64_t> redrawn_;
  int64_t failed_ = 0, judged_ = 0, unknown_ = 0, gradients_ = 0, second_ = 0, captured_ = 0;
};

}  // namespace

std::vector<DType> floats_of(const std::string& name) {
  std::vector<DType> out = {DType::Float32, DType::Float16, DType::BFloat16};
  if (lacks(device(name).target(), DType::Float64).empty()) out.push_back(DType::Float64);
  return out;
}

void report(const Program& p, const Outcome& failure, const Options& on) {
  const OptionsScope scope(on);
  const auto run = [&](const Program& candidate) { return run_program(candidate, on); };
  const Program shorter = shrunk(p, failure, run, kShrinkTries);
  const Outcome now = run(shorter);
  fmt::print("made short: {}\n\n{}\n{}\n", now.text, as_cpp(shorter), as_python(shorter));
  std::fflush(stdout);
}

int run_random(const RandomSettings& s) { return RandomRun(s).run(); }

}  // namespace tg::conformance
