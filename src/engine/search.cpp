// See search.h.
#include "engine/search.h"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <optional>
#include <vector>

#include "codegen/heuristics.h"
#include "codegen/lower.h"
#include "codegen/neighbours.h"
#include "codegen/schedule_time.h"
#include "engine/trial.h"
#include "kernel/saved_opts.h"
#include "runtime/disk_cache.h"
#include "support/interrupt.h"
#include "support/log.h"
#include "support/options.h"
#include "support/text.h"
#include "tg/error.h"
#include "tg/ir/text.h"
#include "tg/version.h"

namespace tg {
namespace {

// ---- on disk

// A line "before after" in nanoseconds, then the Opts.
class FoundFiles {
 public:
  std::optional<FoundSchedule> find(const Device& device, const UOp& kernel) const {
    const auto text = files_.find(key(device, kernel));
    if (!text) return std::nullopt;
    const size_t end = text->find('\n');
    if (end == std::string::npos) return std::nullopt;
    const auto seconds = split(std::string_view(*text).substr(0, end), ' ');
    auto schedule = load_opts(kernel, std::string_view(*text).substr(end + 1));
    if (seconds.size() != 2 || !schedule) return std::nullopt;
    const auto before = parse_uint64(seconds[0]), after = parse_uint64(seconds[1]);
    if (!before || !after) return std::nullopt;
    return FoundSchedule{*std::move(schedule), static_cast<double>(*before) * kUnit,
                         static_cast<double>(*after) * kUnit, 0};
  }

  void store(const Device& device, const UOp& kernel, const FoundSchedule& found) const {
    files_.store(key(device, kernel),
                 fmt::format("{:.0f} {:.0f}\n{}", found.before / kUnit, found.after / kUnit,
                             save_opts(kernel, found.schedule)));
  }

 private:
  static constexpr double kUnit = 1e-9;

  static std::string key(const Device& device, const UOp& kernel) {
    const Target& t = device.target();
    return fmt::format("{}\n{}\n{}\n{} {} {} threads\n{}", version(), device.name(),
                       device.compiler(), t.arch, t.machine, t.threads, print(kernel));
  }

  const DiskCache files_{kFoundSchedules};
};

// ---- the search

struct Candidate {
  KernelSchedule schedule;
  double modelled = 0;  // seconds
  double seconds = 0;
  Ref<Program> program;
};

class Search {
 public:
  Search(Device& device, const UOp& kernel, std::span<const UOp> vars, Trial trial)
      : device_(device),
        target_(device.target()),
        kernel_(kernel),
        vars_(vars.begin(), vars.end()),
        trial_(std::move(trial)),
        time_(kernel, target_),
        width_(static_cast<size_t>(options().beam)) {}

