// Where barriers are placed: by what work-items share, before loops rather than in them, and
// nowhere without need.
#include "codegen/barriers.h"

#include <gtest/gtest.h>

#include <functional>

#include "support/linear_builder.h"
#include "support/symbol.h"
#include "tg/error.h"

namespace tg {
namespace {

using test::LinearBuilder;

// A group of eight work-items around what `body` adds; the ops' names behind the work-item range.
class Barriers : public testing::Test {
 protected:
  Barriers() {
    a_ = k_.scratch(0, DType::Int64, 8);
    b_ = k_.scratch(1, DType::Int64, 8);
    out_ = k_.param(DType::Int64, {64}, true, true);
    zero_ = k_.c(0);
    three_ = k_.c(3);
    v_ = k_.c(Scalar::of_int(1, DType::Int64));
    group_ = k_.chunk_loop(4, 100);
    t_ = k_.work_item_range(8, 101);
  }
  void write(const UOp& p) { last_ = k_.store(fresh(p), t_, v_); }
  void read(const UOp& p) { k_.load(fresh(p), zero_); }
  // A pointer of its own, so that no two accesses are one node.
  UOp fresh(const UOp& p) { return k_.add(make(Op::After, {p, k_.barrier(next_++)})); }

  // "WRL(..)": what is left when the markers of fresh() are taken out and barriers are placed, with
  // B for a barrier.
  std::string placed(std::span<const Node* const> shared = {},
                     std::span<const RingArray> rings = {}) {
    k_.end(t_);
    k_.end(group_);
    std::vector<UOp> list;
    for (const UOp& u : k_.kernel().ops) {
      if (!u.is(Op::Barrier)) list.push_back(u);
    }
    std::string text;
    for (const UOp& u : place_barriers(list, shared, rings)) {
      if (u.is(Op::Barrier)) text += 'B';
      if (u.is(Op::Load)) text += 'r';
      if (u.is(Op::Store)) text += 'w';
      if (u.is(Op::AsyncCopy)) text += 'f';
      if (u.is(Op::AsyncWait)) text += 't';
      if (u.is(Op::MmaAsync)) text += 'm';
      if (u.is(Op::MmaWait)) text += 'd';
      if ((u.is(Op::Range) && u.arg().size() == 1) || u.is(Op::If)) text += '(';
      if ((u.is(Op::End) && u.src(0).arg().size() == 1) || u.is(Op::EndIf)) text += ')';
    }
    return text;
  }

