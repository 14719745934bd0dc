// Goes through all 2^32 floats of the functions named on the command line (all of them if none is)
// and prints the worst distance of each from the exact value. Takes minutes a function; no part of
// the test suite: `ninja exhaustive_ulp && tests/unit/tensor/exhaustive_ulp exp sin`.
#include <cstdio>
#include <future>
#include <string_view>

#include "unit/tensor/support/ulp.h"

namespace {

using namespace tg::testing;

constexpr int64_t kPart = int64_t{1} << 24;

// The parts lane, lane + lanes, …
WorstUlp worst_of_lane(const AccurateFunction& f, int lane, int lanes) {
  WorstUlp worst;
  for (int64_t part = lane; part < (int64_t{1} << 32) / kPart; part += lanes) {
    const WorstUlp w = worst_ulp(f, static_cast<uint32_t>(part * kPart), 1, kPart);
    if (w.ulp > worst.ulp) worst = w;
  }
  return worst;
}

}  // namespace

int main(int argc, char** argv) {
  bool ok = true;
  for (const AccurateFunction& f : kAccurate) {
    bool wanted = argc == 1;
    for (int i = 1; i < argc; ++i) wanted = wanted || std::string_view(argv[i]) == f.name;
    if (!wanted) continue;
    constexpr int kLanes = 2;
    std::vector<std::future<WorstUlp>> lanes;
    for (int i = 0; i < kLanes; ++i) {
      lanes.push_back(std::async(std::launch::async, worst_of_lane, std::cref(f), i, kLanes));
    }
    WorstUlp worst;
    for (auto& lane : lanes) {
      const WorstUlp w = lane.get();
      if (w.ulp > worst.ulp) worst = w;
    }
    ok = ok && worst.ulp <= 2;
    std::printf("%-8s worst %.4f ulp at %a (gives %a)\n", f.name, worst.ulp,
                static_cast<double>(worst.at), static_cast<double>(worst.got));
    std::fflush(stdout);
  }
  return ok ? 0 : 1;
}
