// Where the maxima of a pool stand, and putting values back there. The pools themselves:
// reference_test.cpp.
#include "tensor/state.h"
#include "tg/ir/walk.h"
#include "unit/tensor/support/tensor_test.h"

namespace tg {
namespace {

using namespace testing;

TEST(MaxPool2dWithIndices, NamesTheFirstPlaceOfEachMaximum) {
  const Tensor x({{1., 5., 2., 2.}, {5., 0., 2., 9.}});
  const auto [largest, places] = x.max_pool2d_with_indices();
  expect_values(largest, {1, 2}, {5, 9});
  expect_values(places, {1, 2}, {1, 7});
  EXPECT_EQ(places.dtype(), DType::Int32);
}
TEST(MaxPool2dWithIndices, AgreesWithTheElementsThatItNames) {
  Random random(1);
  const Tensor x = random.tensor({2, 3, 7, 6}).realize();
  for (const PoolOptions& o :
       {PoolOptions{.kernel_size = {3, 2}}, PoolOptions{.kernel_size = {2, 2}, .stride = {1}},
        PoolOptions{.kernel_size = {3, 3}, .stride = {2}, .padding = {1}},
        PoolOptions{.kernel_size = {3, 3}, .stride = {2}, .padding = {1, 0, 0, 1}},
        PoolOptions{.kernel_size = {2, 2}, .dilation = {3, 2}},
        PoolOptions{.kernel_size = {3}, .stride = {2}, .ceil_mode = true}}) {
    const auto [largest, places] = x.max_pool2d_with_indices(o);
    const auto axes = static_cast<int64_t>(o.kernel_size.list.size());
    expect_values(largest, largest.shape(), x.max_pool2d(o).to_vector<double>());
    const Tensor named = x.flatten(-axes).gather(-1, places.flatten(-axes));
    expect_values(named, named.shape(), largest.to_vector<double>());
  }
}
TEST(MaxPool2dWithIndices, NamesTheFirstNaN) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = INFINITY;
  const Tensor x({{1., nan, -inf, -inf}, {nan, 3., -inf, -inf}});
  const auto [largest, places] = x.max_pool2d_with_indices({.padding = {1}});
  expect_values(largest, {2, 3}, {1, nan, -inf, nan, 3, -inf});
  expect_values(places, {2, 3}, {0, 1, 3, 4, 5, 7});
}
TEST(MaxPool2dWithIndices, HasAsManyNodesForAnyWindow) {
  const Tensor x = Tensor::arange(1 << 20).reshape({1024, 1024}).realize();
  const auto places = [&](const PoolOptions& o) { return x.max_pool2d_with_indices(o).second; };
  const auto nodes = [&](int64_t rows, int64_t columns) {
    return toposort(places({.kernel_size = {rows, columns}, .stride = {7}}).state()->node()).size();
  };
  EXPECT_LE(nodes(30, 20), nodes(9, 8) + 4);
  expect_values(places({.kernel_size = {1000, 700}}), {1, 1}, {999 * 1024 + 699});
}
TEST(MaxPool2dWithIndices, CountsMoreElementsThanInt32Holds) {
  const Tensor x = Tensor::zeros({1 << 16, 1 << 16});
  EXPECT_EQ(x.max_pool2d_with_indices().second.dtype(), DType::Int64);
}

// Windows that do not overlap are a split of the axis: no sum over them in the gradient's graph.
TEST(Windows, ThatDoNotOverlapAreASplit) {
  Random random(1);
  for (const PoolOptions& o : {PoolOptions{.kernel_size = {3, 2}, .padding = {1}},
                               PoolOptions{.kernel_size = {2, 2}, .stride = {3}, .padding = {1}},
                               PoolOptions{.kernel_size = {3, 3}, .ceil_mode = true},
                               PoolOptions{.kernel_size = {2, 1}, .stride = {3}}}) {
    const Tensor x = random.tensor({2, 3, 8, 7}).realize();
    EXPECT_EQ(count_nodes(x.avg_pool2d(o).state()->node(), Op::Shear), 0);
    expect_gradients([&](const auto& v) { return v[0].avg_pool2d(o); }, {x});
    expect_gradients([&](const auto& v) { return v[0].max_pool2d(o); }, {x});
    if (o.ceil_mode) continue;
    const Tensor all =
        x.max_pool2d({.kernel_size = o.kernel_size, .stride = {1}, .padding = o.padding});
    const int64_t rows = o.stride.list.empty() ? o.kernel_size.list[0] : o.stride.list[0],
                  columns = o.stride.list.empty() ? o.kernel_size.list.back() : rows;
    const Tensor some = all[{Slice{}, Slice{}, Slice{{}, {}, rows}, Slice{{}, {}, columns}}];
    expect_values(x.max_pool2d(o), some.shape(), some.to_vector<double>());
  }
}

TEST(MaxUnpool2d, PutsValuesWhereTheyStood) {
  const Tensor x({{1., 5., 2., 2.}, {5., 0., 2., 9.}});
  const auto [largest, places] = x.max_pool2d_with_indices();
  expect_values(largest.max_unpool2d(places), {2, 4}, {0, 5, 0, 0, 0, 0, 0, 9});
  expect_values(largest.max_unpool2d(places, {.output_size = {3, 4}}), {3, 4},
                {0, 5, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0});
  expect_values(largest.max_unpool2d(places, {.output_size = {9, 9, 2, 5}}), {2, 5},
                {0, 5, 0, 0, 0, 0, 0, 9, 0, 0});
}
TEST(MaxUnpool2d, HasTheSizeThatWasPooled) {
  const Tensor x = Tensor::zeros({2, 3, 3, 4}), places = Tensor::zeros({2, 3, 3, 4}, DType::Int32);
  EXPECT_EQ(
      x.max_unpool2d(places, {.kernel_size = {3, 2}, .stride = {2}, .padding = {1, 0}}).shape(),
      (Shape{2, 3, 5, 8}));
  EXPECT_EQ(Tensor::zeros({0, 2, 2}).max_unpool2d(Tensor::zeros({0, 2, 2}, DType::Int32)).shape(),
            (Shape{0, 4, 4}));
}
TEST(MaxUnpool2d, TakesSlopesFromThePlaces) {
  Random random(2);
  const Tensor places({{0, 3}, {9, 10}});
  expect_gradients([&](const auto& x) { return x[0].max_unpool2d(places); },
                   {random.tensor({2, 2})});
}

}  // namespace
}  // namespace tg
