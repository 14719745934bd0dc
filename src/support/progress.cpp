// Drawing of the progress bar.
#include "support/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "support/log.h"
#include "support/os/os.h"
#include "support/text.h"

namespace tg {
namespace {

constexpr double kTerminalInterval = 0.1;  // seconds
constexpr double kPlainInterval = 10.0;
constexpr int kBarColumns = 24;

// `text` cut to at most `columns` code points.
std::string_view fit(std::string_view text, size_t columns) {
  while (text_columns(text) > columns) {
    do {
      const auto last = static_cast<unsigned char>(text.back());
      text.remove_suffix(1);
      if ((last & 0xC0) != 0x80) break;
    } while (!text.empty());
  }
  return text;
}

}  // namespace

ProgressOutput ProgressOutput::standard_error() {
  ProgressOutput out;
  out.terminal = os::error_is_terminal();
  const int columns = out.terminal ? os::error_columns() : 0;
  if (columns > 0) out.columns = columns;
  out.write = write_standard_error;
  out.now = [] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
  };
  return out;
}

ProgressBar::ProgressBar(std::string label, int64_t total, ProgressOutput output)
    : label_(std::move(label)), total_(std::max<int64_t>(0, total)), output_(std::move(output)) {
  start_ = output_.now();
  last_draw_ = start_;
}

ProgressBar::~ProgressBar() { finish(); }

void ProgressBar::advance(int64_t steps, std::string_view text) {
  if (finished_) return;
  const double now = output_.now();
  if (done_ == 0) {
    first_time_ = now;
    first_steps_ = steps;
  }
  done_ += steps;
  last_time_ = now;
  if (!text.empty()) text_ = text;
  const double interval = output_.terminal ? kTerminalInterval : kPlainInterval;
  if (now - last_draw_ >= interval) draw(now, false);
}

void ProgressBar::finish() {
  if (finished_) return;
  finished_ = true;
  draw(output_.now(), true);
}

double ProgressBar::rate() const {
  const double elapsed = last_time_ - first_time_;
  return elapsed > 0 ? static_cast<double>(done_ - first_steps_) / elapsed : 0;
}

std::string ProgressBar::line(double now) const {
  std::string line = label_;
  if (total_ > 0) {
    const double share = std::min(1.0, static_cast<double>(done_) / static_cast<double>(total_));
    if (output_.terminal) {
      const int filled = static_cast<int>(share * kBarColumns);
      line += fmt::format(" [{}{}]", std::string(static_cast<size_t>(filled), '#'),
                          std::string(static_cast<size_t>(kBarColumns - filled), '.'));
    }
    line += fmt::format(" {}/{} ({:.0f} %)", done_, total_, share * 100);
  } else {
    line += fmt::format(" {}", done_);
  }
  const double speed = rate();
  if (speed > 0) line += fmt::format(", {:.3g} steps/s", speed);
  line += ", " + human_time(now - start_);
  if (speed > 0 && done_ < total_) {
    line += fmt::format(", {} left", human_time(static_cast<double>(total_ - done_) / speed));
  }
  if (!text_.empty()) line += ", " + text_;
  return line;
}

void ProgressBar::draw(double now, bool last) {
  last_draw_ = now;
  const std::string text = line(now);
  if (!output_.terminal) return output_.write(text + "\n");
  // Return to the line's start, draw, erase what an older, longer line left.
  const auto columns = static_cast<size_t>(std::max(1, output_.columns - 1));
  output_.write(fmt::format("\r{}\x1b[K{}", fit(text, columns), last ? "\n" : ""));
}

}  // namespace tg
