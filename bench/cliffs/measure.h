// How long a row takes, and how long it would take on the roofline. Summaries: report.h.
#pragma once

#include <string>

#include "cli/peaks.h"
#include "row.h"

namespace tg::cliffs {

struct MeasureOptions {
  int repetitions = 0;    ///< 0: for about a fifth of a second, 3 to 50
  bool captured = false;  ///< replays of a captured call instead of whole evaluations
  bool beside = false;    ///< probe the peak that bounds the row between its evaluations
};

/// What was measured of a row.
struct Measured {
  Row row;
  int repetitions = 0;
  double median = 0;  ///< seconds
  double best = 0;
  double spread = 0;  ///< distance of the quartiles, as a share of the median
  /// What the machine gave of the peak that bounds the row meanwhile, as a share of it.
  double machine = 1;
  double first = 0;  ///< seconds of the first evaluation: graph, schedule, compiler, kernels
  int64_t kernels = 0;
  double read = 0;     ///< distinct bytes
  double written = 0;  ///< bytes of the result
  std::string error;   ///< what the library said instead of computing it

  double bytes() const { return read + written; }
};

/// Evaluates the row on the default device. What the library throws becomes `error`, except for
/// CancelledError. `peaks` are for the probes of `beside`.
Measured measure(const Row& row, const MeasureOptions& options, const cli::Peaks& peaks);

/// The least time that a row can take.
struct Roofline {
  double seconds = 0;
  bool arithmetic = false;  ///< else memory bounds it
  std::string by;           ///< the instructions, or the level of memory
};
Roofline roofline(const Measured& m, const cli::Peaks& peaks);

}  // namespace tg::cliffs
