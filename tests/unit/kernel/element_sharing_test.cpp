// What is said of index expressions holds in all their iterations, and is as much as can be said
// for the forms that kernels have.
#include "kernel/element_sharing.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "support/effort.h"
#include "support/enumerate_ranges.h"
#include "support/kernel_names.h"
#include "tg/ir/text.h"
#include "tg/ir/walk.h"

namespace tg {
namespace {

using test::over;
using test::rest;

const UOp kR = range(12, 0), kQ = range(5, 1), kS = range(4, 2);
const std::vector<UOp> kAll = {kR, kQ, kS};

struct Form {
  const char* name;
  std::vector<UOp> index;
  std::vector<UOp> sharing;  // of those ranges that the index has
  UOp gate = {};
};

const UOp kData = cast(load(param(1, {12}, DType::Int32), std::vector<UOp>{kR}), DType::Index);

const std::vector<Form> kForms = {
    {"Apart", {kR, kQ}, {}},
    {"Flat", {kR * 20 + kQ * 4 + kS}, {}},
    {"FlatBackwards", {(kR * 20 + kQ * 4 + kS) * -1 + 300}, {}},
    {"TwoAdded", {kR + kQ}, {kR, kQ}},
    {"Windows", {kR * 3 + kQ}, {kR, kQ}},
    {"WindowsApart", {kR * 5 + kQ}, {}},
    {"WindowsOfRows", {kQ * 40 + kR * 3 + kS}, {kR, kS}},
    {"Divided", {over(kR * 5, 9)}, {kR}},
    {"DividedInRows", {kQ * 7 + over(kR * 5, 9)}, {kR}},
    {"Remainder", {rest(kR, 5)}, {kR}},
    {"BothDigits", {over(kR, 4), rest(kR, 4)}, {}},
    {"BothDigitsTurnedRound", {rest(kR, 4) * 3 + over(kR, 4)}, {}},
    {"ThreeDigits", {rest(kR, 2), rest(over(kR, 2), 3), over(kR, 6)}, {}},
    {"ADigitIsMissing", {rest(kR, 2), over(kR, 6)}, {kR}},
    {"DigitsOfASum", {over(kR * 5 + kQ, 6), rest(kR * 5 + kQ, 6)}, {}},
    {"RowsBehindData", {kData * 5 + kQ}, {kR}},
    {"DataInADimension", {kData, kQ, kR}, {}},
    {"DataWithinAGate",
     {kQ * 12 + kData},
     {kR},
     lt(kData, index_const(12)) & lt(index_const(-1), kData)},
};

TEST(ElementSharing, FormsAreSolvedAsFarAsTheyCanBe) {
  for (const Form& f : kForms) {
    const std::vector<UOp> has = free_ranges(sink(f.index));
    EXPECT_EQ(ranges_sharing_elements({f.index, f.gate}, has), f.sharing) << f.name;
  }
}

TEST(ElementSharing, AnElementTellsNothingOfRangesThatItLacks) {
  EXPECT_EQ(ranges_sharing_elements({{kQ}, {}}, kAll), (std::vector<UOp>{kR, kS}));
}

TEST(ElementSharing, WithoutTheGateDataMayLeaveItsRow) {
  const std::vector<UOp> both = {kR, kQ};
  EXPECT_EQ(ranges_sharing_elements({{kQ * 12 + kData}, {}}, both), both);
}

TEST(ElementSharing, NeighboursInAWindowAreApart) {
  const WrittenElements windows{{kR * 3 + kQ}, {}};
  EXPECT_FALSE(shares_elements_along(windows, kQ));
  EXPECT_FALSE(shares_elements_along(windows, kR));
  EXPECT_TRUE(shares_elements_along(windows, kS));
  EXPECT_TRUE(shares_elements_along({{over(kR * 5, 9)}, {}}, kR));
}

// ---- random expressions

class PlacesMaker {
 public:
  explicit PlacesMaker(uint64_t seed) : rng_(seed) {
    for (int i = 0; i < 3; ++i) ranges.push_back(range(between(1, 7), i));
    for (int d = between(1, 3); d > 0; --d) index.push_back(sum());
  }
  std::vector<UOp> ranges, index;

 private:
  int64_t between(int64_t lo, int64_t hi) {
    return lo + static_cast<int64_t>(rng_() % static_cast<uint64_t>(hi - lo + 1));
  }
  // Drawn one after the other: the order of a call's arguments is the compiler's choice.
  UOp term() {
    const UOp r = ranges[static_cast<size_t>(between(0, 2))];
    const int64_t kind = between(0, 5);
    if (kind > 3) return r;
    const int64_t c = between(2, 6);
    if (kind == 1) return rest(r, c);
    if (kind == 2) return over(r, c);
    const int64_t stride = between(1, 6);
    if (kind == 0) return over(r * stride + between(0, 3), c);
    const UOp pair = r * stride + ranges[static_cast<size_t>(between(0, 2))];
    return between(0, 1) == 0 ? over(pair, c) : rest(pair, c);
  }
  UOp scaled_term() {
    const UOp t = term();
    return t * factor();
  }
  UOp sum() {
    UOp out = scaled_term();
    for (int64_t n = between(0, 2); n > 0; --n) out = out + scaled_term();
    return out + between(-3, 3);
  }
  int64_t factor() {
    constexpr std::array<int64_t, 9> kFactors = {1, 1, 2, 3, -1, 4, 7, 12, -20};
    return kFactors[static_cast<size_t>(between(0, 8))];
  }
  std::mt19937_64 rng_;
};

std::string text(const PlacesMaker& m) {
  std::string out;
  for (const UOp& i : m.index) out += print(i) + "\n";
  return out;
}

TEST(ElementSharing, WhatIsSaidHoldsInAllIterations) {
  uint64_t apart = 0;
  const auto trials = test::trials(4000);
  for (uint64_t seed = 1; seed <= trials; ++seed) {
    const PlacesMaker m(seed);
    const std::vector<UOp> sharing = ranges_sharing_elements({m.index, {}}, m.ranges);
    std::vector<UOp> all = m.index;
    all.insert(all.end(), m.ranges.begin(), m.ranges.end());
    const auto iterations = test::enumerate(all, m.ranges);
    std::map<std::vector<int64_t>, std::vector<int64_t>> first;  // who wrote an element
    for (const std::vector<int64_t>& values : iterations) {
      const auto split = values.begin() + std::ssize(m.index);
      const std::vector<int64_t> element(values.begin(), split), at(split, values.end());
      const auto [it, fresh] = first.try_emplace(element, at);
      for (size_t r = 0; r < at.size() && !fresh; ++r) {
        const bool may = std::ranges::find(sharing, m.ranges[r]) != sharing.end();
        ASSERT_TRUE(may || it->second[r] == at[r]) << "seed " << seed << "\n" << text(m);
        if (at[r] == it->second[r]) continue;
        const bool alone = std::ranges::count_if(at, [&, i = size_t{0}](int64_t v) mutable {
                             return v != it->second[i++];
                           }) == 1;
        ASSERT_TRUE(!alone || shares_elements_along({m.index, {}}, m.ranges[r]))
            << "seed " << seed << "\n"
            << text(m);
      }
    }
    apart += sharing.empty() ? 1 : 0;
  }
  // The proofs are of use: a good part of these expressions is solved.
  EXPECT_GT(apart, trials / 10);
}

}  // namespace
}  // namespace tg
