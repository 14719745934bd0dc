// The sink of log lines. One lock keeps the lines of a call together and serialises replacement.
#include "support/log.h"

#include <algorithm>
#include <mutex>

#include "support/os/os.h"

namespace tg {
namespace {

struct LogState {
  std::mutex mutex;
  LogSink sink;
};

// Never destroyed, because destructors of other objects may log at exit.
LogState& state() {
  static LogState* const instance = new LogState;
  return *instance;
}

}  // namespace

void write_standard_error(std::string_view text) { os::write_error(text); }

LogSink set_log_sink(LogSink sink) {
  const std::lock_guard lock(state().mutex);
  return std::exchange(state().sink, std::move(sink));
}

void log_text(std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  const std::lock_guard lock(state().mutex);
  if (!state().sink) return write_standard_error(std::string(text) + "\n");
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    state().sink(text.substr(begin, end - begin));
    begin = end + 1;
  }
}

bool log_has_color() {
  const ColorMode mode = options().color;
  if (mode != ColorMode::Auto) return mode == ColorMode::Always;
  const std::lock_guard lock(state().mutex);
  return !state().sink && os::error_is_terminal();
}

std::string colored(std::string_view text, Color color) {
  if (!log_has_color()) return std::string(text);
  return fmt::format("\x1b[{}m{}\x1b[0m", static_cast<int>(color), text);
}

}  // namespace tg
