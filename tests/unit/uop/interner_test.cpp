// Hash-consing: equal structure is one node, nodes die with their last holder, nothing recurses,
// threads agree.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <thread>

#include "tg/error.h"
#include "tg/ir/resource.h"
#include "tg/ir/uop.h"
#include "unit/uop/support/nodes.h"

namespace tg {
namespace {

using test::f32;

int64_t live() { return interner_stats().live_nodes; }

TEST(Interner, EqualStructureIsTheSameNode) { EXPECT_EQ(f32(1) + f32(2), f32(1) + f32(2)); }
TEST(Interner, AnotherArgumentIsAnotherNode) { EXPECT_NE(f32(1), f32(2)); }
TEST(Interner, AnotherDTypeIsAnotherNode) {
  EXPECT_NE(constant(1, DType::Int32), constant(1, DType::Int64));
  const UOp x = f32(1);
  EXPECT_NE(cast(x, DType::Int32), cast(x, DType::Int8));
}
TEST(Interner, AnotherOrderIsAnotherNode) { EXPECT_NE(f32(1) + f32(2), f32(2) + f32(1)); }
TEST(Interner, BothZerosAreDifferentConstants) { EXPECT_NE(f32(0.0), f32(-0.0)); }
TEST(Interner, AllNaNsAreOneConstant) { EXPECT_EQ(f32(std::nan("1")), f32(-std::nan("2"))); }
TEST(Interner, BuffersAreNeverShared) {
  EXPECT_NE(buffer({2}, DType::Float32, 0, nullptr), buffer({2}, DType::Float32, 0, nullptr));
}
TEST(Interner, HashesDependOnStructureOnly) {
  const uint64_t first = (f32(1) * f32(3)).hash();
  const UOp others = f32(7) + f32(8);
  EXPECT_EQ((f32(1) * f32(3)).hash(), first);
  EXPECT_NE(others.hash(), first);
}
TEST(Interner, NodesDieWithTheirLastHolder) {
  const int64_t before = live();
  {
    const UOp x = sqrt(f32(123.5)) + f32(99.25);
    EXPECT_EQ(live(), before + 4);
    const UOp copy = x;
    EXPECT_EQ(live(), before + 4);
  }
  EXPECT_EQ(live(), before);
}
TEST(Interner, BytesReturnToTheBaseline) {
  const int64_t before = interner_stats().live_bytes;
  {
    const UOp x = full({3, 4}, Scalar::of_double(17, DType::Float32));
  }
  EXPECT_EQ(interner_stats().live_bytes, before);
}
struct Counted : Resource {
  explicit Counted(int& alive) : alive(alive) { ++alive; }
  ~Counted() override { --alive; }
  int& alive;
};
Ref<Resource> note(int& alive) { return Ref<Resource>::adopt(new Counted(alive)); }

TEST(Note, GoesWithItsNode) {
  int alive = 0;
  {
    const UOp x = f32(123.5), y = f32(17);
    set_note(x.node(), note(alive));
    EXPECT_TRUE(note_of(x.node()));
    EXPECT_FALSE(note_of(y.node()));
    EXPECT_EQ(f32(123.5), x) << "a note is no part of the structure";
    EXPECT_EQ(alive, 1);
  }
  EXPECT_EQ(alive, 0);
  EXPECT_FALSE(note_of(f32(123.5).node()));
}
TEST(Note, IsReplacedAndTaken) {
  int alive = 0;
  const UOp x = f32(123.5);
  set_note(x.node(), note(alive));
  set_note(x.node(), note(alive));
  EXPECT_EQ(alive, 1);
  set_note(x.node(), {});
  EXPECT_EQ(alive, 0);
  EXPECT_FALSE(note_of(x.node()));
}
TEST(Interner, AFailedTypeRuleLeavesNothing) {
  const UOp a = f32(5), b = constant(5, DType::Int32);
  const int64_t before = live();
  EXPECT_THROW(a + b, DTypeError);
  EXPECT_EQ(live(), before);
}
TEST(Interner, SourcesLiveAsLongAsTheirUsers) {
  UOp y;
  {
    const UOp x = f32(41.5);
    y = sqrt(x);
  }
  EXPECT_EQ(y.src(0).scalar().f64(), 41.5);
}
TEST(Interner, AMillionDeepChainIsBuiltAndFreed) {
  const int64_t before = live();
  {
    UOp x = f32(2);
    for (int i = 0; i < 1000000; ++i) x = sqrt(x);
    EXPECT_GE(live(), before + 1000000);
  }
  EXPECT_EQ(live(), before);
}
TEST(Interner, ABufferKeepsItsStorage) {
  struct Storage : Resource {
    explicit Storage(bool& gone) : gone(gone) {}
    ~Storage() override { gone = true; }
    bool& gone;
  };
  bool gone = false;
  {
    Ref<Storage> storage = make_ref<Storage>(gone);
    const UOp b = buffer({2}, DType::Float32, 0, storage.get());
    storage = {};
    EXPECT_FALSE(gone);
  }
  EXPECT_TRUE(gone);
}

// All threads build and drop one and the same graph: they must get the same nodes and leave none.
TEST(InternerThreads, EightBuildAndDropTheSameGraphs) {
  const int64_t before = live();
  const UOp kept = f32(0.5) + f32(0.25);
  std::atomic<int> differing{0};
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 8; ++t) {
      threads.emplace_back([&] {
        for (int round = 0; round < 300; ++round) {
          UOp x = f32(0.5) + f32(0.25);
          if (x != kept) ++differing;
          for (int i = 0; i < 20; ++i) x = sqrt(x * f32(i % 5));
        }
      });
    }
  }
  EXPECT_EQ(differing, 0);
  EXPECT_EQ(live(), before + 3);
}
TEST(InternerThreads, GraphsHandedBetweenThreadsStayEqual) {
  std::vector<UOp> results(8);
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 8; ++t) {
      threads.emplace_back([&results, t] {
        UOp x = f32(3.5);
        for (int i = 0; i < 500; ++i) x = i % 2 == 0 ? sqrt(x) : x + f32(i);
        results[static_cast<size_t>(t)] = x;
      });
    }
  }
  for (const UOp& r : results) EXPECT_EQ(r, results[0]);
}

