// Expressions whose speed people compare, and the clock around them. Shared by `tg bench` and
// bench/kernels, which differ in sizes and in how they print. What one launch costs by the kernel
// graphs is counted by the engine (src/engine/counters.h).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tg/tensor.h"

namespace tg::cli {

/// An expression over inputs that are computed once, before the clock starts.
struct Workload {
  std::string name;
  /// Makes the inputs and returns the function that writes the expression over them again.
  std::function<std::function<Tensor()>()> prepare;
};

Workload matmul_workload(std::string name, int64_t n);  ///< [n, n] @ [n, n]
/// relu(2x + 1) · sigmoid(x) + exp(−x²) over [elements].
Workload chain_workload(std::string name, int64_t elements);
Workload sum_workload(std::string name, int64_t elements);  ///< of all of [elements]
/// Sum along `axis` of [rows, columns].
Workload sum_axis_workload(std::string name, int64_t rows, int64_t columns, int64_t axis);
Workload softmax_workload(std::string name, int64_t rows, int64_t columns);  ///< along each row
/// Along each row, with weight and bias.
Workload layer_norm_workload(std::string name, int64_t rows, int64_t columns);
Workload transpose_workload(std::string name, int64_t rows, int64_t columns);  ///< a copy
/// 3×3 convolution with padding 1: [batch, channels, size, size] with [channels, channels, 3, 3].
Workload conv_workload(std::string name, int64_t batch, int64_t channels, int64_t size);

/// What was measured: seconds of one evaluation, work by the kernel graphs.
struct Measurement {
  std::string name;
  std::string device;  ///< a dry-run device gives rates that mean nothing
  int threads = 1;
  int repetitions = 0;
  double median_seconds = 0;
  double min_seconds = 0;
  double spread = 0;    ///< distance of the quartiles, as a share of the median
  int64_t kernels = 0;  ///< of one evaluation
  int64_t flops = 0;
  int64_t bytes = 0;  ///< compulsory memory traffic

  double gflops() const { return static_cast<double>(flops) / median_seconds * 1e-9; }
  double gbytes() const { return static_cast<double>(bytes) / median_seconds * 1e-9; }
};

/// Evaluates the workload once to compile it, then `repetitions` times (0: for about half a second,
/// 5 to 200 times) on the default device. Throws CancelledError between evaluations after Ctrl-C,
/// and what the engine throws.
Measurement measure(const Workload& workload, int repetitions = 0);

/// One JSON object without line end: name, device, threads, repetitions, seconds, GFLOP/s, GB/s,
/// kernels.
std::string json_line(const Measurement& m);
/// The measurements as a table with a head.
std::string table(const std::vector<Measurement>& measurements);

}  // namespace tg::cli
