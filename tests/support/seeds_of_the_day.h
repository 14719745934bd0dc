// Where the seeds of random tests begin: other ones every day, and the same again on demand. What
// is drawn from them is the business of the tests; tg-conformance has a --seed of its own.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <iostream>

namespace tg::test {

/// The first of this run's million seeds. GTEST_RANDOM_SEED=n chooses the run; without it the run
/// is the day, counted since 1970. Prints what repeats it.
inline uint64_t first_seed() {
  constexpr uint64_t kSeedsARun = 1'000'000;
  const auto chosen = static_cast<uint64_t>(GTEST_FLAG_GET(random_seed));
  if (chosen != 0) return kSeedsARun * chosen;
  // Once a process, so that all its tests draw from one day.
  static const uint64_t today = [] {
    const auto day = std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now());
    const auto days = static_cast<uint64_t>(day.time_since_epoch().count());
    std::cout << "  seeds of today: the same as GTEST_RANDOM_SEED=" << days << "\n";
    return days;
  }();
  return kSeedsARun * today;
}

}  // namespace tg::test
