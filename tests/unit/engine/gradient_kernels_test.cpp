// What gradients of products and convolutions become: contractions like those they are gradients
// of, which lanes and matrix units serve. Their values are tested with the functions.
#include <gtest/gtest.h>
#include <tg/tg.h>

#include "runtime/device.h"
#include "schedule/schedule.h"
#include "tensor/state.h"
#include "tg/ir/walk.h"
#include "uop/shape.h"

namespace tg {
namespace {

// Whole numbers from −50 to 50: products of two have more digits than a small float, their sums in
// float32 are exact.
Tensor data(const Shape& shape, DType t) {
  int64_t n = 1;
  for (const int64_t d : shape) n *= d;
  std::vector<float> v(static_cast<size_t>(n));
  for (size_t i = 0; i < v.size(); ++i)
    v[i] = static_cast<float>(static_cast<int>(i * 37 % 101) - 50);
  return Tensor(v, shape).cast(t).realize();
}

std::vector<UOp> kernels_of(const std::vector<Tensor>& roots) {
  std::vector<UOp> graph, kernels;
  for (const Tensor& t : roots) graph.push_back(t.state()->node());
  for (const ScheduleItem& item : make_schedule(graph, device("CPU").target()).items)
    kernels.push_back(item.kernel);
  return kernels;
}

// A kernel of one axis, or with an axis of one tap: places are sums, without a remainder that only
// matters where the gate is false.
TEST(GradientKernels, OfConvolutionsOfOneAxisHaveAffinePlaces) {
  struct Case {
    Shape input, weight;
    PerAxis padding;
  };
  const Case cases[] = {{{2, 3, 32}, {4, 3, 5}, {0}},
                        {{2, 3, 32}, {4, 3, 5}, {2}},
                        {{2, 3, 16, 8}, {4, 3, 5, 1}, {2, 0}},
                        {{2, 3, 16, 8}, {4, 3, 1, 5}, {0, 2}}};
  for (const Case& c : cases) {
    const Tensor x = data(c.input, DType::Float32), w = data(c.weight, DType::Float32);
    const Tensor y = x.conv2d(w, {.padding = c.padding}), dy = data(y.shape(), DType::Float32);
    for (const UOp& kernel : kernels_of(y.gradient(std::vector<Tensor>{x}, dy))) {
      for (const Node* n : toposort(kernel))
        EXPECT_FALSE(n->op == Op::Mod || n->op == Op::IDiv)
            << format_shape(c.input) << format_shape(c.weight);
    }
  }
}

using Layer = Tensor (*)(const Tensor& x, const Tensor& w);

struct SmallFloats {
  Layer layer;
  Shape x, w;
};

const SmallFloats kLayers[] = {
    {[](const Tensor& x, const Tensor& w) { return x.matmul(w); }, {9, 24}, {24, 20}},
    {[](const Tensor& x, const Tensor& w) { return x.matmul(w); }, {3, 9, 24}, {3, 24, 20}},
    {[](const Tensor& x, const Tensor& w) { return x.conv2d(w, {.padding = {1}}); },
     {2, 6, 9, 9},
     {8, 6, 3, 3}},
    {[](const Tensor& x, const Tensor& w) { return x.conv2d(w, {.stride = {2}}); },
     {2, 6, 20},
     {8, 6, 3}}};

// Terms are rounded nowhere, their sum once.
TEST(GradientKernels, OfSmallFloatsAddUpTermsInFloat32) {
  for (const DType t : {DType::BFloat16, DType::Float16}) {
    for (const SmallFloats& c : kLayers) {
      const Tensor x = data(c.x, t), w = data(c.w, t), y = c.layer(x, w), dy = data(y.shape(), t);
      const std::vector<Tensor> got = y.gradient(std::vector<Tensor>{x, w}, dy);
      for (const UOp& kernel : kernels_of(got)) {
        for (const Node* n : toposort(kernel)) {
          if (n->op != Op::Reduce) continue;
          for (const Node* below : toposort(UOp::share(n->src()[0])))
            EXPECT_FALSE(below->op == Op::Cast && below->dtype == t) << format_shape(c.x);
        }
      }
      const Tensor wide_x = x.cast(DType::Float32), wide_w = w.cast(DType::Float32);
      const std::vector<Tensor> exact =
          c.layer(wide_x, wide_w)
              .gradient(std::vector<Tensor>{wide_x, wide_w}, dy.cast(DType::Float32));
      for (size_t i = 0; i < got.size(); ++i) {
        ASSERT_EQ(got[i].dtype(), t);
        const auto want = exact[i].cast(t).cast(DType::Float32).to_vector<float>();
        EXPECT_EQ(got[i].cast(DType::Float32).to_vector<float>(), want) << format_shape(c.x) << i;
      }
    }
  }
}

// A gradient that comes twice, once as float32 and once as a small float, is added up as float32.
TEST(GradientKernels, OfSmallFloatsMeetInFloat32) {
  const Tensor x = data({6, 8}, DType::BFloat16), w = data({6, 8}, DType::BFloat16);
  const Tensor y = x.cast(DType::Float32).sum() + (x * w).cast(DType::Float32).sum();
  const Tensor got = y.gradient(std::vector<Tensor>{x})[0];
  EXPECT_EQ(got.dtype(), DType::BFloat16);
  EXPECT_EQ(got.cast(DType::Float32).to_vector<float>(),
            (w.cast(DType::Float32) + 1).to_vector<float>());
}

}  // namespace
}  // namespace tg
