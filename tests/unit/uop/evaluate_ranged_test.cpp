// Ranged kernels in the evaluator: loops, reductions, stages, gates, order, and what is refused.
#include "uop/evaluate_ranged.h"
#include "support/tensors.h"
#include "tg/error.h"
#include "unit/uop/support/nodes.h"

namespace tg {
namespace {

using test::after_one;
using test::i32;

using Doubles = std::vector<double>;
using Uops = std::vector<UOp>;

UOp out_param(int slot, const Shape& s, DType t = DType::Int32) { return param(slot, s, t); }
UOp at(const UOp& ptr, const Uops& idx, const UOp& gate = {}) { return load(ptr, idx, gate); }
UOp put(const UOp& ptr, const Uops& idx, const UOp& v, const UOp& gate = {},
        Combine c = Combine::Set) {
  return store_at(ptr, idx, v, gate, c);
}
UOp ends(const UOp& e, const Uops& r) { return end(e, r); }
UOp sum_over(const UOp& v, const Uops& r) { return reduce_ranges(v, ReduceOp::Add, r); }
UOp sink_of(const Uops& roots) { return sink(roots); }
TensorValue ints(const Shape& s, const Doubles& v) { return TensorValue::of(s, DType::Int32, v); }
TensorValue zeros(const Shape& s) { return TensorValue::zeros(s, DType::Int32); }

class EvaluateRangedExtent : public testing::TestWithParam<int64_t> {};

TEST_P(EvaluateRangedExtent, ElementwiseKernel) {
  const int64_t n = GetParam();
  UOp i = range(n, 1), x = param(0, {n}, DType::Int32), y = out_param(1, {n});
  std::mt19937_64 rng(1);
  std::vector<TensorValue> p = {test::random_tensor(rng, {n}, DType::Int32), zeros({n})};
  evaluate_ranged(sink_of({ends(put(y, {i}, at(x, {i}) * 2), {i})}), p);
  for (int64_t e = 0; e < n; ++e) EXPECT_EQ(p[1].at(e).i64(), 2 * p[0].at(e).i64());
}

TEST_P(EvaluateRangedExtent, SumOfARow) {
  const int64_t n = GetParam();
  UOp i = range(2, 1), j = range(n, 2), x = param(0, {2, n}, DType::Int32), y = out_param(1, {2});
  std::mt19937_64 rng(2);
  std::vector<TensorValue> p = {test::random_tensor(rng, {2, n}, DType::Int32), zeros({2})};
  evaluate_ranged(sink_of({ends(put(y, {i}, sum_over(at(x, {i, j}), {j})), {i})}), p);
  for (int64_t r = 0; r < 2; ++r) {
    int64_t expected = 0;
    for (int64_t e = 0; e < n; ++e) expected += p[0].at(r * n + e).i64();
    EXPECT_EQ(p[1].at(r).i64(), expected);
  }
}

TEST_P(EvaluateRangedExtent, MatrixProduct) {
  const int64_t n = GetParam();
  UOp i = range(n, 1), j = range(3, 2), k = range(n, 3);
  UOp a = param(0, {n, n}, DType::Int32), b = param(1, {n, 3}, DType::Int32),
      c = out_param(2, {n, 3});
  std::mt19937_64 rng(3);
  std::vector<TensorValue> p = {test::random_tensor(rng, {n, n}, DType::Int32),
                                test::random_tensor(rng, {n, 3}, DType::Int32), zeros({n, 3})};
  evaluate_ranged(
      sink_of({ends(put(c, {i, j}, sum_over(at(a, {i, k}) * at(b, {k, j}), {k})), {i, j})}), p);
  test::expect_elements(p[2], [&](const test::Index& e) {
    double s = 0;
    for (Dim q = 0; q < n; ++q)
      s += test::element(p[0], {e[0], q}) * test::element(p[1], {q, e[1]});
    return s;
  });
}

TEST_P(EvaluateRangedExtent, StagedRowIsReadInReverse) {
  const int64_t n = GetParam();
  UOp i = range(3, 1), j = range(n, 2), q = range(n, 3), x = param(0, {3, n}, DType::Int32),
      y = out_param(1, {3, n});
  UOp row = stage(at(x, {i, q}) * 10, Uops{q}, 7, Space::Scratch);
  std::mt19937_64 rng(4);
  std::vector<TensorValue> p = {test::random_tensor(rng, {3, n}, DType::Int32), zeros({3, n})};
  evaluate_ranged(sink_of({ends(put(y, {i, j}, at(row, {index_const(n - 1) - j})), {i, j})}), p);
  test::expect_elements(
      p[1], [&](const test::Index& e) { return 10 * test::element(p[0], {e[0], n - 1 - e[1]}); });
}

TEST_P(EvaluateRangedExtent, VariableIsAnExtent) {
  const int64_t n = GetParam();
  UOp v = variable("evaluate_ranged_n", 0, 100), i = range(v, 1), y = out_param(0, {100});
  std::vector<TensorValue> p = {zeros({100})};
  evaluate_ranged(sink_of({ends(put(y, {i}, i32(1)), {i})}), p, {{v.node(), n}});
  for (int64_t e = 0; e < 100; ++e) EXPECT_EQ(p[0].at(e).i64(), e < n);
}

TEST_P(EvaluateRangedExtent, CombiningStoreCountsIterations) {
  const int64_t n = GetParam();
  UOp i = range(n, 1), y = out_param(0, {1});
  std::vector<TensorValue> p = {zeros({1})};
  evaluate_ranged(sink_of({ends(put(y, {index_const(0)}, i32(3), {}, Combine::Add), {i})}), p);
  EXPECT_EQ(p[0].at(0).i64(), 3 * n);
}

INSTANTIATE_TEST_SUITE_P(Extents, EvaluateRangedExtent, testing::Values(0, 1, 2, 5));

TEST(EvaluateRanged, SoftmaxLikePassesUseRangesOfTheirOwn) {
  UOp i = range(2, 1), j1 = range(3, 2), j2 = range(3, 3), j3 = range(3, 4);
  UOp x = param(0, {2, 3}, DType::Int32), y = out_param(1, {2, 3});
  UOp m = reduce_ranges(at(x, {i, j1}), ReduceOp::Max, Uops{j1});
  UOp z = sum_over(at(x, {i, j2}) - m, {j2});
  std::vector<TensorValue> p = {ints({2, 3}, {1, 5, 2, 7, 7, 1}), zeros({2, 3})};
  evaluate_ranged(sink_of({ends(put(y, {i, j3}, at(x, {i, j3}) * z), {i, j3})}), p);
  EXPECT_EQ(p[1].doubles(), (Doubles{-7, -35, -14, -42, -42, -6}));
}

TEST(EvaluateRanged, TwoReducesMayCloseOneRange) {
  UOp j = range(3, 1), x = param(0, {3}, DType::Int32), y = out_param(1, {});
  UOp s = sum_over(at(x, {j}), {j}), m = reduce_ranges(at(x, {j}), ReduceOp::Max, Uops{j});
  std::vector<TensorValue> p = {ints({3}, {1, 5, 2}), zeros({})};
  evaluate_ranged(sink_of({put(y, {}, s * m)}), p);
  EXPECT_EQ(p[1].at(0).i64(), 40);
}

TEST(EvaluateRanged, ReduceOverTwoRanges) {
  UOp i = range(2, 1), j = range(3, 2), x = param(0, {2, 3}, DType::Int32), y = out_param(1, {});
  std::vector<TensorValue> p = {ints({2, 3}, {1, 2, 3, 4, 5, 6}), zeros({})};
  evaluate_ranged(sink_of({put(y, {}, reduce_ranges(at(x, {i, j}), ReduceOp::Mul, Uops{i, j}))}),
                  p);
  EXPECT_EQ(p[1].at(0).i64(), 720);
}

TEST(EvaluateRanged, GateProtectsALoad) {
  UOp i = range(4, 1), x = param(0, {2}, DType::Int32), y = out_param(1, {4});
  std::vector<TensorValue> p = {ints({2}, {7, 8}), ints({4}, {1, 1, 1, 1})};
  evaluate_ranged(sink_of({ends(put(y, {i}, at(x, {i}, lt(i, index_const(2)))), {i})}), p);
  EXPECT_EQ(p[1].doubles(), (Doubles{7, 8, 0, 0}));
}

TEST(EvaluateRanged, GateProtectsAStore) {
  UOp i = range(4, 1), y = out_param(0, {2});
  std::vector<TensorValue> p = {zeros({2})};
  evaluate_ranged(
      sink_of({ends(put(y, {i}, cast(i, DType::Int32) + i32(1), lt(i, index_const(2))), {i})}), p);
  EXPECT_EQ(p[0].doubles(), (Doubles{1, 2}));
}

TEST(EvaluateRanged, IndexMayBeLoaded) {
  UOp i = range(3, 1), idx = param(0, {3}, DType::Int32), x = param(1, {4}, DType::Int32),
      y = out_param(2, {3});
  std::vector<TensorValue> p = {ints({3}, {3, 0, 3}), ints({4}, {10, 11, 12, 13}), zeros({3})};
  evaluate_ranged(sink_of({ends(put(y, {i}, at(x, {cast(at(idx, {i}), DType::Index)})), {i})}), p);
  EXPECT_EQ(p[2].doubles(), (Doubles{13, 10, 13}));
}

TEST(EvaluateRanged, LaterStoreWinsInRangeOrder) {
  UOp i = range(3, 1), j = range(2, 2), y = out_param(0, {2});
  UOp v = cast(i * index_const(10) + j, DType::Int32);
  std::vector<TensorValue> p = {zeros({2})};
  evaluate_ranged(sink_of({ends(put(y, {mod(i + j, index_const(2))}, v), {i, j})}), p);
  EXPECT_EQ(p[0].doubles(), (Doubles{20, 21}));
  evaluate_ranged(sink_of({ends(put(y, {mod(i + j, index_const(2))}, v), {j, i})}), p);
  EXPECT_EQ(p[0].doubles(), (Doubles{11, 21})) << "ranges closed in the other order";
}

struct CombineCase {
  Combine how;
  Doubles expected;
};
class EvaluateRangedCombine : public testing::TestWithParam<CombineCase> {};
TEST_P(EvaluateRangedCombine, ScattersWithDuplicates) {
  UOp i = range(4, 1), idx = param(0, {4}, DType::Int32), v = param(1, {4}, DType::Int32),
      y = out_param(2, {2});
  std::vector<TensorValue> p = {ints({4}, {0, 1, 0, 5}), ints({4}, {2, 3, 4, 9}),
                                ints({2}, {3, 3})};
  UOp to = cast(at(idx, {i}), DType::Index);
  evaluate_ranged(
      sink_of({ends(put(y, {to}, at(v, {i}), lt(to, index_const(2)), GetParam().how), {i})}), p);
  EXPECT_EQ(p[2].doubles(), GetParam().expected);
}
INSTANTIATE_TEST_SUITE_P(All, EvaluateRangedCombine,
                         testing::Values(CombineCase{Combine::Set, {4, 3}},
                                         CombineCase{Combine::Add, {9, 6}},
                                         CombineCase{Combine::Mul, {24, 9}},
                                         CombineCase{Combine::Max, {4, 3}}));

TEST(EvaluateRanged, EffectsOfASinkRunInOrder) {
  UOp i = range(2, 1), j = range(2, 2), y = out_param(0, {2});
  std::vector<TensorValue> p = {zeros({2})};
  evaluate_ranged(
      sink_of({ends(put(y, {i}, i32(1)), {i}), ends(put(y, {j}, i32(2), {}, Combine::Add), {j})}),
      p);
  EXPECT_EQ(p[0].doubles(), (Doubles{3, 3}));
}

TEST(EvaluateRanged, AfterOrdersAReadBehindAStore) {
  UOp i = range(2, 1), j = range(2, 2), t = out_param(0, {2}), y = out_param(1, {2});
  UOp filled = after_one(t, ends(put(t, {i}, cast(i, DType::Int32) + i32(5)), {i}));
  std::vector<TensorValue> p = {zeros({2}), zeros({2})};
  evaluate_ranged(sink_of({ends(put(y, {j}, at(filled, {j}) * 10), {j})}), p);
  EXPECT_EQ(p[1].doubles(), (Doubles{50, 60}));
}

TEST(EvaluateRanged, EffectBehindTwoAftersHappensOnce) {
  UOp j = range(2, 2), t = out_param(0, {1}), y = out_param(1, {2});
  UOp bump = put(t, {index_const(0)}, i32(1), {}, Combine::Add);
  UOp a = at(after_one(t, bump), {index_const(0)});
  std::vector<TensorValue> p = {zeros({1}), zeros({2})};
  evaluate_ranged(sink_of({bump, ends(put(y, {j}, a), {j})}), p);
  EXPECT_EQ(p[0].doubles(), Doubles{1});
  EXPECT_EQ(p[1].doubles(), (Doubles{1, 1}));
}

TEST(EvaluateRanged, NestedEndsRunTheInnerOneForEachOuter) {
  UOp i = range(2, 1), j = range(3, 2), y = out_param(0, {2, 3});
  std::vector<TensorValue> p = {zeros({2, 3})};
  evaluate_ranged(sink_of({ends(ends(put(y, {i, j}, cast(i + j, DType::Int32)), {j}), {i})}), p);
  EXPECT_EQ(p[0].doubles(), (Doubles{0, 1, 2, 1, 2, 3}));
}

TEST(EvaluateRanged, SeveralStoresShareALoop) {
  UOp i = range(2, 1), y = out_param(0, {2}), z = out_param(1, {2});
  UOp both = sink_of({put(y, {i}, i32(1)), put(z, {i}, i32(2), {}, Combine::Add)});
  std::vector<TensorValue> p = {zeros({2}), zeros({2})};
  evaluate_ranged(sink_of({ends(both, {i})}), p);
  EXPECT_EQ(p[0].doubles(), (Doubles{1, 1}));
  EXPECT_EQ(p[1].doubles(), (Doubles{2, 2}));
}

TEST(EvaluateRanged, InPlaceUpdateReadsEachOldElement) {
  UOp i = range(3, 1), y = out_param(0, {3});
  std::vector<TensorValue> p = {ints({3}, {1, 2, 3})};
  evaluate_ranged(sink_of({ends(put(y, {i}, at(y, {i}) * at(y, {i})), {i})}), p);
  EXPECT_EQ(p[0].doubles(), (Doubles{1, 4, 9}));
}

TEST(EvaluateRanged, LongExpressionsDoNotOverflowTheStack) {
  UOp i = range(2, 1), y = out_param(0, {2}), v = cast(i, DType::Int32);
  for (int k = 0; k < 100'000; ++k) v = v + i32(1);
  std::vector<TensorValue> p = {zeros({2})};
  evaluate_ranged(sink_of({ends(put(y, {i}, v), {i})}), p);
  EXPECT_EQ(p[0].doubles(), (Doubles{100'000, 100'001}));
}

// ---- refused
TEST(EvaluateRangedErrors, LoadOutsideNamesAxisAndIndex) {
  UOp i = range(3, 1), x = param(0, {2}, DType::Int32), y = out_param(1, {3});
  std::vector<TensorValue> p = {zeros({2}), zeros({3})};
  try {
    evaluate_ranged(sink_of({ends(put(y, {i}, at(x, {i})), {i})}), p);
    FAIL();
  } catch (const InternalError& e) {
    EXPECT_NE(std::string(e.what()).find("load of index 2 on axis 0 of [2]"), std::string::npos)
        << e.what();
  }
}

TEST(EvaluateRangedErrors, EachAxisIsChecked) {
  UOp i = range(3, 1), x = param(0, {2, 2}, DType::Int32), y = out_param(1, {3});
  std::vector<TensorValue> p = {zeros({2, 2}), zeros({3})};
  EXPECT_THROW(evaluate_ranged(sink_of({ends(put(y, {i}, at(x, {index_const(0), i})), {i})}), p),
               InternalError);
}

TEST(EvaluateRangedErrors, StoreOutside) {
  UOp i = range(3, 1), y = out_param(0, {2});
  std::vector<TensorValue> p = {zeros({2})};
  EXPECT_THROW(evaluate_ranged(sink_of({ends(put(y, {i}, i32(1)), {i})}), p), InternalError);
}

TEST(EvaluateRangedErrors, NegativeIndex) {
  UOp y = out_param(0, {2});
  std::vector<TensorValue> p = {zeros({2})};
  EXPECT_THROW(evaluate_ranged(sink_of({put(y, {index_const(-1)}, i32(1))}), p), InternalError);
}

TEST(EvaluateRangedErrors, OpenRange) {
  UOp i = range(3, 1), y = out_param(0, {3});
  std::vector<TensorValue> p = {zeros({3})};
  EXPECT_THROW(evaluate_ranged(sink_of({put(y, {i}, i32(1))}), p), InternalError);
}

TEST(EvaluateRangedErrors, RangeClosedTwiceAroundItself) {
  UOp i = range(3, 1), x = param(0, {3}, DType::Int32), y = out_param(1, {3});
  UOp s = sum_over(at(x, {i}), {i});
  std::vector<TensorValue> p = {zeros({3}), zeros({3})};
  EXPECT_THROW(evaluate_ranged(sink_of({ends(put(y, {i}, s + at(x, {i})), {i})}), p),
               InternalError);
}

TEST(EvaluateRangedErrors, MissingParameter) {
  UOp y = out_param(1, {});
  std::vector<TensorValue> p = {zeros({})};
  EXPECT_THROW(evaluate_ranged(sink_of({put(y, {}, i32(1))}), p), ArgumentError);
}

TEST(EvaluateRangedErrors, ParameterOfAnotherSizeOrDType) {
  UOp y = out_param(0, {2}), k = sink_of({put(y, {index_const(0)}, i32(1))});
  std::vector<TensorValue> size = {zeros({3})}, dtype = {TensorValue::zeros({2}, DType::Int64)};
  EXPECT_THROW(evaluate_ranged(k, size), ArgumentError);
  EXPECT_THROW(evaluate_ranged(k, dtype), ArgumentError);
}

TEST(EvaluateRangedErrors, UnboundVariable) {
  UOp v = variable("evaluate_ranged_unbound", 0, 5), i = range(v, 1), y = out_param(0, {5});
  std::vector<TensorValue> p = {zeros({5})};
  EXPECT_THROW(evaluate_ranged(sink_of({ends(put(y, {i}, i32(1)), {i})}), p), ArgumentError);
}

TEST(EvaluateRangedErrors, TensorOpsAreRefused) {
  UOp y = out_param(0, {});
  std::vector<TensorValue> p = {zeros({})};
  EXPECT_THROW(evaluate_ranged(sink_of({put(y, {}, contiguous(i32(1)))}), p), InternalError);
}

}  // namespace
}  // namespace tg