  LinearBuilder k_;
  UOp a_, b_, out_, zero_, three_, v_, group_, t_, last_;
  int64_t next_ = 0;
};

TEST_F(Barriers, StandBetweenAWriteAndARead) {
  write(a_);
  read(a_);
  EXPECT_EQ(placed(), "wBr");
}

TEST_F(Barriers, OneServesSeveralArrays) {
  write(a_);
  write(b_);
  read(a_);
  read(b_);
  EXPECT_EQ(placed(), "wwBrr");
}

TEST_F(Barriers, StandBeforeScratchIsOverwritten) {
  write(a_);
  read(a_);
  write(a_);
  EXPECT_EQ(placed(), "wBrBw");
}

TEST_F(Barriers, AreNotNeededForArraysThatNobodyShares) {
  write(out_);
  read(out_);
  EXPECT_EQ(placed(), "wr");
}

TEST_F(Barriers, KeepApartTheReadersOfWhatOneWorkItemWrites) {
  read(out_);
  write(out_);
  const Node* shared[] = {out_.node()};
  EXPECT_EQ(placed(shared), "rBw");
}

TEST_F(Barriers, GuardTheWayBackOfALoop) {
  const UOp i = k_.loop(three_, 5);
  write(a_);
  read(a_);
  k_.end(i);
  EXPECT_EQ(placed(), "(BwBr)");
}

TEST_F(Barriers, OfAnotherArrayGuardTheWayBackToo) {
  const UOp i = k_.loop(three_, 5);
  write(a_);
  read(a_);
  write(b_);
  read(b_);
  k_.end(i);
  EXPECT_EQ(placed(), "(wBrwBr)");
}

TEST_F(Barriers, StandBeforeALoopThatOnlyReads) {
  write(a_);
  const UOp i = k_.loop(three_, 5);
  read(a_);
  k_.end(i);
  EXPECT_EQ(placed(), "wB(r)");
}

// A loop may run no time: the barrier in it then separates nothing.
TEST_F(Barriers, InALoopDoNotServeWhatStandsBehindIt) {
  write(b_);
  read(b_);
  const UOp i = k_.loop(three_, 5);
  write(a_);
  const UOp j = k_.loop(three_, 6);
  read(a_);
  k_.end(j);
  k_.end(i);
  write(b_);
  EXPECT_EQ(placed(), "wBr(BwB(r))Bw");
}

TEST_F(Barriers, StandOutsideOfIfsThatSomeWorkItemsTake) {
  write(a_);
  const UOp head = k_.add(make(Op::If, {k_.add(lt(t_, three_))}, {{6}}));
  read(a_);
  write(b_);
  k_.add(make(Op::EndIf, {head}));
  read(b_);
  EXPECT_EQ(placed(), "wB(rw)Br");
}

TEST_F(Barriers, AreRefusedWhereWorkItemsPartWays) {
  const UOp i = k_.loop(t_, 6);
  write(a_);
  read(a_);
  k_.end(i);
  EXPECT_THROW(placed(), ArgumentError);
}

TEST(BarriersWithoutWorkItems, LeaveTheListAsItIs) {
  LinearBuilder k;
  const UOp a = k.scratch(0, DType::Int64, 8), zero = k.c(0);
  const UOp put = k.store(a, zero, k.c(Scalar::of_int(1, DType::Int64)));
  k.load(k.add(after(a, {{put}})), zero);
  EXPECT_EQ(place_barriers(k.kernel().ops, {}), k.kernel().ops);
}

// A step reads slot 0 of the ring and writes that of a later step, in a loop over the steps.
class RingBarriers : public Barriers {
 protected:
  // "f" is an async_copy, "t" an async_wait: what `step` adds, between a first copy and the loop's
  // end.
  std::string in_steps(int64_t depth, const std::function<void()>& step, bool async) {
    if (async) {
      async_copy();
      async_wait(2);
    } else {
      write(a_);
    }
    const UOp loop = k_.loop(10, 102);
    step();
    k_.end(loop);
    const RingArray ring{a_.node(), loop.node(), depth, ahead_ == 0 ? depth - 1 : ahead_};
    return placed({}, {&ring, 1});
  }
  // A unit begins to read the array.
  void multiply(const UOp& p) {
    k_.add(make(Op::MmaAsync, {fresh(p), zero_, fresh(p), zero_, v_},
                {{intern_symbol("m64n64k16_f16"), 0, 0}}));
  }
  void mma_wait(int64_t under_way) { k_.add(make(Op::MmaWait, {}, {{under_way, next_++}})); }
  int64_t ahead_ = 0;  // 0: all but one
  void async_copy() {
    const UOp from = k_.param(DType::Int64, {64}, true, false);
    k_.add(make(Op::AsyncCopy, {fresh(a_), t_, from, t_}, {{1, 0}}));
  }
  void async_wait(int64_t on_their_way) {
    k_.add(make(Op::AsyncWait, {}, {{on_their_way, next_++}}));
  }
};

TEST_F(RingBarriers, AreOneAStepOfCopiesThroughRegisters) {
  const auto step = [&] {
    read(a_);
    write(a_);
  };
  EXPECT_EQ(in_steps(2, step, false), "wB(Brw)");
}

TEST_F(RingBarriers, StandBeforeTheWriteWhereTheSlotWasReadAStepAgo) {
  const auto step = [&] {
    read(a_);
    write(a_);
  };
  EXPECT_EQ(in_steps(3, step, false), "wB(rBw)");
}

TEST_F(RingBarriers, StandBehindTheWaitForAsyncCopies) {
  const auto step = [&] {
    async_wait(1);
    async_copy();
    read(a_);
  };
  EXPECT_EQ(in_steps(3, step, true), "ft(tBfr)");
}

TEST_F(RingBarriers, AreOneAStepOfProductsThatAUnitMakesByItself) {
  ahead_ = 2;
  const auto step = [&] {
    async_wait(1);
    async_copy();
    multiply(a_);
    mma_wait(1);
  };
  EXPECT_EQ(in_steps(4, step, true), "ft(tBfmd)");
}

TEST_F(RingBarriers, DoNotWaitForAUnit) {
  const auto step = [&] {
    async_wait(2);
    async_copy();
    multiply(a_);
    mma_wait(1);
  };
  EXPECT_THROW(in_steps(4, step, true), ArgumentError);
}

TEST_F(RingBarriers, StandBeforeTheCopyWhereTheUnitIsWaitedForInItsStep) {
  const auto step = [&] {
    async_wait(1);
    async_copy();
    multiply(a_);
    mma_wait(0);
  };
  EXPECT_EQ(in_steps(3, step, true), "ft(tBfmd)");
}

TEST_F(RingBarriers, AreTwoAStepOfOneSlot) {
  write(a_);
  const UOp loop = k_.loop(10, 102);
  write(a_);
  read(a_);
  k_.end(loop);
  EXPECT_EQ(placed(), "wB(BwBr)");
}

}  // namespace
}  // namespace tg
