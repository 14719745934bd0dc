// The grammar of work-items and barriers in linear code.
#include <gtest/gtest.h>

#include "rewrite/verify.h"
#include "rewrite/work_item_flow.h"
#include "tg/error.h"

namespace tg {
namespace {

struct Pieces {
  UOp n = index_const(8), one = index_const(1), zero = index_const(0);
  UOp p = param(0, {64}, DType::Float32), q = param(1, {64}, DType::Float32);
  UOp launch = make(Op::Range, {n}, {{0, 1}}), work_item = make(Op::Range, {n}, {{1, 2}}),
      work_item2 = make(Op::Range, {n}, {{2, 2}});
  UOp end_launch = make(Op::End, {launch}, {{1}}),
      end_work_item = make(Op::End, {work_item}, {{1}}),
      end_work_item2 = make(Op::End, {work_item2}, {{1}});
  UOp value = make(Op::Load, {p, work_item}, {{1, 0}});
  UOp store = make(Op::Store, {q, work_item, value}, {{0, 0}});
  UOp barrier = make(Op::Barrier, {store}, {{0}});
  UOp loop = range(n, 3), end_loop = make(Op::End, {loop}, {{1}});
  UOp below = lt(work_item, one), branch = make(Op::If, {below}, {{4}}),
      endif = make(Op::EndIf, {branch});
  UOp often = range(work_item, 5), end_often = make(Op::End, {often}, {{1}});
  UOp bare = make(Op::Barrier, {}, {{1}});
  UOp two = make(Op::Splat, {value}, {{2}}),
      zero2 = make(Op::Splat, {constant(0.0, DType::Float32)}, {{2}}),
      product = make(Op::Mma, {two, two, zero2}, {{0}});
};

std::vector<UOp> list(const Pieces& s, std::initializer_list<UOp> rest) {
  std::vector<UOp> all = {s.n, s.one, s.zero, s.p, s.q};
  all.insert(all.end(), rest);
  return all;
}

TEST(VerifyWorkItems, AcceptsWorkItemsInTheLaunchAndBarriersInLoopsOfAll) {
  const Pieces s;
  const UOp sum = s.launch + s.one;
  EXPECT_NO_THROW(verify_linear(
      list(s, {s.launch, sum, s.work_item, s.work_item2, s.value, s.store, s.loop, s.barrier,
               s.end_loop, s.end_work_item2, s.end_work_item, s.end_launch})));
}

TEST(VerifyWorkItems, AcceptsMatrixUnitsInLoopsOfAllWorkItems) {
  const Pieces s;
  EXPECT_NO_THROW(
      verify_linear(list(s, {s.zero2.src(0), s.zero2, s.launch, s.work_item, s.value, s.two, s.loop,
                             s.product, s.end_loop, s.end_work_item, s.end_launch})));
}

struct BadWorkItems {
  const char* name;
  std::vector<UOp> ops;
  const char* rule;
};

class WorkItemRule : public testing::TestWithParam<BadWorkItems> {};

TEST_P(WorkItemRule, IsEnforced) {
  try {
    verify_linear(GetParam().ops);
    ADD_FAILURE() << "accepted";
  } catch (const InternalError& e) {
    EXPECT_NE(std::string(e.what()).find(GetParam().rule), std::string::npos) << e.what();
  }
}

std::vector<BadWorkItems> bad_work_items() {
  const Pieces s;
  const UOp early = make(Op::Load, {s.p, s.launch}, {{1, 0}});
  const UOp grown = s.launch + s.one;
  const UOp whole = cast(s.zero2, DType::Int32),
            wholes = make(Op::Mma, {whole, whole, s.zero2}, {{0}});
  const UOp nothing = make(Op::Mma, {s.zero2, s.zero2, s.zero2}, {{0}});
  const UOp f = s.zero2.src(0);
  const UOp varying = make(Op::Range, {grown}, {{6, 2}});
  const char* place = "a work-item range stands directly inside the launch range, before all else";
  return {
      {"WorkItemsOutsideTheLaunch", list(s, {s.work_item}), place},
      {"WorkItemsInsideALoop", list(s, {s.launch, s.loop, s.work_item}), place},
      {"WorkItemsBehindALoop", list(s, {s.launch, s.loop, s.end_loop, s.work_item}), place},
      {"WorkItemsBehindALoad", list(s, {s.launch, early, s.work_item}), place},
      {"WorkItemsThatVary", list(s, {s.launch, grown, varying}),
       "a work-item range has a constant extent"},
      {"SomethingBehindTheWorkItems",
       list(s, {s.launch, s.work_item, s.end_work_item, grown, s.end_launch}),
       "nothing follows the work-item ranges"},
      {"ABarrierOutside", list(s, {s.bare}), "a barrier stands inside work-item ranges"},
      {"ABarrierBesideTheWorkItems", list(s, {s.launch, s.bare}), "a barrier stands inside"},
      {"ABarrierOfSomeWorkItems", list(s, {s.launch, s.work_item, s.below, s.branch, s.bare}),
       "all work-items of a group go the same way to a barrier"},
      {"ABarrierInALoopOfDifferentLengths", list(s, {s.launch, s.work_item, s.often, s.bare}),
       "all work-items of a group go the same way to a barrier"},
      {"AProductOfSomeWorkItems",
       list(s, {f, s.zero2, s.launch, s.work_item, s.below, s.branch, nothing}),
       "all work-items of a group go the same way to an mma"},
      {"AProductInALoopOfDifferentLengths",
       list(s, {f, s.zero2, s.launch, s.work_item, s.often, nothing}),
       "all work-items of a group go the same way to an mma"},
      {"AProductOfIntegers", list(s, {f, s.zero2, s.launch, s.work_item, whole, wholes}),
       "an mma adds floats to floats"},
  };
}
INSTANTIATE_TEST_SUITE_P(Table, WorkItemRule, testing::ValuesIn(bad_work_items()),
                         [](const auto& i) { return std::string(i.param.name); });

TEST(WorkItemFlow, FollowsValuesButNotTheOrderOfEffects) {
  const Pieces s;
  const UOp seen = after(s.p, {{s.store}});
  const UOp fixed = make(Op::Load, {seen, s.zero}, {{1, 0}});
  WorkItemFlow flow;
  for (const UOp& u : {s.n, s.zero, s.p, s.q, s.launch, s.work_item, s.value, s.store, seen, fixed})
    flow.add(u.node());
  EXPECT_TRUE(flow.varies(s.work_item.node()));
  EXPECT_TRUE(flow.varies(s.value.node()));
  EXPECT_FALSE(flow.varies(s.launch.node()));
  EXPECT_FALSE(flow.varies(fixed.node()));
}

}  // namespace
}  // namespace tg
