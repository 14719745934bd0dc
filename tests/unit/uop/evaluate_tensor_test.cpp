// Elementwise ops and reductions in the evaluator against plain loops; leaves, sharing, errors,
// large graphs.
#include <cmath>

#include "support/symbol.h"
#include "support/tensors.h"
#include "tg/error.h"

namespace tg {
namespace {

using test::element;
using test::expect_elements;
using test::Index;
using test::Leaves;

class EvaluateTensor : public testing::TestWithParam<uint64_t> {
 protected:
  EvaluateTensor() : rng(GetParam()), shape(test::random_shape(rng)) {}
  TensorValue random(DType t, int lo = -9, int hi = 9) {
    return test::random_tensor(rng, shape, t, lo, hi);
  }
  /// f(x, y) by the graph against g(x, y) by C++.
  void binary(DType t, auto graph, auto formula, int lo = -9, int hi = 9) {
    const TensorValue a = random(t, lo, hi), b = random(t, lo, hi);
    expect_elements(leaves(graph(leaves.add(a), leaves.add(b))), [&](const Index& i) {
      return static_cast<double>(formula(element(a, i), element(b, i)));
    });
  }
  std::mt19937_64 rng;
  Shape shape;
  Leaves leaves;
};

TEST_P(EvaluateTensor, AddOfFloats) {
  binary(
      DType::Float32, [](UOp a, UOp b) { return a + b; }, [](double a, double b) { return a + b; });
}
TEST_P(EvaluateTensor, AddOfBytesWraps) {
  binary(
      DType::UInt8, [](UOp a, UOp b) { return a + b; },
      [](double a, double b) { return std::fmod(a + b, 256); }, 0, 255);
}
TEST_P(EvaluateTensor, SubtractOfSigned) {
  binary(
      DType::Int32, [](UOp a, UOp b) { return a - b; }, [](double a, double b) { return a - b; });
}
TEST_P(EvaluateTensor, Multiply) {
  binary(
      DType::Int64, [](UOp a, UOp b) { return a * b; }, [](double a, double b) { return a * b; });
}
TEST_P(EvaluateTensor, DivideOfDoubles) {
  binary(
      DType::Float64, [](UOp a, UOp b) { return a / b; }, [](double a, double b) { return a / b; },
      1, 9);
}
TEST_P(EvaluateTensor, DivideOfFloatsRoundsOnce) {
  binary(
      DType::Float32, [](UOp a, UOp b) { return a / b; },
      [](double a, double b) { return static_cast<float>(a) / static_cast<float>(b); }, 1, 9);
}
TEST_P(EvaluateTensor, FloorDivision) {
  binary(
      DType::Int32, [](UOp a, UOp b) { return idiv(a, b); },
      [](double a, double b) { return b == 0 ? 0 : std::floor(a / b); });
}
TEST_P(EvaluateTensor, FloorRemainder) {
  binary(
      DType::Int32, [](UOp a, UOp b) { return mod(a, b); },
      [](double a, double b) { return b == 0 ? 0 : a - b * std::floor(a / b); });
}
TEST_P(EvaluateTensor, Maximum) {
  binary(
      DType::Float16, [](UOp a, UOp b) { return maximum(a, b); },
      [](double a, double b) { return std::max(a, b); });
}
TEST_P(EvaluateTensor, Minimum) {
  binary(
      DType::Int16, [](UOp a, UOp b) { return minimum(a, b); },
      [](double a, double b) { return std::min(a, b); });
}
TEST_P(EvaluateTensor, LessThan) {
  binary(
      DType::Float32, [](UOp a, UOp b) { return lt(a, b); },
      [](double a, double b) { return a < b; }, -2, 2);
}
TEST_P(EvaluateTensor, NotEqual) {
  binary(
      DType::UInt64, [](UOp a, UOp b) { return ne(a, b); },
      [](double a, double b) { return a != b; }, 0, 2);
}
TEST_P(EvaluateTensor, Equal) {
  binary(
      DType::Int8, [](UOp a, UOp b) { return eq(a, b); }, [](double a, double b) { return a == b; },
      0, 2);
}
TEST_P(EvaluateTensor, BitOps) {
  binary(
      DType::Int32, [](UOp a, UOp b) { return (a & b) ^ (a | b); },
      [](double a, double b) { return static_cast<int>(a) ^ static_cast<int>(b); });
}
TEST_P(EvaluateTensor, Shifts) {
  binary(
      DType::UInt32, [](UOp a, UOp b) { return shr(shl(a, b), const_like(a, int64_t{1})); },
      [](double a, double b) {
        return (static_cast<uint32_t>(a) << static_cast<uint32_t>(b)) >> 1;
      },
      0, 9);
}
TEST_P(EvaluateTensor, Where) {
  binary(
      DType::Float32, [](UOp a, UOp b) { return where(lt(a, b), a * 2, b); },
      [](double a, double b) { return a < b ? 2 * a : b; });
}
TEST_P(EvaluateTensor, Fma) {
  binary(
      DType::Float32, [](UOp a, UOp b) { return fma(a, b, a); },
      [](double a, double b) { return a * b + a; });
}
TEST_P(EvaluateTensor, SqrtAndTrunc) {
  binary(
      DType::Float32, [](UOp a, UOp) { return trunc(sqrt(a)); },
      [](double a, double) { return std::trunc(std::sqrt(static_cast<float>(a))); }, 0, 90);
}
TEST_P(EvaluateTensor, Transcendentals) {
  binary(
      DType::Float64, [](UOp a, UOp b) { return exp2(a) + log2(b) * sin(a); },
      [](double a, double b) { return std::exp2(a) + std::log2(b) * std::sin(a); }, 1, 9);
}
TEST_P(EvaluateTensor, CastToInteger) {
  binary(
      DType::Float32, [](UOp a, UOp b) { return cast(a / b, DType::Int32); },
      [](double a, double b) { return std::trunc(a / b); }, 1, 9);
}
TEST_P(EvaluateTensor, BitcastThereAndBack) {
  binary(
      DType::Float32, [](UOp a, UOp) { return bitcast(bitcast(a, DType::UInt32), DType::Float32); },
      [](double a, double) { return a; });
}
TEST_P(EvaluateTensor, MarksChangeNothing) {
  const TensorValue a = random(DType::Float32);
  UOp x = leaves.add(a);
  EXPECT_EQ(leaves(detach(contiguous(x + 0)) * 1), a);
  EXPECT_EQ(leaves(copy_to(x, static_cast<DeviceId>(intern_symbol("EVALUATE_TEST")))), a);
}

// ---- reductions: one bit of the mask an axis
class EvaluateReduce : public testing::TestWithParam<std::tuple<uint64_t, ReduceOp, int>> {};

TEST_P(EvaluateReduce, CombinesAlongItsAxes) {
  const auto [seed, op, mask] = GetParam();
  std::mt19937_64 rng(seed);
  Shape shape = {static_cast<Dim>(rng() % 4), static_cast<Dim>(1 + rng() % 4),
                 static_cast<Dim>(1 + rng() % 3)};
  const TensorValue x = test::random_tensor(rng, shape, DType::Int64, -3, 3);
  std::vector<int64_t> axes;
  for (int a = 0; a < 3; ++a) {
    if ((mask >> a) & 1) axes.push_back(a);
  }
  Leaves leaves;
  const TensorValue y = leaves(reduce(leaves.add(x), op, axes));
  expect_elements(y, [&](const Index& i) {
    int64_t acc = op == ReduceOp::Add   ? 0
                  : op == ReduceOp::Mul ? 1
                                        : std::numeric_limits<int64_t>::min();
    Index at(3);
    for (at[0] = 0; at[0] < shape[0]; ++at[0]) {
      for (at[1] = 0; at[1] < shape[1]; ++at[1]) {
        for (at[2] = 0; at[2] < shape[2]; ++at[2]) {
          bool mine = true;
          for (size_t a = 0; a < 3; ++a) mine = mine && (((mask >> a) & 1) || at[a] == i[a]);
          if (!mine) continue;
          const auto v = static_cast<int64_t>(element(x, at));
          acc = op == ReduceOp::Add ? acc + v : op == ReduceOp::Mul ? acc * v : std::max(acc, v);
        }
      }
    }
    return static_cast<double>(acc);
  });
}

INSTANTIATE_TEST_SUITE_P(Seeds, EvaluateTensor, testing::Range<uint64_t>(1, 6));
INSTANTIATE_TEST_SUITE_P(Axes, EvaluateReduce,
                         testing::Combine(testing::Range<uint64_t>(1, 4),
                                          testing::Values(ReduceOp::Add, ReduceOp::Mul,
                                                          ReduceOp::Max),
                                          testing::Values(1, 2, 4, 3, 7)));

TEST(EvaluateReduceDType, AccumulatesInItsDType) {
  Leaves leaves;
  UOp x = leaves.add(TensorValue::of({3}, DType::Float16, std::vector<double>{2048, 1, 1}));
  const std::vector<int64_t> axes = {0};
  EXPECT_EQ(leaves(reduce(x, ReduceOp::Add, axes)).doubles(), std::vector<double>{2048})
      << "2048 + 1 rounds to 2048 in half";
}

TEST(EvaluateReduceDType, EmptyAxesGiveTheIdentity) {
  Leaves leaves;
  UOp x = leaves.add(TensorValue::zeros({0, 2}, DType::Float32));
  const std::vector<int64_t> axes = {0};
  EXPECT_EQ(leaves(reduce(x, ReduceOp::Mul, axes)).doubles(), (std::vector<double>{1, 1}));
  EXPECT_EQ(leaves(reduce(x, ReduceOp::Max, axes)).doubles(),
            (std::vector<double>{-INFINITY, -INFINITY}));
}

TEST(EvaluateGraph, ConstantIsAScalar) {
  TensorValue v = evaluate(constant(2.5, DType::Float32));
  EXPECT_EQ(v.shape, Shape{});
  EXPECT_EQ(v.str(), "float32[]{2.5}");
}

TEST(EvaluateGraph, FullRepeatsItsValue) {
  EXPECT_EQ(evaluate(full({2, 2}, Scalar::of_int(3, DType::Int8))).doubles(),
            std::vector<double>(4, 3));
}

TEST(EvaluateGraph, RootsShareWorkAndKeepTheirOrder) {
  Leaves leaves;
  UOp x = leaves.add(TensorValue::of({2}, DType::Int32, std::vector<double>{1, 2}));
  const std::vector<UOp> roots = {x + x, x, (x + x) * x, x};
  const auto values = evaluate(roots, leaves.contents);
  EXPECT_EQ(values[0].doubles(), (std::vector<double>{2, 4}));
  EXPECT_EQ(values[1].doubles(), (std::vector<double>{1, 2}));
  EXPECT_EQ(values[2].doubles(), (std::vector<double>{2, 8}));
  EXPECT_EQ(values[3], values[1]);
}

TEST(EvaluateGraph, ChainOfAHundredThousandOps) {
  UOp x = constant(0, DType::Int32);
  const UOp one = constant(1, DType::Int32);
  for (int i = 0; i < 100'000; ++i) x = x + one;
  EXPECT_EQ(evaluate(x).at(0).i64(), 100'000);
}

TEST(EvaluateGraph, MissingContentsAreAnArgumentError) {
  UOp x = buffer({2, 3}, DType::Float32, 0, nullptr);
  try {
    evaluate(x + x);
    FAIL();
  } catch (const ArgumentError& e) {
    EXPECT_STREQ(e.what(), "evaluate: no contents for the buffer float32[2,3].");
  }
}

TEST(EvaluateGraph, WrongContentsAreAnArgumentError) {
  UOp x = buffer({2, 3}, DType::Float32, 0, nullptr);
  BufferContents shape{{x.node(), TensorValue::zeros({3, 2}, DType::Float32)}};
  BufferContents dtype{{x.node(), TensorValue::zeros({2, 3}, DType::Int32)}};
  EXPECT_THROW(evaluate(x, shape), ArgumentError);
  EXPECT_THROW(evaluate(x, dtype), ArgumentError);
}

TEST(EvaluateGraph, EffectsAreNoRoots) {
  UOp x = buffer({2}, DType::Float32, 0, nullptr);
  EXPECT_THROW(evaluate(store(x, full({2}, Scalar::of_int(1, DType::Float32)))), InternalError);
}

TEST(EvaluateGraph, RangesAreRefused) { EXPECT_THROW(evaluate(range(3, 1)), InternalError); }

TEST(TensorValueText, CutsLongTensors) {
  EXPECT_EQ(TensorValue::of({2, 2}, DType::Int32, std::vector<double>{1, 2, 3, 4}).str(2),
            "int32[2,2]{1, 2, …}");
}

class TensorValueBytes : public testing::TestWithParam<DType> {};
TEST_P(TensorValueBytes, RoundTrip) {
  std::mt19937_64 rng(7);
  const TensorValue v = test::random_tensor(rng, {3, 5}, GetParam(), 0, 7);
  const auto bytes = v.to_bytes();
  EXPECT_EQ(bytes.size(), static_cast<size_t>(15 * dtype_size(GetParam())));
  EXPECT_EQ(TensorValue::from_bytes({3, 5}, GetParam(), bytes), v);
  EXPECT_THROW(TensorValue::from_bytes({3, 4}, GetParam(), bytes), ShapeError);
}
INSTANTIATE_TEST_SUITE_P(DTypes, TensorValueBytes,
                         testing::Values(DType::Bool, DType::Int8, DType::UInt16, DType::Int32,
                                         DType::UInt64, DType::Fp8E4M3, DType::Fp8E5M2Fnuz,
                                         DType::Float16, DType::BFloat16, DType::Float32,
                                         DType::Float64));

TEST(TensorValueOf, WrongCountIsAShapeError) {
  EXPECT_THROW(TensorValue::of({2}, DType::Int32, std::vector<double>{1}), ShapeError);
}

}  // namespace
}  // namespace tg
