#include "unit/tensor/support/tensor_test.h"

namespace tg {
namespace {

using namespace testing;

TEST(Creation, LiteralsBecomeAVector) { expect_values(Tensor{1.0f, 2.0f, 3.0f}, {3}, {1, 2, 3}); }

TEST(Smoke, Works) {
  Tensor x({{1.f, 2.f, 3.f}, {4.f, 5.f, 6.f}});
  expect_values(x * 2 + 1, {2, 3}, {3, 5, 7, 9, 11, 13});
  expect_values(x.sum({.axis = {1}}), {2}, {6, 15});
  expect_values(x.matmul(x.T()), {2, 2}, {14, 32, 32, 77});
  expect_values(x[{Slice(), 1}], {2}, {2, 5});
  expect_values(x[{Slice(), Slice(std::nullopt, std::nullopt, -1)}], {2, 3}, {3, 2, 1, 6, 5, 4});
  expect_values(x[{Tensor{1, 0, -1}}], {3, 3}, {4, 5, 6, 1, 2, 3, 4, 5, 6});
  expect_values(x.argmax({.axis = 1}), {2}, {2, 2});
  std::cout << x << "\n"
            << Tensor::arange(2000).reshape({2, 10, 100}) << "\n"
            << Tensor::zeros({2, 0}) << Tensor::rand({2, 2}) << Tensor::randn({3}) << "\n";
  expect_gradients([](const auto& v) { return v[0].matmul(v[1]).tanh(); },
                   {Tensor::rand({2, 3}), Tensor::rand({3, 2})});
  expect_gradients([](const auto& v) { return v[0].conv2d(v[1], {.stride = {2}, .padding = {1}}); },
                   {Tensor::rand({1, 2, 5, 5}), Tensor::rand({2, 2, 3, 3})});
  expect_gradients([](const auto& v) { return v[0].max_pool2d(); }, {Tensor::rand({1, 2, 4, 4})});
  Tensor w = Tensor::zeros({3});
  Tensor loss = (x * w).sum();
  loss.backward();
  expect_values(w.grad(), {3}, {5, 7, 9});
  w.assign(w - w.grad() * 0.1);
  expect_values(w, {3}, {-.5, -.7, -.9});
}

}  // namespace
}  // namespace tg
