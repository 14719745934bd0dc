// Values whose gradients are of the user's making where the value is an input itself: storage, a
// number, a view. And the gradient that becomes storage on its way. Functions of more: examples and
// the tests of the C interface.
#include "tg/autograd.h"
#include "unit/tensor/support/tensor_test.h"

namespace tg {
namespace {

using namespace testing;

Tensor doubled_backwards(const Tensor& x) {
  return custom_gradient([](const auto& inputs) { return inputs[0]; },
                         [](const auto&, const Tensor&, const Tensor& dy) {
                           return std::vector<std::optional<Tensor>>{dy * 2};
                         },
                         {x});
}

TEST(CustomGradient, OfStorageItselfIsComputed) {
  const Tensor x = Tensor{1.f, 2.f}.realize();
  const Tensor y = doubled_backwards(x);
  expect_values(y, {2}, {1, 2});
  expect_values((y * y).sum().gradient({x})[0], {2}, {4, 8});
}
TEST(CustomGradient, OfStorageItselfIsACopy) {
  const Tensor x = Tensor{1.f, 2.f}.realize();
  const Tensor y = doubled_backwards(x).realize();
  x.assign(Tensor{5.f, 6.f}).realize();
  expect_values(y, {2}, {1, 2});
}
TEST(CustomGradient, OfNumbersAndViewsIsComputed) {
  expect_values(doubled_backwards(Tensor(3.0)), {}, {3});
  expect_values(doubled_backwards(Tensor({{1., 2.}, {3., 4.}}).T()), {2, 2}, {1, 3, 2, 4});
  expect_values(doubled_backwards(doubled_backwards(Tensor{1.f})), {1}, {1});
  expect_values(doubled_backwards(Tensor::zeros({0})), {0}, {});
}

TEST(ContiguousBackward, IsTheValueItself) {
  expect_values(Tensor{1, 2}.contiguous_backward(), {2}, {1, 2});
  EXPECT_TRUE(std::signbit(Tensor{-0.0f}.contiguous_backward().item<float>()));
}
TEST(ContiguousBackward, PassesTheGradient) {
  Random random(1);
  expect_gradients([](const auto& x) { return x[0].contiguous_backward().exp(); },
                   {random.tensor({3})});
}

TEST(CustomGradient, ViewsOfWhatIsStorageItselfAreComputed) {
  const Tensor x = Tensor({{1., 2.}, {3., 4.}}).realize();
  expect_values(doubled_backwards(x).T(), {2, 2}, {1, 3, 2, 4});
  expect_values(doubled_backwards(x).T()[1], {2}, {2, 4});
  expect_values(x.contiguous_backward().flip({0}), {2, 2}, {3, 4, 1, 2});
  const Tensor view = doubled_backwards(x).reshape({4}).realize();
  x.assign(Tensor({{5., 6.}, {7., 8.}})).realize();
  expect_values(view, {4}, {1, 2, 3, 4});
}

}  // namespace
}  // namespace tg
