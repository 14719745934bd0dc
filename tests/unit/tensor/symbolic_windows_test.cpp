// Windows, order and hashes along axes of variable size: for every value the same as with plain
// numbers, gradients too, and by one plan. What sizes are: symbolic_test.cpp.
#include <gtest/gtest.h>
#include <tg/jit.h>
#include <tg/symbolic.h>

#include "unit/tensor/support/tensor_test.h"

namespace tg {
namespace {

using namespace testing;

const Variable kSize("n", 4, 9);

using Function = std::function<Tensor(const Tensor&)>;

Tensor numbers(const Shape& shape) {
  Doubles v(static_cast<size_t>(Tensor::empty(shape).numel()));
  for (size_t i = 0; i < v.size(); ++i) v[i] = static_cast<double>((i * 7919 + 3) % 31) - 15;
  return Tensor(v, shape, {});
}

// f of the first n elements of the last axis, as a variable says and as a number says, and the
// gradients of all elements.
void expect_same_for_every_size(const Shape& shape, const Function& f) {
  for (int64_t n = kSize.min(); n <= kSize.max(); ++n) {
    SCOPED_TRACE(n);
    const Tensor x = numbers(shape).is_param_(), y = numbers(shape).is_param_();
    const Tensor varies = f(x[{Ellipsis, Slice(0, kSize.bind(n))}]);
    const Tensor plain = f(y[{Ellipsis, Slice(0, n)}]);
    EXPECT_EQ(varies.to_vector<double>(), plain.to_vector<double>());
    Shape sizes;
    for (const SymInt& s : varies.sizes()) sizes.push_back(s.value());
    EXPECT_EQ(sizes, plain.shape());
    if (!plain.is_floating_point()) continue;
    varies.square().sum().backward();
    plain.square().sum().backward();
    expect_close(x.grad(), y.grad());
  }
}

TEST(SymbolicWindows, ConvolutionsSlideOverWhatExists) {
  const Tensor weight = numbers({4, 3, 3});
  for (const int64_t stride : {1, 2, 3}) {
    for (const int64_t padding : {0, 1, 2}) {
      expect_same_for_every_size({2, 3, 9}, [&](const Tensor& x) {
        return x.conv2d(weight, {.stride = stride, .padding = padding});
      });
    }
  }
  expect_same_for_every_size({1, 2, 5, 9}, [&](const Tensor& x) {
    return x.conv2d(numbers({4, 1, 2, 2}), {.groups = 2, .stride = {1, 2}, .dilation = {2, 3}});
  });
}

TEST(SymbolicWindows, PoolsTakeWhatExists) {
  const auto options = [](bool count) {
    return PoolOptions{.kernel_size = 3, .stride = 2, .padding = 1, .count_include_pad = count};
  };
  expect_same_for_every_size({2, 9}, [&](const Tensor& x) { return x.max_pool2d(options(true)); });
  for (const bool count : {true, false})
    expect_same_for_every_size({2, 9},
                               [&](const Tensor& x) { return x.avg_pool2d(options(count)); });
  expect_same_for_every_size({2, 9},
                             [&](const Tensor& x) { return x.max_pool2d({.kernel_size = 2}); });
}

TEST(SymbolicWindows, FlipAndRollTurnWhatExists) {
  expect_same_for_every_size({2, 9}, [](const Tensor& x) { return x.flip({1}); });
  expect_same_for_every_size({2, 9}, [](const Tensor& x) { return x.flip({}); });
  for (const int64_t shift : {-11, -1, 0, 3, 8})
    expect_same_for_every_size({2, 9}, [&](const Tensor& x) { return x.roll(shift, 1); });
}

TEST(SymbolicWindows, TopkIsOfWhatExists) {
  for (const bool largest : {true, false}) {
    expect_same_for_every_size({3, 9},
                               [&](const Tensor& x) { return x.topk(4, 1, largest).first; });
    expect_same_for_every_size({3, 9},
                               [&](const Tensor& x) { return x.topk(2, -1, largest).second; });
  }
  const Tensor x = numbers({9});
  EXPECT_EQ(x[Slice(0, kSize.bind(5))].topk(5).first.shape(), (Shape{5}));
  EXPECT_EQ(error_of<IndexError>([&] { x[Slice(0, kSize.bind(4))].topk(5); }),
            "topk: [0, 5) is outside of axis 0 of shape [n]: from 0 to 5 of 4 elements.");
}

TEST(SymbolicWindows, HashesAreOfTheRowsThatExist) {
  const Tensor rows = numbers({9, 5}).cast(DType::UInt8), all = rows.keccak();
  for (const int64_t n : {4, 9}) {
    const Tensor some = rows[Slice(0, kSize.bind(n))].keccak();
    EXPECT_EQ(some.to_vector<int>(), all[Slice(0, n)].to_vector<int>());
  }
  EXPECT_EQ(error_of<ArgumentError>([&] {
              rows.transpose()[{Slice(), Slice(0, kSize.bind(4))}].keccak();
            }),
            "keccak: axis 1 of shape [5,n] has a variable size.");
}

TEST(SymbolicWindows, CapturedCallsTakeEverySize) {
  const Tensor weight = numbers({2, 3, 3}), x = numbers({1, 3, 9});
  TinyJit step([&](const Tensor& t, const SymInt& n) {
    const Tensor part = t[{Ellipsis, Slice(0, n)}];
    return part.conv2d(weight, {.stride = 2, .padding = 1}).max() + part.roll(2, 2)[{0, 0, 0}] +
           part.flip({2})[{0, 1, 0}];
  });
  for (const int64_t n : {4, 9, 6, 5, 8}) {
    const Tensor part = x[{Ellipsis, Slice(0, n)}];
    const Tensor want = part.conv2d(weight, {.stride = 2, .padding = 1}).max() +
                        part.roll(2, 2)[{0, 0, 0}] + part.flip({2})[{0, 1, 0}];
    expect_close(step(x, kSize.bind(n)), want);
  }
}

TEST(SymbolicWindows, RefuseWindowsThatMayNotFit) {
  const Tensor x = numbers({1, 1, 9})[{Ellipsis, Slice(0, kSize.bind(8))}];
  EXPECT_EQ(error_of<ShapeError>([&] {
              x.conv2d(numbers({1, 1, 5}));
            }),
            "conv2d: the window may be larger than the padded input: window 5 on axis of size n, "
            "which is 4 or more, padded by (0, 0). Hint: give the variable a larger minimum.");
  EXPECT_EQ(error_of<ArgumentError>([&] { x.max_pool2d({.kernel_size = 2, .ceil_mode = true}); }),
            "max_pool2d: ceil_mode on axis 2 of variable size n. Hint: pad the axis and leave "
            "ceil_mode out.");
}

}  // namespace
}  // namespace tg
