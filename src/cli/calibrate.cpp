// Three figures: arithmetic from a matrix product on one thread, main memory from a sum that fits
// no cache, the cost of a launch from kernels that do next to nothing.
#include "cli/calibrate.h"

#include <algorithm>
#include <chrono>
#include <vector>

#include "cli/workloads.h"
#include "support/interrupt.h"
#include "support/options.h"

namespace tg::cli {
namespace {

constexpr int64_t kMatrix = 1024;
constexpr int64_t kSum = int64_t{64} << 20;  // 256 MiB
constexpr int kFew = 8, kMany = 72, kRepetitions = 30;
constexpr double kClockStep = 1e-9;

double arithmetic() {
  Options one = options();
  one.threads = 1;
  const OptionsScope scope(one);
  const Measurement m = measure(matmul_workload("matmul", kMatrix));
  return static_cast<double>(m.flops) / m.min_seconds;
}

double traffic() {
  const Measurement m = measure(sum_workload("sum", kSum));
  return static_cast<double>(m.bytes) / m.min_seconds;
}

double seconds_of_kernels(const Tensor& x, int kernels) {
  using Clock = std::chrono::steady_clock;
  double best = 1;
  for (int i = 0; i < kRepetitions; ++i) {
    check_interrupt("bench");
    std::vector<Tensor> roots;
    for (int k = 0; k < kernels; ++k) roots.push_back(x[Slice(0, k + 1)] + 1);
    const Clock::time_point begin = Clock::now();
    Tensor::realize(roots);
    best = std::min(best, std::chrono::duration<double>(Clock::now() - begin).count());
  }
  return best;
}

// What one kernel more costs a graph that was scheduled before. Sizes differ, so that none is
// merged with another.
double launch() {
  const Tensor x = Tensor::ones({kMany}).contiguous().realize();
  const double few = seconds_of_kernels(x, kFew), many = seconds_of_kernels(x, kMany);
  return std::max((many - few) / (kMany - kFew), kClockStep);
}

}  // namespace

Calibration calibrate() {
  return {
      .flops_per_second = arithmetic(), .bytes_per_second = traffic(), .launch_seconds = launch()};
}

}  // namespace tg::cli
