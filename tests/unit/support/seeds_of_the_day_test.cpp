// Random tests draw from other seeds every day, and from the seeds that are asked for: a first seed
// that stood still would make them tests of a few fixed cases.
#include "support/seeds_of_the_day.h"

#include <gtest/gtest.h>

namespace tg::test {
namespace {

int64_t day_number() {
  const auto day = std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now());
  return day.time_since_epoch().count();
}

class SeedsOfTheDay : public testing::Test {
 protected:
  void TearDown() override { GTEST_FLAG_SET(random_seed, asked_); }

 private:
  int32_t asked_ = GTEST_FLAG_GET(random_seed);
};

TEST_F(SeedsOfTheDay, AreThoseOfTheRunThatIsAskedFor) {
  GTEST_FLAG_SET(random_seed, 7);
  const uint64_t seventh = first_seed();
  EXPECT_EQ(first_seed(), seventh);
  GTEST_FLAG_SET(random_seed, 8);
  EXPECT_GE(first_seed(), seventh + 1'000'000);
}

TEST_F(SeedsOfTheDay, ChangeWithTheDayWhereNoneIsAskedFor) {
  const int64_t before = day_number();
  GTEST_FLAG_SET(random_seed, 0);
  const uint64_t today = first_seed();
  const int64_t after = day_number();
  EXPECT_GE(today, 1'000'000 * static_cast<uint64_t>(before));
  EXPECT_LE(today, 1'000'000 * static_cast<uint64_t>(after));
}

}  // namespace
}  // namespace tg::test
