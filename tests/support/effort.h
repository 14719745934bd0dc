// How much of a random test a build runs. Sanitizers look for mistakes of memory and of threads,
// which a share of the trials finds; wrong values are what the release build looks for, in all.
#pragma once

#include <algorithm>
#include <cstdint>

namespace tg::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif
#else
inline constexpr bool kSanitized = false;
#endif

/// How many of a case's `all` random trials are made: all, or a fifth under sanitizers, where each
/// takes some fifty times as long; at least one.
constexpr uint64_t trials(uint64_t all) {
  return kSanitized ? std::max<uint64_t>(all / 5, 1) : all;
}

}  // namespace tg::test
