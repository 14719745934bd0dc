// See measure.h.
#include "measure.h"

#include <algorithm>
#include <chrono>
#include <functional>
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

void time(Measured& m, const MeasureOptions& options, const std::function<Tensor()>& evaluate) {
  m.first = seconds_of(evaluate);
  const int64_t before = counters().kernels;
  double warm = seconds_of(evaluate);
  m.kernels = counters().kernels - before;
  if (options.captured) warm = seconds_of(evaluate);
  m.repetitions = options.repetitions > 0 ? options.repetitions : repetitions_for(warm);
  std::vector<double> seconds;
  for (int i = 0; i < m.repetitions; ++i) seconds.push_back(seconds_of(evaluate));
  std::ranges::sort(seconds);
  const size_t n = seconds.size();
  m.best = seconds.front();
  m.median = (seconds[(n - 1) / 2] + seconds[n / 2]) / 2;
  m.spread = (seconds[3 * (n - 1) / 4] - seconds[(n - 1) / 4]) / m.median;
}

void time_row(Measured& m, const MeasureOptions& options) {
  Inputs inputs = m.row.inputs();
  {
    const Tensor result = m.row.write(inputs);  // makes the inputs
    m.read = static_cast<double>(inputs.bytes()) * m.row.read;
    m.written = static_cast<double>(result.nbytes());
  }
  if (!options.captured) {
    return time(m, options, [&] {
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
  time(m, options, [&] { return captured(inputs.made()); });
}

}  // namespace

Measured measure(const Row& row, const MeasureOptions& options) {
  Measured m{.row = row};
  try {
    time_row(m, options);
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
