// Bounds of rounding errors: what float32 makes of random programs lies inside them, what is a
// little wrong lies outside, and few elements are given up.
#include "tg-conformance/error_bound.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "runtime/buffer.h"
#include "support/effort.h"
#include "tensor/state.h"
#include "tg-conformance/bounded_graph.h"
#include "tg-conformance/random_programs.h"
#include "tg-conformance/run_program.h"
#include "tg/ir/walk.h"
#include "uop/evaluate_tensor.h"

namespace tg::conformance {
namespace {

Element number(double v, double error = 0, uint64_t origin = 5) {
  return {Scalar::of_double(v, DType::Float64), error, origin};
}
Element of(Op op, DType t, std::vector<Element> src) {
  const std::vector<DType> types(src.size(), DType::Float32);
  return apply(op, t, src, types, {});
}

TEST(ErrorBound, WhatIsRepresentableIsExact) {
  EXPECT_TRUE(of(Op::Add, DType::Float32, {number(0.5), number(2)}).exact());
  EXPECT_TRUE(of(Op::Mul, DType::Float16, {number(1.5), number(3)}).exact());
  EXPECT_FALSE(of(Op::Add, DType::Float16, {number(2048), number(1)}).exact());
  EXPECT_FALSE(of(Op::FDiv, DType::Float32, {number(1), number(3)}).exact());
  EXPECT_FALSE(of(Op::FDiv, DType::Float64, {number(1), number(3)}).exact());
}

TEST(ErrorBound, DifferencesKeepTheErrorOfWhatCancels) {
  const Element e = of(Op::Add, DType::Float32, {number(1e6, 0.1), number(-1e6, 0.2)});
  EXPECT_EQ(e.number(), 0);
  EXPECT_NEAR(e.error, 0.3, 1e-6);
}

TEST(ErrorBound, ComparisonsWithinTheErrorAreUncertain) {
  EXPECT_TRUE(of(Op::CmpLt, DType::Bool, {number(1, 0.1), number(2, 0.1, 6)}).exact());
  EXPECT_FALSE(of(Op::CmpLt, DType::Bool, {number(1, 0.6), number(2, 0.6, 6)}).exact());
  // The same number, however it was rounded.
  const Element same = of(Op::CmpNe, DType::Bool, {number(1, 0.6, 9), number(1, 0.6, 9)});
  EXPECT_TRUE(same.exact());
  EXPECT_FALSE(same.value.truthy());
}

TEST(ErrorBound, ChoicesByUncertainConditionsAreOneOfBoth) {
  const Element condition{Scalar::of_int(1, DType::Bool), 1, 3};
  const std::array<Element, 3> src = {condition, number(1), number(4, 0, 6)};
  const std::array<DType, 3> types = {DType::Bool, DType::Float32, DType::Float32};
  const Element e = apply(Op::Where, DType::Float32, src, types, {});
  EXPECT_EQ(e.number(), 1);
  EXPECT_GE(e.error, 3);
}

TEST(ErrorBound, NothingIsSaidOfQuotientsByWhatMayBeZero) {
  EXPECT_EQ(of(Op::FDiv, DType::Float32, {number(1), number(0.1, 0.2)}).error, kUnknown);
  EXPECT_EQ(of(Op::Sqrt, DType::Float32, {number(0.1, 0.2)}).error, kUnknown);
  EXPECT_EQ(of(Op::Mul, DType::Float32, {number(0), number(INFINITY)}).error, kUnknown);
}

TEST(ErrorBound, SumsCountWhatIsSummed) {
  Sum s(DType::Float32, DType::Float32);
  for (int i = 0; i < 100; ++i) s.add(number(i % 2 == 0 ? 1e4 / 3 : -1e4 / 3));
  EXPECT_NEAR(s.result(1).number(), 0, 1e-6);
  EXPECT_GT(s.result(1).error, 1e-3);
  EXPECT_LT(s.result(1).error, 10);
  Sum whole(DType::Float32, DType::Float32);
  for (int i = 0; i < 100; ++i) whole.add(number(i));
  EXPECT_TRUE(whole.result(1).exact());
}

TEST(ErrorBound, ProductsMayLeaveTheirRangeInSomeOrderOnly) {
  const auto leave = [](const std::vector<double>& factors) {
    Factors f;
    for (const double x : factors) f.add(number(x));
    return f.may_leave(DType::Float32);
  };
  EXPECT_TRUE(leave({1e30, 0, 1e30})) << "0, or no number";
  EXPECT_TRUE(leave({1e30, 1e-30, 1e-30, 1e30})) << "1, or 0, or infinite";
  EXPECT_FALSE(leave({1e30, 0, 1e5}));
  EXPECT_FALSE(leave({0.5, 0, 1e-30, 1e-30}));
  EXPECT_FALSE(leave({2, 3, 4}));
}

TensorValue stored(const Node* n) {
  auto& storage = *static_cast<Buffer*>(n->resource);
  std::vector<std::byte> bytes(static_cast<size_t>(storage.bytes()));
  storage.copy_out(bytes.data(), storage.bytes());
  return TensorValue::from_bytes({n->shape().begin(), n->shape().end()}, n->dtype, bytes);
}

bool stores(const Program& p) {
  return std::ranges::any_of(p.values, [](const Value& v) {
    const auto* s = std::get_if<Step>(&v);
    return s != nullptr && (s->function == "set" || s->function == "assign");
  });
}

// An index of 0 or -1, for rounding may go either way: what is read there is not known to be equal
// to anything else that is read like that.
TEST(ErrorBound, WhatUncertainIndicesReadIsEqualOnlyToItself) {
  const Tensor index = ((Tensor::arange(2.0) + 0.5) * (1.0 / 3) - 0.5).floor().cast(DType::Int32);
  for (const DType t : {DType::Float32, DType::Int32}) {
    const Tensor rows = Tensor(std::vector<float>{5, 7}, {2, 1}).cast(t).index({Slice(), index});
    const std::vector<UOp> root = {rows.eq(rows.unsqueeze(1)).state()->node()};
    const BoundedValue equal = evaluate_bounded(root, stored).front();
    ASSERT_EQ(equal.numel(), 8);
    EXPECT_FALSE(equal.at(3).exact()) << "row 1 and row 0, each read at an uncertain index";
    EXPECT_TRUE(equal.at(0).exact()) << "row 0 and itself, at an index that is certain";
  }
}

// A thousandth off, where that is more than rounding.
bool disturb(TensorValue& v, const BoundedValue& want) {
  for (int64_t i = 0; is_float(v.dtype) && i < v.numel(); ++i) {
    const double x = v.at(i).as_double();
    if (!std::isfinite(x) || 8 * want.at(i).error > 1e-3 * std::abs(x) || x == 0) continue;
    v.set(i, Scalar::of_double(x * 1.001, v.dtype));
    return true;
  }
  return false;
}

TEST(ErrorBound, HoldsForRandomProgramsInFloat32AndNoMore) {
  int64_t disturbed = 0, programs = 0;
  double unknown = 0;  // the shares of elements of all programs: one of long arrays is not them all
  for (uint64_t seed = 1; seed <= test::trials(400); ++seed) {
    const DrawnProgram d = random_program(seed, {DType::Float32});
    ASSERT_EQ(d.fault, "");
    if (stores(d.program) || d.program.values.empty()) continue;
    std::vector<UOp> roots;
    for (const Tensor& t : build_results(d.program, make_inputs(d.program)))
      roots.push_back(t.state()->node());
    BufferContents contents;
    for (const Node* n : toposort(roots)) {
      if (n->op == Op::Buffer) contents.emplace(n, stored(n));
    }
    std::vector<TensorValue> got = evaluate(roots, contents);
    const std::vector<BoundedValue> want = evaluate_bounded(roots, stored);
    Judgement all;
    for (size_t r = 0; r < got.size(); ++r) {
      const Judgement j = judge(got[r], want[r]);
      EXPECT_EQ(j.difference, "") << "program " << seed << ", result " << r;
      all.judged += j.judged, all.unknown += j.unknown;
      if (!disturb(got[r], want[r])) continue;
      ++disturbed;
      EXPECT_NE(judge(got[r], want[r]).difference, "") << "program " << seed << ", result " << r;
    }
    const int64_t elements = all.judged + all.unknown;
    unknown += elements == 0 ? 0 : static_cast<double>(all.unknown) / static_cast<double>(elements);
    ++programs;
  }
  EXPECT_GT(disturbed, static_cast<int64_t>(test::trials(400) / 3));
  EXPECT_LT(unknown, 0.05 * static_cast<double>(programs));
}

}  // namespace
}  // namespace tg::conformance
