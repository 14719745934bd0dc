// Cholesky's decomposition and triangular systems by what makes them right: the product of the
// factors is the matrix, the matrix times the solution is the right side.
#include "unit/tensor/support/tensor_test.h"

namespace tg {
namespace {

using namespace testing;

Tensor positive(Random& random, const Shape& shape) {
  const Tensor x = random.tensor(shape);
  return (x.matmul(x.transpose(-2, -1)) +
          Tensor::eye(shape.back(), -1, {.dtype = DType::Float64}) * 0.5)
      .realize();
}
// A triangle whose diagonal is not near 0; what stands in the other one must not count.
Tensor triangle(Random& random, const Shape& shape, bool upper) {
  const Tensor x = random.tensor(shape);
  const Tensor one = Tensor::eye(shape.back(), -1, {.dtype = DType::Float64});
  const Tensor y = x + one * 3;
  return (upper ? y.triu() : y.tril()).realize();
}

TEST(Cholesky, IsTriangularAndItsSquareTheMatrix) {
  Random random(1);
  for (const Shape& shape : std::vector<Shape>{{1, 1}, {2, 2}, {5, 5}, {3, 4, 4}, {2, 1, 9, 9}}) {
    const Tensor x = positive(random, shape);
    const Tensor l = x.cholesky(), u = x.cholesky(true);
    EXPECT_EQ(l.shape(), shape);
    expect_close(l.matmul(l.transpose(-2, -1)), x);
    expect_close(l, l.tril(), 0);
    expect_close(u, l.transpose(-2, -1));
  }
}
TEST(Cholesky, ReadsOneTriangle) {
  const double nan = std::nan("");
  expect_values(Tensor({{4., nan}, {2., 10.}}).cholesky(), {2, 2}, {2, 0, 1, 3});
  expect_values(Tensor({{4., 2.}, {nan, 10.}}).cholesky(true), {2, 2}, {2, 1, 0, 3});
}
TEST(Cholesky, IsNotANumberWhereItIsNotPositive) {
  const double nan = std::nan("");
  expect_values(Tensor({{1., 2.}, {2., 1.}}).cholesky(), {2, 2}, {1, 0, 2, nan});
}
TEST(Cholesky, HasGradients) {
  Random random(2);
  expect_gradients([](const auto& x) { return x[0].cholesky(); }, {positive(random, {2, 3, 3})});
  expect_gradients([](const auto& x) { return x[0].cholesky(true); }, {positive(random, {3, 3})});
  const Tensor x = positive(random, {3, 3});
  // Again: of the gradient, for the matrix.
  expect_gradients([](const auto& m) { return m[0].cholesky().square().sum().gradient({m[0]})[0]; },
                   {x});
}
TEST(Cholesky, TakesIntegersSmallFloatsAndNothing) {
  EXPECT_EQ(Tensor({{4, 2}, {2, 10}}).cholesky().dtype(), DType::Float32);
  const Tensor half = Tensor({{4., 2.}, {2., 10.}}).cast(DType::Float16).cholesky();
  EXPECT_EQ(half.dtype(), DType::Float16);
  expect_values(half, {2, 2}, {2, 0, 1, 3});
  EXPECT_EQ(Tensor::zeros({0, 0}).cholesky().shape(), (Shape{0, 0}));
  EXPECT_EQ(Tensor::zeros({0, 2, 2}).cholesky().shape(), (Shape{0, 2, 2}));
}

TEST(SolveTriangular, TimesTheMatrixIsTheRightSide) {
  Random random(3);
  for (const int64_t n : {1, 2, 3, 5, 8, 11}) {
    for (const bool upper : {false, true}) {
      SCOPED_TRACE(std::to_string(n) + (upper ? " upper" : " lower"));
      const Tensor a = triangle(random, {2, n, n}, upper), b = random.tensor({2, n, 3}).realize();
      expect_close(a.matmul(a.solve_triangular(b, {.upper = upper})), b);
      const Tensor c = random.tensor({2, 4, n}).realize();
      expect_close(a.solve_triangular(c, {.upper = upper, .left = false}).matmul(a), c);
    }
  }
}
TEST(SolveTriangular, ReadsOneTriangleAndPerhapsNoDiagonal) {
  const double nan = std::nan("");
  const Tensor b = Tensor({{2.}, {9.}});
  expect_values(Tensor({{2., nan}, {1., 4.}}).solve_triangular(b), {2, 1}, {1, 2});
  expect_values(Tensor({{nan, nan}, {1., nan}}).solve_triangular(b, {.unitriangular = true}),
                {2, 1}, {2, 7});
  expect_values(Tensor({{2., 1.}, {nan, 3.}}).solve_triangular(b, {.upper = true}), {2, 1},
                {-0.5, 3});
}
TEST(SolveTriangular, BroadcastsLeadingAxes) {
  Random random(4);
  const Tensor a = triangle(random, {3, 3}, false), b = random.tensor({4, 3, 2}).realize();
  const Tensor x = a.solve_triangular(b);
  EXPECT_EQ(x.shape(), (Shape{4, 3, 2}));
  expect_close(a.matmul(x), b);
  const Tensor many = triangle(random, {4, 3, 3}, false), one = random.tensor({3, 2}).realize();
  expect_close(many.matmul(many.solve_triangular(one)), one.expand({4, 3, 2}));
}
// Of a matrix whose inverse has large elements that cancel: the residual stays small.
TEST(SolveTriangular, IsAsExactAsSubstitution) {
  constexpr int64_t kSize = 40;
  const Tensor ones = Tensor::ones({kSize, kSize});
  const Tensor a = (Tensor::eye(kSize) - ones.tril(-1)).realize();  // the inverse has 2^(n - 2)
  const Tensor b = a.matmul(Tensor::ones({kSize, 1})).realize();
  const Tensor x = a.solve_triangular(b);
  expect_values(x, {kSize, 1}, Doubles(kSize, 1), 1e-5);
}
TEST(SolveTriangular, HasGradients) {
  Random random(5);
  for (const bool upper : {false, true}) {
    for (const bool left : {false, true}) {
      expect_gradients(
          [&](const auto& x) {
            return x[0].solve_triangular(x[1], {.upper = upper, .left = left});
          },
          {triangle(random, {2, 3, 3}, upper), random.tensor({2, 3, 3})});
    }
  }
  expect_gradients(
      [](const auto& x) { return x[0].solve_triangular(x[1]).square().sum().gradient({x[0]})[0]; },
      {triangle(random, {3, 3}, false), random.tensor({3, 2})});
}
TEST(SolveTriangular, TakesOtherDtypesAndNothing) {
  EXPECT_EQ(Tensor({{2, 0}, {1, 4}}).solve_triangular(Tensor({{2}, {9}})).dtype(), DType::Float32);
  const Tensor half = Tensor({{2., 0.}, {1., 4.}}).cast(DType::Float16);
  EXPECT_EQ(half.solve_triangular(Tensor({{2.}, {9.}})).dtype(), DType::Float32);
  expect_values(half.solve_triangular(Tensor({{2.}, {9.}}).cast(DType::Float16)), {2, 1}, {1, 2});
  EXPECT_EQ(Tensor::zeros({0, 0}).solve_triangular(Tensor::zeros({0, 3})).shape(), (Shape{0, 3}));
}

}  // namespace
}  // namespace tg
