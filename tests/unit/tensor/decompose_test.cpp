// Decompositions by what makes them right: the factors are orthogonal or triangular, and their
// product is the matrix. Singular values against those of matrices whose values are known.
#include <cmath>

#include "engine/counters.h"
#include "unit/tensor/support/tensor_test.h"

namespace tg {
namespace {

using namespace testing;

Tensor identity(int64_t n, const Tensor& like) {
  Shape shape = like.shape();
  shape[shape.size() - 1] = shape[shape.size() - 2] = n;
  return Tensor::eye(n, -1, {.dtype = DType::Float64}).expand(shape);
}
// The columns have length 1 and stand at right angles.
void expect_orthonormal(const Tensor& q) {
  expect_close(q.transpose(-2, -1).matmul(q), identity(q.size(-1), q));
}

const std::vector<Shape> kShapes = {{1, 1},    {3, 3},       {5, 3}, {3, 5},
                                    {2, 4, 4}, {2, 3, 6, 2}, {1, 4}};

TEST(QR, IsOrthogonalTimesTriangular) {
  Random random(1);
  for (const Shape& shape : kShapes) {
    const Tensor x = random.tensor(shape);
    const auto [q, r] = x.qr();
    EXPECT_EQ(r.shape(), shape);
    expect_orthonormal(q);
    expect_close(q.matmul(r), x);
    expect_close(r, r.triu());
  }
}
TEST(QR, TakesZerosAndIntegers) {
  const auto [q, r] = Tensor::zeros({3, 2}, DType::Float64).qr();
  expect_orthonormal(q);
  expect_values(r, {3, 2}, Doubles(6, 0));
  EXPECT_EQ(Tensor({{1, 2}, {3, 4}}).qr().second.dtype(), DType::Float32);
  EXPECT_EQ(Tensor::zeros({0, 2}).qr().first.shape(), (Shape{0, 0}));
}
TEST(QR, HasSlopes) {
  Random random(2);
  expect_gradients([](const auto& x) { return x[0].qr().second; }, {random.tensor({3, 2})});
}

// 28 steps: a kernel that differs in each would be compiled 28 times. Of svd's most are sorting's.
TEST(Decompositions, HaveTheSameKernelsInEveryStep) {
  Random random(4);
  const Tensor x = random.tensor({28, 28});
  const Tensor positive =
      (x.matmul(x.transpose()) + Tensor::eye(28, -1, {.dtype = DType::Float64})).realize();
  const auto compiled = [&](const auto& decompose) {
    const int64_t before = counters().compiled;
    decompose(positive).realize();
    return counters().compiled - before;
  };
  EXPECT_LE(compiled([](const Tensor& m) { return m.cholesky(); }), 8);
  EXPECT_LE(compiled([](const Tensor& m) { return m.qr().second; }), 8);
  EXPECT_LE(compiled([](const Tensor& m) { return m.svd()[1]; }), 40);
}

TEST(SVD, IsTheMatrixAgain) {
  Random random(3);
  for (const Shape& shape : kShapes) {
    for (const bool full : {true, false}) {
      const Tensor x = random.tensor(shape);
      const auto parts = x.svd(full);
      ASSERT_EQ(parts.size(), 3u);
      const Tensor &u = parts[0], &s = parts[1], &vt = parts[2];
      const int64_t m = shape[shape.size() - 2], n = shape.back(), k = std::min(m, n);
      EXPECT_EQ(s.size(-1), k);
      EXPECT_EQ(u.size(-1), full ? m : k);
      EXPECT_EQ(vt.size(-2), full ? n : k);
      expect_orthonormal(u);
      expect_orthonormal(vt.transpose(-2, -1));
      const Tensor scaled = u[{Ellipsis, Slice(0, k)}] * s.unsqueeze(-2);
      expect_close(scaled.matmul(vt[{Ellipsis, Slice(0, k), Slice()}]), x);
      EXPECT_TRUE((s >= 0).all().item<bool>());
      expect_close(s, s.sort(-1, true).first);
    }
  }
}
TEST(SVD, KnowsTheValuesOfSimpleMatrices) {
  expect_values(Tensor({{0., 2.}, {3., 0.}}).svd()[1], {2}, {3, 2});
  expect_values(Tensor({{1., 1.}, {1., 1.}}).svd()[1], {2}, {2, 0}, 1e-5);
  expect_values(Tensor::zeros({2, 3}).svd()[1], {2}, {0, 0});
}

}  // namespace
}  // namespace tg
