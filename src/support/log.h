// Where lines for people go: DEBUG output and warnings reach one replaceable sink, standard error
// by default. Progress bars are in progress.h; errors are exceptions (check.h), never log lines.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "support/options.h"
#include "tg/log.h"

namespace tg {

/// Sends text to the sink, line by line. Thread-safe; the lines of one call stay together.
void log_text(std::string_view text);

/// True when DEBUG is at least `level`.
inline bool debug_at(int level) { return options().debug >= level; }

/// Writes to standard error past the sink. It may be a closed or full pipe; then the text is lost,
/// but nothing fails.
void write_standard_error(std::string_view text);

/// Formats and logs only when DEBUG is at least `level`.
template <typename... Args>
void debug_log(int level, fmt::format_string<Args...> format, Args&&... args) {
  if (debug_at(level)) log_text(fmt::format(format, std::forward<Args>(args)...));
}

enum class Color : uint8_t {
  Red = 31,
  Green = 32,
  Yellow = 33,
  Blue = 34,
  Magenta = 35,
  Cyan = 36,
  Gray = 90
};

/// True when log lines should carry colours: TG_COLOR=always, or standard error is a terminal that
/// the sink writes to.
bool log_has_color();

/// `text` in a colour, or as it is when log_has_color() is false.
std::string colored(std::string_view text, Color color);

}  // namespace tg
