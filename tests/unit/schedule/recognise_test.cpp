// Sums that need no loop: each form gives the numbers of the loop it replaces, for indices inside,
// at and beyond the ends.
#include "schedule/recognise.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "rewrite/verify.h"
#include "tg/ir/text.h"
#include "tg/ir/walk.h"
#include "uop/evaluate_ranged.h"

namespace tg {
namespace {

constexpr Dim kRows = 5, kSteps = 7;

struct Terms {
  UOp row = range(kRows, 0);
  UOp step = range(kSteps, 1);
  UOp x = param(1, {kSteps, kRows}, DType::Float32);
  UOp label = param(2, {kRows}, DType::Int32);
  UOp at = load(label, std::vector<UOp>{row});
  UOp value = load(x, std::vector<UOp>{step, row});
  UOp step32 = cast(step, DType::Int32);
  UOp row32 = cast(row, DType::Int32);
  UOp zero = constant(0.0, DType::Float32);
  UOp one = constant(1.0, DType::Float32);
  UOp number(int v) const { return constant(int64_t{v}, DType::Int32); }
  UOp flag(const UOp& c) const { return cast(cast(c, DType::Int32), DType::Float32); }
};

struct TermForm {
  const char* name;
  UOp (*term)(const Terms&);
  bool loop_is_removed = true;
  ReduceOp op = ReduceOp::Add;
};

const TermForm kTermForms[] = {
    {"OneHotWhere", [](const Terms& t) { return where(eq(t.step32, t.at), t.value, t.zero); }},
    {"OneHotWhereNot", [](const Terms& t) { return where(ne(t.at, t.step32), t.zero, t.value); }},
    {"OneHotProduct", [](const Terms& t) { return t.flag(eq(t.at, t.step32)) * t.value; }},
    {"OneHotProductOtherWay", [](const Terms& t) { return t.value * t.flag(eq(t.step32, t.at)); }},
    {"OneHotOfAShiftedStep",
     [](const Terms& t) { return where(eq(t.step32 + t.number(2), t.at), t.value, t.zero); }},
    {"OneHotUnderAnotherCondition",
     [](const Terms& t) {
       return where(eq(t.step32, t.at) & lt(t.row32, t.number(3)), t.value, t.zero);
     }},
    {"OneHotWithAConditionOfTheStep",
     [](const Terms& t) {
       return where(eq(t.step32, t.at) & lt(t.step32, t.number(4)), t.value, t.zero);
     }},
    {"Diagonal", [](const Terms& t) { return where(eq(t.step32, t.row32), t.value, t.zero); }},
    {"CountUpTo", [](const Terms& t) { return t.flag(ge(t.row32, t.step32)); }},
    {"CountBelow", [](const Terms& t) { return where(lt(t.step32, t.row32), t.one, t.zero); }},
    {"CountBand",
     [](const Terms& t) {
       return t.flag(lt(t.step32, t.row32 + t.number(1)) & lt(t.row32, t.step32 + t.number(3)));
     }},
    {"CountNone", [](const Terms& t) { return t.flag(lt(t.step32 + t.number(9), t.row32)); }},
    {"CountToALabel", [](const Terms& t) { return where(lt(t.step32, t.at), t.one, t.zero); }},
    {"EqualTerms", [](const Terms& t) { return cast(t.at, DType::Float32); }},
    {"LargestOfEqualTerms", [](const Terms& t) { return cast(t.at, DType::Float32); }, true,
     ReduceOp::Max},
    {"PlainSum", [](const Terms& t) { return t.value; }, false},
    {"SomeTerms", [](const Terms& t) { return where(lt(t.step32, t.row32), t.value, t.zero); },
     false},
    {"OtherwiseOne", [](const Terms& t) { return where(eq(t.step32, t.at), t.value, t.one); },
     false},
    {"LargestOfOneHot", [](const Terms& t) { return where(eq(t.step32, t.at), t.value, t.zero); },
     false, ReduceOp::Max},
    {"TwiceTheStep",
     [](const Terms& t) { return where(eq(t.step32 * t.number(2), t.at), t.value, t.zero); },
     false},
};

class Recognised : public testing::TestWithParam<TermForm> {};

std::vector<double> run(const UOp& kernel, const std::vector<double>& labels) {
  std::vector<double> values;
  for (int i = 0; i < kSteps * kRows; ++i) values.push_back(i * 5 % 13 - 6);
  std::vector<TensorValue> params = {TensorValue::zeros({kRows}, DType::Float32),
                                     TensorValue::of({kSteps, kRows}, DType::Float32, values),
                                     TensorValue::of({kRows}, DType::Int32, labels)};
  evaluate_ranged(kernel, params);
  return params[0].doubles();
}

TEST_P(Recognised, HasTheValueOfTheLoop) {
  const Terms t;
  const TermForm& form = GetParam();
  const UOp sum = reduce_ranges(form.term(t), form.op, std::vector<UOp>{t.step});
  const UOp stored =
      store_at(param(0, {kRows}, DType::Float32), std::vector<UOp>{t.row}, sum, {}, Combine::Set);
  const UOp root = end(stored, std::vector<UOp>{t.row});
  const UOp kernel = sink(std::span(&root, 1));
  const UOp found = recognise_reductions(kernel);
  verify_ranged(found);
  const auto nodes = toposort(found);
  const bool loop = std::ranges::any_of(nodes, [](const Node* n) { return n->op == Op::Reduce; });
  EXPECT_EQ(loop, !form.loop_is_removed) << print(found);
  for (const std::vector<double>& labels :
       {std::vector<double>{0, 1, 2, 3, 4}, {6, 6, 0, 0, 3}, {-1, 7, 8, -100, 5}}) {
    EXPECT_EQ(run(found, labels), run(kernel, labels)) << print(found);
  }
  EXPECT_EQ(recognise_reductions(found), found);
}

// Where a bound one further on, or its negation, would wrap, the loop stays.
class CountsToTheEndsOf : public testing::TestWithParam<DType> {};

TEST_P(CountsToTheEndsOf, The64BitNumbers) {
  const DType dtype = GetParam();
  const UOp row = range(kRows, 0), step = range(kSteps, 1);
  const UOp label = load(param(1, {kRows}, dtype), std::vector<UOp>{row});
  for (const UOp& condition : {lt(cast(step, dtype), label), lt(label, cast(step, dtype))}) {
    const UOp count =
        reduce_ranges(cast(condition, DType::Float32), ReduceOp::Add, std::vector<UOp>{step});
    const UOp stored =
        store_at(param(0, {kRows}, DType::Float32), std::vector<UOp>{row}, count, {}, Combine::Set);
    const UOp root = end(stored, std::vector<UOp>{row});
    const UOp kernel = sink(std::span(&root, 1));
    std::vector<TensorValue> want = {TensorValue::zeros({kRows}, DType::Float32),
                                     TensorValue::zeros({kRows}, dtype)};
    const uint64_t ends[] = {0, 3, ~uint64_t{0}, uint64_t{1} << 63, ~uint64_t{0} >> 1};
    for (int64_t i = 0; i < kRows; ++i) want[1].set(i, Scalar::of_uint(ends[i], dtype));
    std::vector<TensorValue> got = want;
    evaluate_ranged(kernel, want);
    evaluate_ranged(recognise_reductions(kernel), got);
    EXPECT_EQ(got[0], want[0]) << print(recognise_reductions(kernel));
  }
}

INSTANTIATE_TEST_SUITE_P(Wide, CountsToTheEndsOf, testing::Values(DType::Int64, DType::UInt64));

INSTANTIATE_TEST_SUITE_P(Forms, Recognised, testing::ValuesIn(kTermForms),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace tg