TEST(UOp, IsEmptyByDefault) {
  EXPECT_FALSE(UOp{});
  EXPECT_FALSE(UOp{}.is(Op::Const));
}
TEST(UOp, MovedFromIsEmpty) {
  UOp x = f32(1);
  const UOp y = std::move(x);
  EXPECT_FALSE(x);  // NOLINT(bugprone-use-after-move): the state is documented
  EXPECT_TRUE(y);
}
TEST(UOp, KnowsItsConstants) {
  EXPECT_TRUE(f32(2).is_const(2));
  EXPECT_FALSE(f32(2).is_const(3));
  EXPECT_TRUE(constant(-1, DType::Int8).is_const(-1));
  EXPECT_FALSE(sqrt(f32(4)).is_const(2));
}
TEST(UOp, WithSourcesKeepsOpAndArgument) {
  const UOp x = cast(f32(1), DType::Int8), y = f32(2);
  const UOp z = with_sources(x, {{y}});
  EXPECT_EQ(z, cast(y, DType::Int8));
  EXPECT_EQ(with_sources(x, {{x.src(0)}}), x);
}
TEST(UOp, BuildersDropWhatDoesNothing) {
  const UOp x = full({2, 3}, Scalar::of_double(1, DType::Float32));
  EXPECT_EQ(reshape(x, {2, 3}), x);
  EXPECT_EQ(permute(x, {{0, 1}}), x);
  EXPECT_EQ(expand(x, {2, 3}), x);
  EXPECT_EQ(pad(x, {{0, 0, 0, 0}}), x);
  EXPECT_EQ(shrink(x, {{0, 2, 0, 3}}), x);
  EXPECT_EQ(flip(x, {}), x);
  EXPECT_EQ(reduce(x, ReduceOp::Add, {}), x);
  EXPECT_EQ(cast(x, DType::Float32), x);
  EXPECT_EQ(contiguous(contiguous(x)), contiguous(x));
}

}  // namespace
}  // namespace tg
