// A progress bar for long work: share done, steps a second, time left, and a free text such as the
// loss. On a terminal it redraws one line; elsewhere (a log file, CI) it prints a plain line about
// every ten seconds and one at the end.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace tg {

/// Where a bar is drawn. The default is standard error and the system's clock; tests give their
/// own.
struct ProgressOutput {
  std::function<void(std::string_view text)> write;
  bool terminal = false;
  int columns = 80;
  std::function<double()> now;  ///< seconds, never decreasing

  /// Standard error, with the width of its terminal.
  static ProgressOutput standard_error();
};

/// One bar; use from one thread. The destructor ends the line.
class ProgressBar {
 public:
  /// `total` steps; 0 when unknown, then only count and rate are shown.
  ProgressBar(std::string label, int64_t total,
              ProgressOutput output = ProgressOutput::standard_error());
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// Records that `steps` more are done and shows `text` behind the figures. Cheap: draws at most
  /// ten times a second.
  void advance(int64_t steps = 1, std::string_view text = {});
  /// Draws the final state and ends the line; later calls do nothing.
  void finish();

  /// Steps a second since the first advance, 0 before the second one: the first step may have
  /// compiled kernels.
  double rate() const;

 private:
  void draw(double now, bool last);
  std::string line(double now) const;

  std::string label_;
  int64_t total_;
  ProgressOutput output_;
  int64_t done_ = 0;
  int64_t first_steps_ = 0;
  double start_;
  double first_time_ = 0;
  double last_time_ = 0;
  double last_draw_;
  std::string text_;
  bool finished_ = false;
};

}  // namespace tg
