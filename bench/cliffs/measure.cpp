// See measure.h.
#include "measure.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <optional>
#include <vector>

#include "engine/counters.h"
#include "runtime/device.h"
#include "support/interrupt.h"
#include "tg/error.h"
#include "tg/jit.h"

namespace tg::cliffs {
namespace {

constexpr double kSeconds = 0.2;
constexpr double kSlow = 1.0;  // seconds of one evaluation, from which on one is enough
constexpr double kBetweenProbes = 0.02;

double seconds_of(const std::function<Tensor()>& evaluate) {
  using Clock = std::chrono::steady_clock;
  check_interrupt("cliffs");
  const Clock::time_point begin = Clock::now();
  const Tensor result = evaluate();
  device(default_device()).synchronize();
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

int repetitions_for(double seconds) {
  if (seconds > kSlow) return 1;
  return std::clamp(static_cast<int>(kSeconds / std::max(seconds, 1e-6)), 3, 50);
}

double median(std::vector<double>& values) {
  std::ranges::sort(values);
  const size_t n = values.size();
  return (values[(n - 1) / 2] + values[n / 2]) / 2;
}

// How fast the machine is while a row is measured; not asked for, nothing.
class Beside {
 public:
  Beside(const Measured& m, const MeasureOptions& options, const cli::Peaks& peaks) {
    if (!options.beside) return;
    const Target& target = device(default_device()).target();
    probe_ = roofline(m, peaks).arithmetic
                 ? cli::PeakProbe::arithmetic(target, peaks, m.row.arithmetic)
                 : cli::PeakProbe::copying(target, peaks, static_cast<int64_t>(m.bytes()));
  }

  // Probes if evaluations have taken long enough since the last time; an evaluation afterwards
  // brings back what the probe took out of the caches.
  void look(double seconds_of_last, const std::function<Tensor()>& evaluate) {
    since_ += seconds_of_last;
    if (!probe_ || (!shares_.empty() && since_ < kBetweenProbes)) return;
    shares_.push_back(probe_->share());
    seconds_of(evaluate);
    since_ = 0;
  }

  double share() { return shares_.empty() ? 1 : median(shares_); }

 private:
  std::optional<cli::PeakProbe> probe_;
  std::vector<double> shares_;
  double since_ = 0;
};

void time(Measured& m, const MeasureOptions& options, const cli::Peaks& peaks,
          const std::function<Tensor()>& evaluate) {
  m.first = seconds_of(evaluate);
  const int64_t before = counters().kernels;
  double warm = seconds_of(evaluate);
  m.kernels = counters().kernels - before;
  if (options.captured) warm = seconds_of(evaluate);
  m.repetitions = options.repetitions > 0 ? options.repetitions : repetitions_for(warm);
  Beside beside(m, options, peaks);
  std::vector<double> seconds;
  for (int i = 0; i < m.repetitions; ++i) {
    beside.look(seconds.empty() ? 0 : seconds.back(), evaluate);
    seconds.push_back(seconds_of(evaluate));
  }
  m.machine = beside.share();
  m.median = median(seconds);
  m.best = seconds.front();
  const size_t n = seconds.size();
  m.spread = (seconds[3 * (n - 1) / 4] - seconds[(n - 1) / 4]) / m.median;
}

void time_row(Measured& m, const MeasureOptions& options, const cli::Peaks& peaks) {
  Inputs inputs = m.row.inputs();
  {
    const Tensor result = m.row.write(inputs);  // makes the inputs
    m.read = static_cast<double>(inputs.bytes()) * m.row.read;
    m.written = static_cast<double>(result.nbytes());
  }
  if (!options.captured) {
    return time(m, options, peaks, [&] {
      inputs.rewind();
      return m.row.write(inputs).realize();
    });
  }
  const auto body = [&](const std::vector<Tensor>& bound) {
    Inputs again = m.row.inputs();
    again.rewind(bound);
    return m.row.write(again);
  };
  TinyJit captured(body, {.alias_outputs = true});
  time(m, options, peaks, [&] { return captured(inputs.made()); });
}

}  // namespace

Measured measure(const Row& row, const MeasureOptions& options, const cli::Peaks& peaks) {
  Measured m{.row = row};
  try {
    time_row(m, options, peaks);
  } catch (const CancelledError&) {
    throw;
  } catch (const Error& error) {
    m.error = error.what();
  }
  return m;
}

Roofline roofline(const Measured& m, const cli::Peaks& peaks) {
  const cli::ArithmeticPeak& peak = peaks.of(m.row.arithmetic);
  const cli::LevelPeak& level = peaks.holding(static_cast<int64_t>(m.bytes()));
  const double arithmetic = m.row.operations / peak.operations_per_second;
  const double traffic = cli::seconds_of_traffic(level, m.read, m.written);
  if (arithmetic >= traffic) return {arithmetic, true, peak.instructions};
  return {traffic, false, level.name};
}

}  // namespace tg::cliffs
