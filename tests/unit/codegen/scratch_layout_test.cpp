// Bank conflicts of accesses to shared scratch, and the layouts that avoid them.
#include "codegen/scratch_layout.h"

#include <gtest/gtest.h>

#include <functional>

namespace tg {
namespace {

constexpr int64_t kFloatBytes = 4, kHalfBytes = 2;

ScratchAccess access(int lanes, const std::function<std::pair<int64_t, int64_t>(int64_t)>& place) {
  ScratchAccess a{{{}, {}}, lanes};
  for (int64_t work_item = 0; work_item < 32; ++work_item) {
    const auto [row, column] = place(work_item);
    a.place[0].push_back(row);
    a.place[1].push_back(column);
  }
  return a;
}

const ScratchLayout kPlain{{0, 1}, 0};

TEST(BankTurns, NeighboursInARowTakeOne) {
  const auto row = access(1, [](int64_t i) { return std::pair(3, i); });
  EXPECT_EQ(bank_transactions(kPlain, std::vector<int64_t>{8, 64}, kFloatBytes, row), 1);
}

TEST(BankTurns, NeighboursInAColumnOfThirtyTwoTakeOneEach) {
  const auto column = access(1, [](int64_t i) { return std::pair(i, 5); });
  EXPECT_EQ(bank_transactions(kPlain, std::vector<int64_t>{32, 32}, kFloatBytes, column), 32);
  EXPECT_EQ(bank_transactions({{0, 1}, 1}, std::vector<int64_t>{32, 32}, kFloatBytes, column), 1);
  EXPECT_EQ(bank_transactions({{1, 0}, 0}, std::vector<int64_t>{32, 32}, kFloatBytes, column), 1);
}

TEST(BankTurns, AWordThatAllWantIsServedOnce) {
  const auto one = access(1, [](int64_t) { return std::pair(2, 2); });
  EXPECT_EQ(bank_transactions(kPlain, std::vector<int64_t>{8, 64}, kFloatBytes, one), 1);
}

TEST(BankTurns, VectorsAreServedInAsManyPartsAsTheyFillTheBanks) {
  const auto vectors = access(4, [](int64_t i) { return std::pair(0, 4 * i); });
  EXPECT_EQ(bank_transactions(kPlain, std::vector<int64_t>{2, 128}, kFloatBytes, vectors), 4);
}

TEST(BankTurns, TwoHalvesAreOneWord) {
  const auto row = access(1, [](int64_t i) { return std::pair(0, i); });
  EXPECT_EQ(bank_transactions(kPlain, std::vector<int64_t>{2, 64}, kHalfBytes, row), 1);
  const auto far = access(1, [](int64_t i) { return std::pair(0, 64 * i); });
  EXPECT_EQ(bank_transactions(kPlain, std::vector<int64_t>{2, 2048}, kHalfBytes, far), 32);
}

TEST(ScratchLayout, StaysPlainWhereNobodyWaits) {
  const auto row = access(1, [](int64_t i) { return std::pair(i / 16, i % 16); });
  const ScratchLayout l = choose_layout(std::vector<int64_t>{8, 16}, kFloatBytes, -1, row, row);
  EXPECT_EQ(l.order, (std::vector<size_t>{0, 1}));
  EXPECT_EQ(l.padding, 0);
}

// Written row by row, read column by column: rows one longer serve both.
TEST(ScratchLayout, PadsRowsThatAreReadAcross) {
  const auto write = access(1, [](int64_t i) { return std::pair(0, i); });
  const auto read = access(1, [](int64_t i) { return std::pair(i, 0); });
  const std::vector<int64_t> extents = {32, 32};
  const ScratchLayout l = choose_layout(extents, kFloatBytes, -1, read, write);
  EXPECT_EQ(bank_transactions(l, extents, kFloatBytes, read), 1);
  EXPECT_EQ(bank_transactions(l, extents, kFloatBytes, write), 1);
  EXPECT_EQ(l.padding, 1);
}

// Planes of 8 rows of 8 begin at one bank: with odd rows and one row more they begin at all.
TEST(ScratchLayout, PadsPlanesThatAreReadAcross) {
  ScratchAccess read{{{}, {}, {}}, 1};
  for (int64_t work_item = 0; work_item < 32; ++work_item) {
    read.place[0].push_back(work_item);
    read.place[1].push_back(0);
    read.place[2].push_back(0);
  }
  const std::vector<int64_t> extents = {32, 8, 8};
  const ScratchLayout plain{{0, 1, 2}, 0};
  EXPECT_EQ(bank_transactions(plain, extents, kFloatBytes, read), 32);
  const ScratchLayout l = choose_layout(extents, kFloatBytes, 2, read, read);
  EXPECT_EQ(bank_transactions(l, extents, kFloatBytes, read), 1);
  EXPECT_EQ(l.rows, 1);
  EXPECT_EQ(l.extent(1, extents), 9);
}

TEST(ScratchLayout, KeepsLanesInnermostAndWhole) {
  const auto vectors = access(4, [](int64_t i) { return std::pair(i, 0); });
  const std::vector<int64_t> extents = {32, 32};
  const ScratchLayout l = choose_layout(extents, kFloatBytes, 1, vectors, vectors);
  EXPECT_EQ(l.order.back(), 1u);
  EXPECT_EQ(l.padding % 4, 0);
  EXPECT_EQ(bank_transactions(l, extents, kFloatBytes, vectors), 4);
}

}  // namespace
}  // namespace tg
