// Elements in other arrangements, composed of movement and picking: windows of an axis, repeated
// elements, coordinates of grids, and einops' formulas. Single steps: movement.cpp; the windows of
// convolutions and pools: window.cpp.
#include <algorithm>
#include <numeric>

#include "tensor/ops.h"

namespace tg {
namespace {

using namespace ops_detail;

std::vector<SymInt> one_with(size_t axes, size_t place, const SymInt& size) {
  std::vector<SymInt> out(axes, SymInt(1));
  out[place] = size;
  return out;
}

// How many coordinates a tensor lists, of whatever shape it is.
SymInt count_of(const Tensor& t) {
  if (t.ndim() == 1) return t.sizes()[0];
  need_plain_axes("meshgrid", node_of(t, "meshgrid"));
  return t.numel();
}

}  // namespace

Tensor Tensor::unfold(int64_t axis, int64_t size, int64_t step) const {
  const UOp x = node_of(*this, "unfold");
  const int a = axis_of("unfold", axis, x.shape());
  need_plain_axis("unfold", x, a);
  const Dim n = x.dim(a);
  if (size < 0 || size > n || step < 1) {
    user_error<ArgumentError>(
        "unfold", fmt::format("windows of {} elements, {} apart, do not fit axis {} of shape {}",
                              size, step, a, text(x.shape())));
  }
  const auto counted = [&](int64_t count) {
    return arange(static_cast<double>(count), {.dtype = place_dtype(n), .device = device()});
  };
  const int64_t count = (n - size) / step + 1;
  const Tensor places =
      counted(count).unsqueeze(1) * std::min(step, n + 1) + counted(size).unsqueeze(0);
  std::vector<IndexItem> items(static_cast<size_t>(a), IndexItem(Slice()));
  items.emplace_back(places);
  std::vector<int64_t> order;
  for (int i = 0; i <= x.ndim(); ++i) {
    if (i != a + 1) order.push_back(i);
  }
  order.push_back(a + 1);
  return index(items).permute(order);
}

Tensor Tensor::repeat_interleave(int64_t repeats, std::optional<int64_t> axis) const {
  constexpr std::string_view kFn = "repeat_interleave";
  if (repeats < 0)
    user_error<ArgumentError>(kFn, fmt::format("the count must not be negative: {}", repeats));
  if (!axis) return flatten().repeat_interleave(repeats, 0);
  const int a = axis_of(kFn, *axis, node_of(*this, kFn).shape());
  std::vector<SymInt> sizes = this->sizes(), wide = sizes;
  wide.insert(wide.begin() + a + 1, repeats);
  const Tensor repeated = unsqueeze(a + 1).expand(Sizes(wide));
  sizes[static_cast<size_t>(a)] = sizes[static_cast<size_t>(a)] * repeats;
  return repeated.reshape(Sizes(sizes));
}

std::vector<Tensor> Tensor::meshgrid(const std::vector<Tensor>& tensors, GridIndexing indexing) {
  if (tensors.empty()) user_error<ArgumentError>("meshgrid", "needs at least one tensor");
  const size_t n = tensors.size();
  if (n == 1) return tensors;
  std::vector<size_t> place(n);
  std::iota(place.begin(), place.end(), size_t{0});
  if (indexing == GridIndexing::Xy) std::swap(place[0], place[1]);
  std::vector<SymInt> shape(n, SymInt(1));
  for (size_t i = 0; i < n; ++i) shape[place[i]] = count_of(tensors[i]);
  std::vector<Tensor> out;
  for (size_t i = 0; i < n; ++i) {
    const Sizes own(one_with(n, place[i], shape[place[i]]));
    out.push_back(tensors[i].reshape(own).expand(Sizes(shape)));
  }
  return out;
}

}  // namespace tg
