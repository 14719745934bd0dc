// capi_fuzz [seconds [seed]]: every function of the C interface with random arguments, from two
// threads that share nothing but the library, until the time is over. One gives numbers at the ends
// of their range, the other computes what comes of moderate ones. Prints the seed; ends with an
// error if a handle is left over. A crash is what it looks for.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <thread>
#include <vector>

#include "capi/functions.h"
#include "tg/c/tg.h"
#include "unit/capi/abuse.h"

namespace {

using Clock = std::chrono::steady_clock;

struct Counts {
  std::atomic<int64_t> succeeded{0}, failed{0};
};

// A new abuser now and then, so that graphs do not grow without end.
void abuse_until(Clock::time_point end, unsigned seed, bool compute, Counts& counts) {
  for (unsigned round = 0; Clock::now() < end; ++round) {
    tg::capi::testing::Abuser abuser(seed + 2 * round, compute);
    for (int i = 0; i < 3; ++i) {
      for (const tg_function_record& f : tg::capi::functions()) {
        if (Clock::now() >= end) break;
        abuser.call(f);
      }
    }
    counts.succeeded += abuser.succeeded();
    counts.failed += abuser.failed();
  }
}

}  // namespace

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 30;
  const unsigned seed =
      argc > 2 ? static_cast<unsigned>(std::atol(argv[2])) : std::random_device{}();
  if (seconds <= 0 || argc > 3) {
    std::fputs("usage: capi_fuzz [seconds [seed]]\n", stderr);
    return 2;
  }
  std::printf("seed %u\n", seed);
  std::fflush(stdout);
  const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                      std::chrono::duration<double>(seconds));
  Counts counts;
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 2; ++t)
    threads.emplace_back([&, t] { abuse_until(end, seed + t, t == 0, counts); });
  for (std::thread& t : threads) t.join();
  std::printf("%lld calls gave results, %lld gave errors, %lld handles are left\n",
              static_cast<long long>(counts.succeeded), static_cast<long long>(counts.failed),
              static_cast<long long>(tg_live_handles()));
  return tg_live_handles() == 0 && counts.succeeded > 0 && counts.failed > 0 ? 0 : 1;
}
