// See workloads.h. Times are of whole evaluations: graph, schedule look-up and launches, as a
// user's loop has them.
#include "cli/workloads.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "engine/counters.h"
#include "runtime/device.h"
#include "support/interrupt.h"
#include "support/options.h"

namespace tg::cli {
namespace {

constexpr double kSeconds = 0.5;
constexpr int kMinRepetitions = 5, kMaxRepetitions = 200;

// Numbers in [−1, 1), so that no exponential overflows.
Tensor input(const Shape& shape) {
  return Tensor::uniform(shape, {.low = -1.0, .high = 1.0}).realize();
}

// Evaluates once. The result dies here, so the next evaluation finds nothing computed.
double seconds_of(const std::function<Tensor()>& expression) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  const Tensor result = expression();
  result.realize();
  device(default_device()).synchronize();
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

int repetitions_for(double seconds) {
  const double wanted = kSeconds / std::max(seconds, 1e-6);
  return static_cast<int>(std::clamp(wanted, double{kMinRepetitions}, double{kMaxRepetitions}));
}

// Value at share `q` of a sorted sample, between neighbours linearly.
double quantile(const std::vector<double>& sorted, double q) {
  const double at = q * static_cast<double>(sorted.size() - 1);
  const auto low = static_cast<size_t>(at);
  const size_t high = std::min(low + 1, sorted.size() - 1);
  return sorted[low] + (at - static_cast<double>(low)) * (sorted[high] - sorted[low]);
}

std::string seconds_text(double s) {
  return s < 1e-3 ? fmt::format("{:.1f} us", s * 1e6) : fmt::format("{:.2f} ms", s * 1e3);
}

}  // namespace

Workload matmul_workload(std::string name, int64_t n) {
  return {std::move(name),
          [n] { return [a = input({n, n}), b = input({n, n})] { return a.matmul(b); }; }};
}

Workload chain_workload(std::string name, int64_t elements) {
  return {std::move(name), [elements] {
            return [x = input({elements})] {
              return (2 * x + 1).relu() * x.sigmoid() + (-(x * x)).exp();
            };
          }};
}

Workload sum_workload(std::string name, int64_t elements) {
  return {std::move(name), [elements] { return [x = input({elements})] { return x.sum(); }; }};
}

Workload sum_axis_workload(std::string name, int64_t rows, int64_t columns, int64_t axis) {
  return {std::move(name),
          [=] { return [x = input({rows, columns}), axis] { return x.sum({.axis = axis}); }; }};
}

Workload softmax_workload(std::string name, int64_t rows, int64_t columns) {
  return {std::move(name), [=] { return [x = input({rows, columns})] { return x.softmax(); }; }};
}

Workload layer_norm_workload(std::string name, int64_t rows, int64_t columns) {
  return {std::move(name), [=] {
            return
                [x = input({rows, columns}), weight = input({columns}), bias = input({columns})] {
                  return x.layer_norm({.weight = &weight, .bias = &bias});
                };
          }};
}

Workload transpose_workload(std::string name, int64_t rows, int64_t columns) {
  return {std::move(name),
          [=] { return [x = input({rows, columns})] { return x.transpose().contiguous(); }; }};
}

Workload conv_workload(std::string name, int64_t batch, int64_t channels, int64_t size) {
  return {std::move(name), [=] {
            return
                [x = input({batch, channels, size, size}), w = input({channels, channels, 3, 3})] {
                  return x.conv2d(w, {.padding = {1}});
                };
          }};
}

Measurement measure(const Workload& workload, int repetitions) {
  const std::function<Tensor()> expression = workload.prepare();
  seconds_of(expression);
  const EngineCounters before = counters();
  const double warm = seconds_of(expression);
  const EngineCounters after = counters();
  if (repetitions == 0) repetitions = repetitions_for(warm);
  std::vector<double> seconds;
  for (int i = 0; i < repetitions; ++i) {
    check_interrupt("bench");
    seconds.push_back(seconds_of(expression));
  }
  std::ranges::sort(seconds);
  const double median = quantile(seconds, 0.5);
  return {.name = workload.name,
          .device = default_device(),
          .threads = options().thread_count(),
          .repetitions = repetitions,
          .median_seconds = median,
          .min_seconds = seconds.front(),
          .spread = (quantile(seconds, 0.75) - quantile(seconds, 0.25)) / median,
          .kernels = after.kernels - before.kernels,
          .flops = after.flops - before.flops,
          .bytes = after.bytes - before.bytes};
}

std::string json_line(const Measurement& m) {
  return fmt::format(
      R"({{"name": "{}", "device": "{}", "threads": {}, "repetitions": {}, "seconds": {:.9f}, "min_seconds": {:.9f}, )"
      R"("spread": {:.4f}, "gflops": {:.3f}, "gbytes": {:.3f}, "kernels": {}}})",
      m.name, m.device, m.threads, m.repetitions, m.median_seconds, m.min_seconds, m.spread,
      m.gflops(), m.gbytes(), m.kernels);
}

std::string table(const std::vector<Measurement>& measurements) {
  std::string text = fmt::format("{:<16} {:>11} {:>8} {:>11} {:>9} {:>8} {:>8}\n", "name", "median",
                                 "spread", "best", "GFLOP/s", "GB/s", "kernels");
  for (const Measurement& m : measurements) {
    text += fmt::format("{:<16} {:>11} {:>7.1f}% {:>11} {:>9.1f} {:>8.1f} {:>8}\n", m.name,
                        seconds_text(m.median_seconds), m.spread * 100, seconds_text(m.min_seconds),
                        m.gflops(), m.gbytes(), m.kernels);
  }
  return text;
}

}  // namespace tg::cli
