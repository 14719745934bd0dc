// What the cliff suite prints: a line a row, and what stands out.
#pragma once

#include <string>
#include <vector>

#include "measure.h"

namespace tg::cliffs {

struct Result {
  Measured measured;
  Roofline roof;
  double ratio = 0;  ///< time on the roofline / measured time; 0 if the row failed
};

/// Ratios by the median time, or by the best.
std::vector<Result> results(const std::vector<Measured>& measured, const cli::Peaks& peaks,
                            bool best);

/// Ratio from which on a row is no cliff.
double goal(const Result& r);

/// A line a row with a head; the time of the first evaluation if asked for.
std::string table(const std::vector<Result>& rows, bool first);
/// Number of rows, of those below their goal, geometric mean, the five worst: of all rows that
/// arithmetic bounds, of all that memory bounds, and of each group.
std::string summary(const std::vector<Result>& rows);
/// The same for a page of the documentation.
std::string markdown(const std::vector<Result>& rows);
/// One JSON object: the machine's peaks and an object a row.
std::string json(const std::vector<Result>& rows, const cli::Peaks& peaks);

}  // namespace tg::cliffs
