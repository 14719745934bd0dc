// The bar is redrawn in place on a terminal; the rate leaves out the first step, which compiles.
#include "progress.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace examples {

Progress::Progress(int64_t total) : total_(total), terminal_(isatty(STDERR_FILENO) != 0) {}

Progress::~Progress() {
  if (open_) std::fputc('\n', stderr);
}

double Progress::seconds() const {
  return std::chrono::duration<double>(Clock::now() - start_).count();
}

double Progress::rate(int64_t done) const {
  const double since = std::chrono::duration<double>(Clock::now() - first_end_).count();
  return done > 1 && since > 0 ? static_cast<double>(done - 1) / since : 0;
}

void Progress::show(int64_t done, const std::string& note) {
  constexpr int kWidth = 28;
  if (done <= 1) first_end_ = Clock::now();
  const int64_t tenth = std::max<int64_t>(1, total_ / 10);
  if (!terminal_ && done % tenth != 0 && done != 1 && done != total_) return;

  std::string bar(static_cast<size_t>(kWidth * done / std::max<int64_t>(1, total_)), '#');
  bar.resize(kWidth, '.');
  std::fprintf(stderr, "%s[%s] %lld/%lld  %.2f steps/s  %s%s", terminal_ ? "\r" : "", bar.c_str(),
               static_cast<long long>(done), static_cast<long long>(total_), rate(done),
               note.c_str(), terminal_ ? "\x1b[K" : "\n");
  std::fflush(stderr);
  open_ = terminal_;
}

void Progress::clear() {
  if (!open_) return;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
  open_ = false;
}

}  // namespace examples
