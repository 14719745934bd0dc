// Contractions of which an operand lies along a loop outside its copy: the copy is made for the
// steps of a cache line together, so that a line is read once and not once for each element.
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "codegen/heuristics.h"
#include "codegen/kernel_facts.h"
#include "codegen/lower.h"
#include "support/kernel_values.h"
#include "unit/codegen/support/kernels.h"

namespace tg {
namespace {

using Extents = std::map<char, Dim>;

// out[result] = Σ first·second, the letters of which name axes.
UOp contraction(const std::string& first, const std::string& second, const std::string& result,
                const Extents& extents, DType t = DType::Float32) {
  std::map<char, UOp> ranges;
  int id = 0;
  for (const char c : result) ranges[c] = range(extents.at(c), id++);
  std::vector<UOp> terms;
  for (const char c : first + second) {
    if (ranges.contains(c)) continue;
    terms.push_back(ranges[c] = range(extents.at(c), id++));
  }
  const auto places = [&](const std::string& axes) {
    std::vector<UOp> at;
    for (const char c : axes) at.push_back(ranges.at(c));
    return at;
  };
  const auto array = [&](int slot, const std::string& axes) {
    Shape shape;
    for (const char c : axes) shape.push_back(extents.at(c));
    return param(slot, shape, t);
  };
  const UOp product = load(array(1, first), places(first)) * load(array(2, second), places(second));
  const std::vector<UOp> at = places(result);
  const UOp root =
      end(store_at(array(0, result), at, reduce_ranges(product, ReduceOp::Add, terms)), at);
  return sink(std::span(&root, 1));
}

// Along d, which no loop of the copy of the first operand goes along but one outside.
TEST(Lines, OfThePackedOperandAreCopiedOnce) {
  const Extents extents = {{'f', 32}, {'j', 24}, {'d', 48}, {'c', 40}};
  const UOp kernel = contraction("fjd", "cj", "cdf", extents);
  const KernelSchedule s = choose_schedule(kernel, test::kProcessor);
  EXPECT_TRUE(test::has_option(s, "TILE(r1,16)")) << opts_text(s);
  ASSERT_EQ(s.stages.size(), 1u) << opts_text(s);
  EXPECT_EQ(staged_elements(s, s.stages[0]), 32 * 24 * 16) << "lanes, terms, a line";
  test::expect_values(kernel, s, test::kProcessor);
}

// Along j, a batch: of the second operand, whose elements are broadcast.
TEST(Lines, OfTheRowsAreCopiedOnce) {
  const Extents extents = {{'j', 64}, {'b', 64}, {'d', 12}, {'f', 20}};
  for (const Target& target : {test::kProcessor, test::kTwoThreads}) {
    const UOp kernel = contraction("fjb", "fdj", "jdb", extents);
    const KernelSchedule s = choose_schedule(kernel, target);
    EXPECT_TRUE(test::has_option(s, "TILE(r0,16)")) << opts_text(s);
    EXPECT_TRUE(test::has_option(s, "STAGE(p2,1)")) << opts_text(s);
    EXPECT_TRUE(test::has_option(s, "THREAD(1)")) << "a copy for each chunk: " << opts_text(s);
    test::expect_values(kernel, s, target);
  }
}

// Of 12 rows they take 15 KiB, of the 6 that registers hold half of it.
TEST(Lines, ThatDoNotFitAreCopiedForFewerRows) {
  Target small = test::kProcessor;
  small.l2_bytes = 16 << 10;
  const Extents extents = {{'j', 64}, {'b', 64}, {'d', 12}, {'f', 20}};
  const UOp kernel = contraction("fjb", "fdj", "jdb", extents);
  const KernelSchedule s = choose_schedule(kernel, small);
  EXPECT_TRUE(test::has_option(s, "TILE(r1,6)")) << opts_text(s);
  EXPECT_TRUE(test::has_option(s, "TILE(r0,16)")) << opts_text(s);
  test::expect_values(kernel, s, small);

  small.l2_bytes = 8 << 10;
  const KernelSchedule least = choose_schedule(kernel, small);
  EXPECT_FALSE(test::has_option(least, "TILE(r0,16)"))
      << "read where they are: " << opts_text(least);
  EXPECT_FALSE(test::has_option(least, "TILE(r1,6)")) << opts_text(least);
}

// Any order of the axes of operands and results.
TEST(Lines, AgreeForRandomOrders) {
  constexpr uint64_t kSeed = 47;
  std::mt19937_64 rng(kSeed);
  const auto some = [&](Dim most) {
    return 1 + static_cast<Dim>(rng() % static_cast<uint64_t>(most));
  };
  for (int i = 0; i < 60; ++i) {
    std::string first = "bcmk", second = "bnk", result = "bcmn";
    for (std::string* axes : {&first, &second, &result}) std::ranges::shuffle(*axes, rng);
    const Extents extents = {
        {'b', some(20)}, {'c', some(20)}, {'m', some(9)}, {'n', some(36)}, {'k', some(12)}};
    Target target = i % 2 == 0 ? test::kProcessor : test::kTwoThreads;
    if (i % 5 == 0) target.l2_bytes = 32 << 10;
    const DType t = i % 3 == 0 ? DType::Float64 : DType::Float32;
    const UOp kernel = contraction(first, second, result, extents, t);
    test::expect_values(kernel, choose_schedule(kernel, target), target);
  }
}

}  // namespace
}  // namespace tg
