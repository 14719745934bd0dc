// Values that are made once: one maker a key, waiters, failures that are forgotten.
#include "support/single_flight.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace tg {
namespace {

using Flight = SingleFlight<int, std::string, std::hash<int>>;

TEST(SingleFlight, GivesTheFirstAskerTheWork) {
  Flight f;
  const Flight::Ticket first = f.claim(1), second = f.claim(1), other = f.claim(2);
  EXPECT_TRUE(first.is_mine());
  EXPECT_FALSE(second.is_mine());
  EXPECT_TRUE(other.is_mine());
  f.put(first, "made");
  EXPECT_EQ(f.wait(second), "made");
  EXPECT_EQ(f.wait(first), "made");
}

TEST(SingleFlight, KeepsWhatWasMade) {
  Flight f;
  f.put(f.claim(1), "made");
  const Flight::Ticket later = f.claim(1);
  EXPECT_FALSE(later.is_mine());
  EXPECT_EQ(f.wait(later), "made");
}

TEST(SingleFlight, KeepsAValueThatIsFailedLater) {
  Flight f;
  const Flight::Ticket mine = f.claim(1);
  f.put(mine, "made");
  f.fail(mine, std::make_exception_ptr(std::runtime_error("broken")));
  EXPECT_EQ(f.wait(mine), "made");
  EXPECT_FALSE(f.claim(1).is_mine());
}

TEST(SingleFlight, HandsAFailureToWhoeverWaitsAndForgetsIt) {
  Flight f;
  const Flight::Ticket mine = f.claim(1), waiting = f.claim(1);
  f.fail(mine, std::make_exception_ptr(std::runtime_error("broken")));
  EXPECT_THROW(f.wait(waiting), std::runtime_error);
  EXPECT_THROW(f.wait(mine), std::runtime_error);
  const Flight::Ticket again = f.claim(1);
  EXPECT_TRUE(again.is_mine());
  f.put(again, "at last");
  EXPECT_EQ(f.wait(f.claim(1)), "at last");
}

TEST(SingleFlight, TellsWhoeverWaitsThatTheMakerWasCancelled) {
  Flight f;
  const Flight::Ticket mine = f.claim(1), waiting = f.claim(1);
  f.fail(mine, std::make_exception_ptr(CancelledError("stopped")));
  EXPECT_THROW(f.wait(waiting), MakerCancelled);
  EXPECT_THROW(f.wait(mine), CancelledError);
  EXPECT_TRUE(f.claim(1).is_mine());
}

TEST(SingleFlight, MakesEachKeyOnceAmongThreads) {
  Flight f;
  std::atomic<int> made = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      std::vector<Flight::Ticket> tickets;
      for (int k = 0; k < 50; ++k) tickets.push_back(f.claim((k * 7 + t * 11) % 50));
      for (int k = 0; k < 50; ++k) {
        if (!tickets[static_cast<size_t>(k)].is_mine()) continue;
        ++made;
        f.put(tickets[static_cast<size_t>(k)], std::to_string((k * 7 + t * 11) % 50));
      }
      for (int k = 0; k < 50; ++k)
        EXPECT_EQ(f.wait(tickets[static_cast<size_t>(k)]), std::to_string((k * 7 + t * 11) % 50));
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(made, 50);
}

}  // namespace
}  // namespace tg
