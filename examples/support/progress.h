// A line on standard error that shows how far a loop is: a bar, steps a second, a note. Where
// standard error is no terminal, a plain line every tenth of the way.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace examples {

/// Counts the steps of one loop; the rate leaves out the first step, which also compiles.
class Progress {
 public:
  explicit Progress(int64_t total);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// `done` steps of the total are behind us.
  void show(int64_t done, const std::string& note);
  /// Takes the bar off a terminal, for a line of text; the next show() draws it again.
  void clear();
  double seconds() const;           ///< since construction
  double rate(int64_t done) const;  ///< steps a second, without the first; 0 before the second

 private:
  using Clock = std::chrono::steady_clock;
  int64_t total_;
  bool terminal_;
  bool open_ = false;  ///< the line is not ended yet
  Clock::time_point start_ = Clock::now();
  Clock::time_point first_end_ = start_;  ///< when the first step was done
};

}  // namespace examples
