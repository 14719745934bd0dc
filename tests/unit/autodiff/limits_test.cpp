// Gradients of values of variable size: only what exists receives one, and sums of parts and wholes
// are right.
#include <gtest/gtest.h>

#include "autodiff/gradient.h"
#include "uop/evaluate_tensor.h"
#include "uop/limits.h"

namespace tg {
namespace {

UOp n_is(int64_t v) { return bind(variable("n", 0, 5), v); }
UOp data(const Shape& s) { return buffer(s, DType::Float32, 0, nullptr); }

std::vector<double> values(const UOp& u, const UOp& storage) {
  TensorValue in = TensorValue::zeros(storage.shape_vec(), DType::Float32);
  for (int64_t i = 0; i < in.numel(); ++i) {
    in.set(i, Scalar::of_double(static_cast<double>(i), DType::Float32));
  }
  const TensorValue v = evaluate(u, {{storage.node(), in}});
  std::vector<double> out;
  for (int64_t i = 0; i < v.numel(); ++i) out.push_back(v.at(i).as_double());
  return out;
}

TEST(LimitGradients, GradientsHaveTheSizesOfTheirValues) {
  const UOp x = data({5});
  const UOp part = limited(x, 0, n_is(2));
  const UOp loss = reshape(reduce(part * part, ReduceOp::Add, {{0}}), {});
  const UOp g = gradient(loss, constant(1.0, DType::Float32), {{x}})[0];
  EXPECT_EQ(g.node()->n_limit, 0u);
  EXPECT_EQ(values(g, x), (std::vector<double>{0, 2, 0, 0, 0}));
  const UOp h = gradient(reshape(reduce(offset(x, 0, n_is(3), 4), ReduceOp::Add, {{0}}), {}),
                         constant(1.0, DType::Float32), {{x}})[0];
  EXPECT_EQ(values(h, x), (std::vector<double>{0, 0, 0, 1, 1}));
}

}  // namespace
}  // namespace tg
