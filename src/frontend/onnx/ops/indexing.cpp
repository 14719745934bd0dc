// Operators that pick and place elements by indices. Slices and joins: shapes.cpp.
#include <algorithm>
#include <functional>
#include <map>
#include <numeric>

#include "frontend/onnx/ops/common.h"
#include "frontend/onnx/table.h"

namespace tg::onnx {
namespace {

Values gather(const Node& n) {
  const Tensor x = n.tensor(0);
  n.require(x.ndim() > 0, "a tensor without axes");
  return {gather_along(x, n.tensor(1), n.axis(n.integer("axis", 0), x.ndim()))};
}

Values gather_elements(const Node& n) {
  const Tensor x = n.tensor(0);
  const int64_t axis = n.axis(n.integer("axis", 0), x.ndim());
  return {x.gather(axis, wrapped_indices(n.tensor(1), x.size(axis)))};
}

// The number in row-major order that the last axis of `indices` [..., k] names in the first k of
// these sizes.
Tensor linear_index(const Node& n, const Tensor& indices, const Shape& sizes) {
  const int64_t k = indices.size(-1);
  n.require(k <= static_cast<int64_t>(sizes.size()), "more indices than axes");
  Tensor out;
  for (int64_t i = 0; i < k; ++i) {
    const int64_t size = sizes[static_cast<size_t>(i)];
    const Tensor column = wrapped_indices(indices[{Ellipsis, i}], size);
    out = i == 0 ? column : out * size + column;
  }
  return out;
}

Values gather_nd(const Node& n) {
  const Tensor x = n.tensor(0), indices = n.tensor(1).cast(DType::Int64);
  const Shape shape = x.shape(), places = indices.shape();
  const int64_t batch_axes = n.integer("batch_dims", 0);
  n.require(batch_axes >= 0 && batch_axes < indices.ndim() && batch_axes < x.ndim(),
            "batch_dims is outside the axes");
  const Shape batch(shape.begin(), shape.begin() + batch_axes);
  const Shape own(shape.begin() + batch_axes, shape.end());
  const int64_t k = places.back();
  n.require(k >= 1 && k <= static_cast<int64_t>(own.size()), "more indices than axes");
  const Shape rest(own.begin() + k, own.end());
  const int64_t many = elements_of(batch), picked = elements_of({own.begin(), own.begin() + k});
  Tensor at = linear_index(n, indices, own).reshape({many, -1});
  const Tensor first =
      Tensor::arange(static_cast<double>(many), {.dtype = DType::Int64, .device = n.device()})
          .reshape({many, 1});
  at = at + first * picked;
  const Tensor rows = x.reshape({many * picked, elements_of(rest)});
  Shape out(places.begin(), places.end() - 1);
  out.insert(out.end(), rest.begin(), rest.end());
  return {gather_along(rows, at.flatten(), 0).reshape(out)};
}

std::optional<ScatterReduction> reduction_of(const Node& n) {
  const std::string name = n.text("reduction", "none");
  if (name == "none") return {};
  if (name == "add") return ScatterReduction::Sum;
  if (name == "mul") return ScatterReduction::Prod;
  if (name == "max") return ScatterReduction::Max;
  if (name == "min") return ScatterReduction::Min;
  n.wrong("unknown reduction \"" + name + "\"");
}

Tensor scattered(const Tensor& x, int64_t axis, const Tensor& at, const Tensor& from,
                 std::optional<ScatterReduction> reduction) {
  return reduction ? x.scatter_reduce(axis, at, from, *reduction) : x.scatter(axis, at, from);
}

Values scatter_elements(const Node& n) {
  const Tensor x = n.tensor(0);
  const int64_t axis = n.axis(n.integer("axis", 0), x.ndim());
  return {
      scattered(x, axis, wrapped_indices(n.tensor(1), x.size(axis)), n.tensor(2), reduction_of(n))};
}

Values scatter_nd(const Node& n) {
  const Tensor x = n.tensor(0), indices = n.tensor(1);
  const Shape shape = x.shape();
  const int64_t k = indices.size(-1);
  n.require(k >= 1 && k <= x.ndim(), "more indices than axes");
  const int64_t rows = elements_of({shape.begin(), shape.begin() + k});
  const int64_t width = elements_of({shape.begin() + k, shape.end()});
  const Tensor at = linear_index(n, indices, shape).flatten();
  const Tensor flat = x.reshape({rows, width}), from = n.tensor(2).reshape({at.numel(), width});
  return {scattered(flat, 0, at.unsqueeze(1).expand({at.numel(), width}), from, reduction_of(n))
              .reshape(shape)};
}

// Which elements there are depends on the condition, which is computed now.
Values compress(const Node& n) {
  Tensor x = n.tensor(0);
  const bool flat = !n.has_attribute("axis");
  if (flat) x = x.flatten();
  const int64_t axis = flat ? 0 : n.axis(n.integer("axis", 0), x.ndim());
  const std::vector<int64_t> condition = n.integers(1);
  std::vector<int64_t> places;
  for (size_t i = 0; i < condition.size(); ++i)
    if (condition[i] != 0) places.push_back(static_cast<int64_t>(i));
  n.require(places.empty() || places.back() < x.size(axis),
            "the condition is longer than the axis");
  const auto count = static_cast<int64_t>(places.size());
  return {gather_along(x, int_tensor(n, places, {count}), axis)};
}

Values nonzero(const Node& n) {
  const Tensor x = n.tensor(0);
  const Tensor places = x.ndim() == 0 ? x.reshape({1}).nonzero() : x.nonzero();
  return {places.cast(DType::Int64).transpose()};
}

Values one_hot(const Node& n) {
  const Tensor indices = n.tensor(0);
  const int64_t depth = n.numbers(1).integer(0);
  n.require(depth > 0 && depth < (int64_t{1} << 31), "a depth that is not positive");
  const Tensor values = n.tensor(2);
  int64_t axis = n.integer("axis", -1);
  axis = n.axis(axis, indices.ndim() + 1);
  const Tensor at = wrapped_indices(indices.cast(DType::Int64), depth).unsqueeze(axis);
  Shape shape(static_cast<size_t>(indices.ndim()) + 1, 1);
  shape[static_cast<size_t>(axis)] = depth;
  const Tensor all =
      Tensor::arange(static_cast<double>(depth), {.dtype = DType::Int64, .device = n.device()});
  return {(at == all.reshape(shape)).where(values[1], values[0])};
}

Values reverse_sequence(const Node& n) {
  const Tensor x = n.tensor(0), lengths = n.tensor(1);
  const int64_t time = n.integer("time_axis", 0), batch = n.integer("batch_axis", 1);
  n.require(x.ndim() >= 2 && time != batch && time >= 0 && time < 2 && batch >= 0 && batch < 2,
            "time_axis and batch_axis are 0 and 1");
  const Tensor t = Tensor::arange(static_cast<double>(x.size(time)),
                                  {.dtype = DType::Int64, .device = n.device()})
                       .unsqueeze(batch);
  const Tensor l = lengths.cast(DType::Int64).unsqueeze(time);
  Tensor at = (t < l).where(l - 1 - t, t);
  for (int64_t i = 2; i < x.ndim(); ++i) at = at.unsqueeze(-1);
  return {x.gather(time, at.expand(x.shape()))};
}

// The first place of each distinct slice, where it comes back, and how often. On the host: how many
// there are decides the shapes.
Values unique(const Node& n) {
  Tensor x = n.tensor(0);
  const bool flat = !n.has_attribute("axis");
  if (flat) x = x.flatten();
  const int64_t axis = flat ? 0 : n.axis(n.integer("axis", 0), x.ndim());
  std::vector<int64_t> order(static_cast<size_t>(x.ndim()));
  std::iota(order.begin(), order.end(), 0);
  std::swap(order[0], order[static_cast<size_t>(axis)]);
  const HostArray rows = read_back(x.permute(order).contiguous());
  const int64_t count = x.size(axis), width = count == 0 ? 0 : rows.size() / count;
  std::map<std::vector<double>, int64_t> known;
  std::vector<int64_t> first, inverse, counts;
  std::vector<std::vector<double>> keys;
  for (int64_t i = 0; i < count; ++i) {
    std::vector<double> key;
    for (int64_t k = 0; k < width; ++k) key.push_back(rows.real(i * width + k));
    const auto [entry, is_new] = known.emplace(key, static_cast<int64_t>(first.size()));
    if (is_new) {
      first.push_back(i);
      counts.push_back(0);
      keys.push_back(std::move(key));
    }
    ++counts[static_cast<size_t>(entry->second)];
    inverse.push_back(entry->second);
  }
  std::vector<int64_t> sorted(first.size()), rank(first.size());
  std::iota(sorted.begin(), sorted.end(), 0);
  if (n.flag("sorted", true))
    std::ranges::sort(sorted, {}, [&](int64_t i) { return keys[static_cast<size_t>(i)]; });
  for (size_t i = 0; i < sorted.size(); ++i)
    rank[static_cast<size_t>(sorted[i])] = static_cast<int64_t>(i);
  std::vector<int64_t> places, numbers;
  for (const int64_t s : sorted) {
    places.push_back(first[static_cast<size_t>(s)]);
    numbers.push_back(counts[static_cast<size_t>(s)]);
  }
  for (int64_t& i : inverse) i = rank[static_cast<size_t>(i)];
  const auto found = static_cast<int64_t>(places.size());
  return {gather_along(x, int_tensor(n, places, {found}), axis), host_vector(places),
          host_vector(inverse), host_vector(numbers)};
}

// ai.onnx.ml: columns of the last axis; those of a vector are a row.
Values array_feature_extractor(const Node& n) {
  const Tensor x = n.tensor(0);
  n.require(x.ndim() > 0, "a tensor without axes");
  const Tensor picked = gather_along(x, n.tensor(1).flatten(), x.ndim() - 1);
  return {x.ndim() == 1 ? picked.unsqueeze(0) : picked};
}

}  // namespace

std::span<const Operator> indexing_operators() {
  static const std::vector<Operator> rows = {
      {"Compress", {9, 11, 28}, "axis", compress},
      {"Gather", {1, 11, 13}, "axis", gather},
      {"GatherElements", {11, 13}, "axis", gather_elements},
      {"GatherND", {11, 12, 13}, "batch_dims", gather_nd},
      {"NonZero", {9, 13}, "", nonzero},
      {"OneHot", {9, 11, 28}, "axis", one_hot},
      {"ReverseSequence", {10, 28}, "batch_axis time_axis", reverse_sequence},
      {"Scatter", {9, 11}, "axis", scatter_elements},
      {"ScatterElements", {11, 13, 16, 18}, "axis reduction", scatter_elements},
      {"ScatterND", {11, 13, 16, 18}, "reduction", scatter_nd},
      {"Unique", {11, 28}, "axis sorted", unique},
      {"ai.onnx.ml.ArrayFeatureExtractor", {1}, "", array_feature_extractor},
  };
  return rows;
}

}  // namespace tg::onnx
