// How errors are raised: user_error builds `function: rule broken: the values. Hint.` and
// internal_check states invariants. Messages are formatted only on failure. The error classes
// themselves are in include/tg/error.h.
#pragma once

#include <fmt/format.h>

#include <source_location>
#include <string>
#include <string_view>
#include <utility>

#include "tg/error.h"

namespace tg {

/// Throws `E` with the house grammar: `fn: problem. hint`. `hint` may be empty.
/// Example: `user_error<ShapeError>("reshape", fmt::format("sizes differ: {} vs {}", a, b), "Hint:
/// use -1.")`.
template <typename E>
[[noreturn]] void user_error(std::string_view fn, std::string_view problem,
                             std::string_view hint = {}) {
  throw E(hint.empty() ? fmt::format("{}: {}.", fn, problem)
                       : fmt::format("{}: {}. {}", fn, problem, hint));
}

namespace detail {
[[noreturn]] void internal_failure(std::string_view condition, std::string message,
                                   std::source_location where);
}  // namespace detail

/// Checks an invariant of the library; a failure throws InternalError naming file, line and the
/// formatted message. A macro because the message's arguments must not be evaluated when the
/// condition holds.
#define TG_CHECK(condition, ...)                                             \
  do {                                                                       \
    if (!(condition)) [[unlikely]]                                           \
      ::tg::detail::internal_failure(#condition, ::fmt::format(__VA_ARGS__), \
                                     std::source_location::current());       \
  } while (false)

}  // namespace tg
