// The grammar of work-items and barriers in linear code.
#include <gtest/gtest.h>

#include "rewrite/item_flow.h"
#include "rewrite/verify.h"
#include "tg/error.h"

namespace tg {
namespace {

struct Pieces {
  UOp n = index_const(8), one = index_const(1), zero = index_const(0);
  UOp p = param(0, {64}, DType::Float32), q = param(1, {64}, DType::Float32);
  UOp launch = make(Op::Range, {n}, {{0, 1}}), item = make(Op::Range, {n}, {{1, 2}}),
      item2 = make(Op::Range, {n}, {{2, 2}});
  UOp end_launch = make(Op::End, {launch}, {{1}}), end_item = make(Op::End, {item}, {{1}}),
      end_item2 = make(Op::End, {item2}, {{1}});
  UOp value = make(Op::Load, {p, item}, {{1, 0}});
  UOp store = make(Op::Store, {q, item, value}, {{0, 0}});
  UOp barrier = make(Op::Barrier, {store}, {{0}});
  UOp loop = range(n, 3), end_loop = make(Op::End, {loop}, {{1}});
  UOp below = lt(item, one), branch = make(Op::If, {below}, {{4}}),
      endif = make(Op::EndIf, {branch});
  UOp often = range(item, 5), end_often = make(Op::End, {often}, {{1}});
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

TEST(VerifyItems, AcceptsItemsInTheLaunchAndBarriersInLoopsOfAll) {
  const Pieces s;
  const UOp sum = s.launch + s.one;
  EXPECT_NO_THROW(
      verify_linear(list(s, {s.launch, sum, s.item, s.item2, s.value, s.store, s.loop, s.barrier,
                             s.end_loop, s.end_item2, s.end_item, s.end_launch})));
}

TEST(VerifyItems, AcceptsMatrixUnitsInLoopsOfAllItems) {
  const Pieces s;
  EXPECT_NO_THROW(
      verify_linear(list(s, {s.zero2.src(0), s.zero2, s.launch, s.item, s.value, s.two, s.loop,
                             s.product, s.end_loop, s.end_item, s.end_launch})));
}

struct BadItems {
  const char* name;
  std::vector<UOp> ops;
  const char* rule;
};

class ItemRule : public testing::TestWithParam<BadItems> {};

TEST_P(ItemRule, IsEnforced) {
  try {
    verify_linear(GetParam().ops);
    ADD_FAILURE() << "accepted";
  } catch (const InternalError& e) {
    EXPECT_NE(std::string(e.what()).find(GetParam().rule), std::string::npos) << e.what();
  }
}

std::vector<BadItems> bad_items() {
  const Pieces s;
  const UOp early = make(Op::Load, {s.p, s.launch}, {{1, 0}});
  const UOp grown = s.launch + s.one;
  const UOp whole = cast(s.zero2, DType::Int32),
            wholes = make(Op::Mma, {whole, whole, s.zero2}, {{0}});
  const UOp nothing = make(Op::Mma, {s.zero2, s.zero2, s.zero2}, {{0}});
  const UOp f = s.zero2.src(0);
  const UOp varying = make(Op::Range, {grown}, {{6, 2}});
  const char* place = "an item range stands directly inside the launch range, before all else";
  return {
      {"ItemsOutsideTheLaunch", list(s, {s.item}), place},
      {"ItemsInsideALoop", list(s, {s.launch, s.loop, s.item}), place},
      {"ItemsBehindALoop", list(s, {s.launch, s.loop, s.end_loop, s.item}), place},
      {"ItemsBehindALoad", list(s, {s.launch, early, s.item}), place},
      {"ItemsThatVary", list(s, {s.launch, grown, varying}), "an item range has a constant extent"},
      {"SomethingBehindTheItems", list(s, {s.launch, s.item, s.end_item, grown, s.end_launch}),
       "nothing follows the item ranges"},
      {"ABarrierOutside", list(s, {s.bare}), "a barrier stands inside item ranges"},
      {"ABarrierBesideTheItems", list(s, {s.launch, s.bare}), "a barrier stands inside"},
      {"ABarrierOfSomeItems", list(s, {s.launch, s.item, s.below, s.branch, s.bare}),
       "all items of a group go the same way to a barrier"},
      {"ABarrierInALoopOfDifferentLengths", list(s, {s.launch, s.item, s.often, s.bare}),
       "all items of a group go the same way to a barrier"},
      {"AProductOfSomeItems", list(s, {f, s.zero2, s.launch, s.item, s.below, s.branch, nothing}),
       "all items of a group go the same way to an mma"},
      {"AProductInALoopOfDifferentLengths",
       list(s, {f, s.zero2, s.launch, s.item, s.often, nothing}),
       "all items of a group go the same way to an mma"},
      {"AProductOfIntegers", list(s, {f, s.zero2, s.launch, s.item, whole, wholes}),
       "an mma adds floats to floats"},
  };
}
INSTANTIATE_TEST_SUITE_P(Table, ItemRule, testing::ValuesIn(bad_items()),
                         [](const auto& i) { return std::string(i.param.name); });

TEST(ItemFlow, FollowsValuesButNotTheOrderOfEffects) {
  const Pieces s;
  const UOp seen = after(s.p, {{s.store}});
  const UOp fixed = make(Op::Load, {seen, s.zero}, {{1, 0}});
  ItemFlow flow;
  for (const UOp& u : {s.n, s.zero, s.p, s.q, s.launch, s.item, s.value, s.store, seen, fixed})
    flow.add(u.node());
  EXPECT_TRUE(flow.varies(s.item.node()));
  EXPECT_TRUE(flow.varies(s.value.node()));
  EXPECT_FALSE(flow.varies(s.launch.node()));
  EXPECT_FALSE(flow.varies(fixed.node()));
}

}  // namespace
}  // namespace tg