  FoundSchedule run() {
    std::vector<Candidate> first = compiled({{choose_schedule(kernel_, target_)}});
    Candidate base = std::move(first.front());
    trial_.set_reference(*base.program);
    base.seconds = trial_.seconds_of(*base.program, kLongest);
    FoundSchedule out{base.schedule, base.seconds, base.seconds, 1};
    if (base.seconds > target_.launch_seconds) {
      beam_ = {base};
      bool better = true;
      while (better && !out_of_time()) better = round();
      settle(base, out);
    }
    out.tried = tried_;
    return out;
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr double kLongest = 1;     // seconds: longer launches are timed once
  static constexpr double kHopeless = 2.5;  // times the modelled time of the best in the beam
  static constexpr int64_t kMostPoints = 512;
  static constexpr size_t kEachRound = 16;  // schedules that are compiled, for each of the beam
  static constexpr double kLeastGain = 0.99, kWorthKeeping = 0.97;

  bool out_of_time() const {
    return std::chrono::duration<double>(Clock::now() - begin_).count() >= options().beam_seconds;
  }

  // Whether the best is better behind it.
  bool round() {
    std::vector<Candidate> next = promising();
    const double before = beam_.front().seconds;
    constexpr size_t kBatch = 8;  // of kernels that are compiled together
    for (size_t at = 0; at < next.size() && !out_of_time(); at += kBatch) {
      const size_t end = std::min(next.size(), at + kBatch);
      std::vector<Candidate> batch(std::make_move_iterator(next.begin() + static_cast<long>(at)),
                                   std::make_move_iterator(next.begin() + static_cast<long>(end)));
      for (Candidate& c : compiled(std::move(batch))) try_out(std::move(c));
    }
    return beam_.front().seconds < before * kLeastGain;
  }

  // Unseen schedules near those of the beam, the quickest by the model first.
  std::vector<Candidate> promising() {
    std::vector<Candidate> out;
    double best = time_.seconds_of(beam_.front().schedule);
    for (const Candidate& from : beam_) {
      for (KernelSchedule& s : neighbours_of(kernel_, from.schedule, target_)) {
        if (unrolled_points(s) > kMostPoints || !is_new(s)) continue;
        const double modelled = time_.seconds_of(s);
        best = std::min(best, modelled);
        out.push_back({std::move(s), modelled});
      }
    }
    std::erase_if(out, [&](const Candidate& c) { return c.modelled > kHopeless * best; });
    std::ranges::stable_sort(out, {}, &Candidate::modelled);
    const size_t most = kEachRound * width_;
    if (out.size() > most) out.resize(most);
    return out;
  }

  bool is_new(const KernelSchedule& s) {
    const bool found = std::ranges::find(seen_, s.opts) != seen_.end();
    if (!found) seen_.push_back(s.opts);
    return !found;
  }

  // Those that lowering takes.
  std::vector<Candidate> compiled(std::vector<Candidate> candidates) {
    check_interrupt("search");
    std::vector<LinearKernel> linear;
    std::vector<Candidate> out;
    for (Candidate& c : candidates) {
      try {
        linear.push_back(lower(kernel_, c.schedule, target_, vars_));
        out.push_back(std::move(c));
      } catch (const ArgumentError&) {
        continue;  // what depends on accesses is refused only here
      }
    }
    std::vector<CompiledKernel> made = device_.compile(linear);
    for (size_t i = 0; i < out.size(); ++i) out[i].program = std::move(made[i].program);
    return out;
  }

  void try_out(Candidate c) {
    const double worst = beam_.back().seconds;
    c.seconds = trial_.seconds_of(*c.program, std::min(kLongest, worst));
    ++tried_;
    if (beam_.size() >= width_ && c.seconds >= worst) return;
    if (!trial_.agrees(*c.program)) {
      debug_log(2, "search: {} gives other results: {}", kernel_name(kernel_, c.schedule),
                opts_text(c.schedule));
      return;
    }
    beam_.push_back(std::move(c));
    std::ranges::stable_sort(beam_, {}, &Candidate::seconds);
    if (beam_.size() > width_) beam_.pop_back();
  }

  // The best against the first once more, by turns: each was the quickest of its own minute.
  void settle(const Candidate& base, FoundSchedule& out) {
    constexpr int kTurns = 3;
    Candidate& best = beam_.front();
    if (best.schedule.opts == base.schedule.opts) return;
    double before = base.seconds, after = best.seconds;
    for (int i = 0; i < kTurns; ++i) {
      const double b = trial_.seconds_of(*base.program, kLongest);
      const double a = trial_.seconds_of(*best.program, kLongest);
      before = i == 0 ? b : std::min(before, b);
      after = i == 0 ? a : std::min(after, a);
    }
    out.before = out.after = before;
    if (after >= before * kWorthKeeping) return;
    out.schedule = best.schedule;
    out.after = after;
  }

  Device& device_;
  const Target& target_;
  const UOp& kernel_;
  const std::vector<UOp> vars_;
  Trial trial_;
  const ScheduleTime time_;
  const size_t width_;
  const Clock::time_point begin_ = Clock::now();
  std::vector<Candidate> beam_;  // the quickest first
  std::vector<std::vector<Opt>> seen_;
  int64_t tried_ = 1;
};

// What a file says may be illegal by the rules of this build.
bool is_lowered(const Device& device, const UOp& kernel, std::span<const UOp> vars,
                const FoundSchedule& found) {
  try {
    lower(kernel, found.schedule, device.target(), vars);
    return true;
  } catch (const ArgumentError&) {
    return false;
  }
}

}  // namespace

FoundSchedule search_schedule(Device& device, const UOp& kernel, std::span<const UOp> vars) {
  static std::mutex one_at_a_time;
  static const FoundFiles files;
  const std::lock_guard guard(one_at_a_time);
  if (auto found = files.find(device, kernel); found && is_lowered(device, kernel, vars, *found))
    return *std::move(found);
  auto trial = options().beam_seconds > 0 ? Trial::of(device, kernel, vars) : std::nullopt;
  if (!trial) return {choose_schedule(kernel, device.target())};
  FoundSchedule out = Search(device, kernel, vars, *std::move(trial)).run();
  files.store(device, kernel, out);
  debug_log(2, "search: {} {} → {}, {} tried: {}", kernel_name(kernel, out.schedule),
            human_time(out.before), human_time(out.after), out.tried, opts_text(out.schedule));
  return out;
}

}  // namespace tg
