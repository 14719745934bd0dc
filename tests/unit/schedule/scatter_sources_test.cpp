// The elements that are said to be put at a place are those that are, each once, for all places.
#include "schedule/scatter_sources.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "support/effort.h"
#include "support/enumerate_ranges.h"
#include "support/kernel_names.h"
#include "support/seeds_of_the_day.h"
#include "tg/ir/text.h"
#include "tg/ir/walk.h"

namespace tg {
namespace {

using test::over;
using test::rest;

// As resampling computes it: ⌊(r + ½)·ratio − ½⌋ in float32, cut off at the ends.
UOp resampled(const UOp& r, double ratio, int64_t last) {
  const UOp x = cast(r, DType::Float32);
  const UOp at =
      minimum(maximum((x + const_like(x, 0.5)) * const_like(x, ratio) + const_like(x, -0.5),
                      const_like(x, 0.0)),
              const_like(x, static_cast<double>(last)));
  return cast(cast(trunc(at), DType::Int32), DType::Index);
}

int64_t count(const ScatterSources& s) {
  int64_t n = 1;
  for (const UOp& r : s.candidates) n *= r.src(0).arg(0);
  return n;
}

// f(r) = place is solved, and right for every place in [−2, places).
std::optional<ScatterSources> expect_solved(const UOp& f, const UOp& r, Dim places,
                                            const std::string& what) {
  const UOp row = range(places + 2, 50), place = row - 2;
  int64_t next = 100;
  const auto s = scatter_sources(f, r, place, next);
  if (!s) return s;
  std::multimap<int64_t, int64_t> want, got;
  for (const auto& v : test::enumerate(std::vector<UOp>{f, r}, std::vector<UOp>{r})) {
    if (v[0] >= -2 && v[0] < places) want.emplace(v[0], v[1]);
  }
  std::vector<UOp> loops = {row};
  loops.insert(loops.end(), s->candidates.begin(), s->candidates.end());
  const UOp gate = s->gate ? cast(s->gate, DType::Index) : index_const(1);
  for (const auto& v : test::enumerate(std::vector<UOp>{place, s->index, gate}, loops)) {
    if (v[2] != 0) got.emplace(v[0], v[1]);
  }
  const auto sorted = [](const std::multimap<int64_t, int64_t>& m) {
    std::vector<std::pair<int64_t, int64_t>> out(m.begin(), m.end());
    std::ranges::sort(out);
    return out;
  };
  EXPECT_EQ(sorted(got), sorted(want)) << what << "\n" << print(f);
  return s;
}

struct PlaceForm {
  const char* name;
  Dim extent;
  UOp (*f)(const UOp& r);
  int64_t candidates;
};

const PlaceForm kPlaceForms[] = {
    {"Same", 7, [](const UOp& r) { return r; }, 1},
    {"Backwards", 7, [](const UOp& r) { return r * -1 + 6; }, 1},
    {"EveryThird", 7, [](const UOp& r) { return r * 3 + 1; }, 1},
    {"EveryThirdBackwards", 7, [](const UOp& r) { return r * -3 + 20; }, 1},
    {"EachTwice", 12, [](const UOp& r) { return over(r, 2); }, 2},
    {"AgainAndAgain", 12, [](const UOp& r) { return rest(r, 4); }, 3},
    {"Windows", 20, [](const UOp& r) { return over(r, 4) * 2 + rest(r, 4); }, 2},
    {"WindowsSideBySide", 20, [](const UOp& r) { return over(r, 4) * 4 + rest(r, 4); }, 1},
    {"WindowsByOne", 20, [](const UOp& r) { return over(r, 4) + rest(r, 4); }, 4},
    {"WindowsWithGaps", 20, [](const UOp& r) { return over(r, 4) * 7 + rest(r, 4); }, 1},
    {"DilatedWindows", 20, [](const UOp& r) { return over(r, 4) + rest(r, 4) * 3; }, 4},
    {"NearestOfMore", 9, [](const UOp& r) { return over(r * 5, 9); }, 2},
    {"NearestOfFewer", 5, [](const UOp& r) { return over(r * 9, 5); }, 1},
    {"Doubled", 16, [](const UOp& r) { return resampled(r, 0.5, 7); }, 3},
    {"DoubledWithBorder", 2048, [](const UOp& r) { return over(r * 2 + 3, 4); }, 2},
    {"OneAndAHalfTimes", 192, [](const UOp& r) { return over(r * 4 + 5, 6); }, 2},
    {"LongerThanATable", 40'000, [](const UOp& r) { return over(r * 2 + 3, 4); }, 2},
    {"ThirdsOfMany", 60'000, [](const UOp& r) { return over(r * 3 + 1, 7) * 5; }, 3},
    {"BackwardsInHalves", 40'000, [](const UOp& r) { return over(r * -1 + 39, 2); }, 2},
    {"Shrunk", 6, [](const UOp& r) { return resampled(r, 13.0 / 6, 12); }, 1},
};

// Where each candidate is put at its place there is nothing to ask but whether it exists.
TEST(ScatterSources, CandidatesOfQuotientsAreNotAskedWhereTheyGo) {
  const auto asks = [](const UOp& f, const UOp& r) {
    const auto s = expect_solved(f, r, 1100, "quotient");
    if (!s || !s->gate) return false;
    return std::ranges::any_of(toposort(s->gate), [](const Node* n) {
      return n->op == Op::IDiv || n->op == Op::Mod || n->op == Op::CmpNe;
    });
  };
  const UOp r = range(2048, 0), few = range(16, 0);
  EXPECT_FALSE(asks(over(r * 2 + 3, 4), r));
  EXPECT_FALSE(asks(over(r, 2), r));
  EXPECT_TRUE(asks(resampled(few, 0.5, 7), few)) << "most places have two, one has three";
}

TEST(ScatterSources, FormsTakeAsManyCandidatesAsTheyNeed) {
  for (const PlaceForm& form : kPlaceForms) {
    const UOp r = range(form.extent, 0);
    const auto s = expect_solved(form.f(r), r, 30, form.name);
    ASSERT_TRUE(s) << form.name;
    EXPECT_LE(count(*s), form.candidates) << form.name;
  }
}

TEST(ScatterSources, OneElementGoesToOnePlace) {
  int64_t next = 100;
  const UOp place = range(5, 0);
  const auto s = scatter_sources(index_const(3), index_const(0), place, next);
  ASSERT_TRUE(s);
  EXPECT_TRUE(s->candidates.empty());
  EXPECT_TRUE(s->index.is_const(0));
  EXPECT_TRUE(s->gate);
}

TEST(ScatterSources, DataTellsNothing) {
  int64_t next = 100;
  const UOp r = range(5, 0), place = range(5, 1);
  const UOp data = cast(load(param(0, {5}, DType::Int32), std::vector<UOp>{r}), DType::Index);
  EXPECT_FALSE(scatter_sources(data + r, r, place, next));
}

TEST(ScatterSources, RandomFunctionsAreSolvedRight) {
  uint64_t solved = 0;
  const auto trials = test::trials(2000);
  const uint64_t first = test::first_seed();
  for (uint64_t seed = first; seed < first + trials; ++seed) {
    std::mt19937_64 rng(seed);
    const auto between = [&](int64_t lo, int64_t hi) {
      return lo + static_cast<int64_t>(rng() % static_cast<uint64_t>(hi - lo + 1));
    };
    const int64_t k = between(2, 4), n = k * between(1, 6);
    const UOp r = range(n, 0);
    UOp f = index_const(between(-2, 2));
    for (int64_t terms = between(1, 3); terms > 0; --terms) {
      const int64_t factor = between(0, 3) == 0 ? -between(1, 3) : between(1, 4);
      switch (between(0, 4)) {
        case 0:
          f = f + over(r * between(1, 5) + between(0, 2), between(2, 6)) * factor;
          break;
        case 1:
          f = f + resampled(r, static_cast<double>(between(1, 12)) / 6.0, between(1, 12)) * factor;
          break;
        case 2:
          f = f + over(r, k) * factor;
          break;
        case 3:
          f = f + rest(r, k) * factor;
          break;
        default:
          f = f + r * factor;
      }
    }
    solved += expect_solved(f, r, 25, "seed " + std::to_string(seed)) ? 1 : 0;
    if (HasFailure()) return;
  }
  EXPECT_GT(solved, trials / 2);
}

}  // namespace
}  // namespace tg
