// What a processor gives at most, measured: arithmetic by element type, traffic by level of memory.
// Printed by `tg bench --calibrate`, and the roof that bench/cliffs sets generated kernels
// against. The loops that are timed: instruction_loops.h. What the cost model knows of a machine
// is measured with the device's own kernels instead: calibrate.h.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "target/target.h"

namespace tg::cli {

/// The fastest legal instructions for multiply-adds of one element type.
struct ArithmeticPeak {
  DType dtype;
  std::string instructions;
  double operations_per_second = 0;  ///< multiplications and additions, counted each
};

/// Bytes a second that all threads together move, and what holds that many bytes.
struct LevelPeak {
  std::string name;   ///< "L1", "L2", "L3", "memory"
  int64_t bytes = 0;  ///< of all threads' caches of this level together
  double read = 0;
  double write = 0;
  double copy = 0;  ///< bytes read and bytes written, together
};

struct Peaks {
  int threads = 1;
  std::vector<ArithmeticPeak> arithmetic;
  std::vector<LevelPeak> levels;  ///< from the nearest; the last holds everything

  /// That of the dtype, or of float32 if there is none.
  const ArithmeticPeak& of(DType dtype) const;
  /// The nearest level that holds this much.
  const LevelPeak& holding(int64_t bytes) const;
};

/// Measures the host for programs compiled for `target`; the best of several runs of each loop, a
/// second or two. Throws CancelledError after Ctrl-C.
Peaks measure_peaks(const Target& target, int threads);
/// The better of both, figure by figure: what else ran on the machine meanwhile counts less.
Peaks better(Peaks a, const Peaks& b);

/// What a machine gives right now of one peak, in a few milliseconds: less than the peak while
/// others use it as well. Threads and memory are those of the peak's own measurement.
class PeakProbe {
 public:
  /// Of multiply-adds; of float32's if the dtype has no loop.
  static PeakProbe arithmetic(const Target& target, const Peaks& peaks, DType dtype);
  /// Of copying in the level that holds this much.
  static PeakProbe copying(const Target& target, const Peaks& peaks, int64_t bytes);

  /// The present rate as a share of the peak: about 1 on a machine that does nothing else, and
  /// above 1 if it was busy when the peaks were measured. Throws CancelledError after Ctrl-C.
  double share() const { return share_(); }

 private:
  explicit PeakProbe(std::function<double()> share) : share_(std::move(share)) {}
  std::function<double()> share_;
};

/// Least seconds to move so many bytes in and out of a level: what is read and written alike goes
/// by the rate of copying, the rest by that of reading or writing.
double seconds_of_traffic(const LevelPeak& level, double read, double written);

/// A line a figure, for people.
std::string table(const Peaks& peaks);

}  // namespace tg::cli
