// Spans of time for PROFILE=file.json: what was scheduled, lowered, compiled and run, on which
// thread and when. The file is in Chrome's trace format, for chrome://tracing, Perfetto or
// speedscope. Totals without times are in src/engine/counters.h.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/options.h"

namespace tg {

/// True when PROFILE names a file: only then are spans worth making.
inline bool profiling() { return !options().profile.empty(); }

/// One stretch of work on this thread, from construction to destruction; nothing unless
/// profiling().
class ProfileSpan {
 public:
  /// `category` groups spans ("schedule", "lower", "compile", "run") and must be a literal.
  ProfileSpan(std::string_view category, std::string_view name);
  ~ProfileSpan();
  ProfileSpan(const ProfileSpan&) = delete;
  ProfileSpan& operator=(const ProfileSpan&) = delete;

  /// A number that the viewer shows with the span; `key` must be a literal.
  void note(std::string_view key, double value);
  /// The work took `seconds` by a better clock than the host's: the span is its last `seconds`.
  void took(double seconds) { seconds_ = seconds; }
  /// What the span is about, where that is known only at its end.
  void rename(std::string_view name);

 private:
  bool on_;
  int64_t begin_ = 0;
  double seconds_ = -1;  // negative: all of it
  std::string_view category_;
  std::string name_;
  std::vector<std::pair<std::string_view, double>> notes_;
};

/// Writes the files of all spans so far; the same happens at the end of the process. A file that
/// cannot be written costs a line in the log and nothing else. Thread-safe.
void write_profiles();

}  // namespace tg
