// Joining tensors and cutting them into pieces. What a joined tensor is as a graph: uop/join.h.
#include <algorithm>

#include "tensor/ops.h"
#include "tensor/symbolic.h"
#include "uop/join.h"
#include "uop/limits.h"

namespace tg {
namespace {

using namespace ops_detail;

DType dtype_of_all(const std::vector<Tensor>& tensors) {
  DType t = tensors[0].dtype();
  for (const Tensor& x : tensors) t = promote(t, x.dtype());
  return t;
}

void need_some(std::string_view fn, const std::vector<Tensor>& tensors) {
  if (tensors.empty()) user_error<ArgumentError>(fn, "needs at least one tensor");
}

// The same where the sizes of pieces are expressions: each piece is read from where it begins.
UOp joined_symbolic(const std::vector<UOp>& pieces, int axis) {
  Shape shape = pieces[0].shape_vec();
  Dim& most = shape[static_cast<size_t>(axis)] = 0;
  SymInt end = 0;
  for (const UOp& p : pieces) {
    most += p.dim(axis);
    end = end + size_from(size_of(p, axis));
  }
  const SymInt total = end;
  const UOp i = iota(shape, axis, DType::Index);
  const Shape ones(shape.size(), 1);
  UOp result;
  for (size_t k = pieces.size(); k-- > 0;) {
    const SymInt begin = end - size_from(size_of(pieces[k], axis));
    const UOp piece = offset(delimited(pieces[k], axis, Scalar::of_int(0, pieces[k].dtype())), axis,
                             index_node(-begin), most);
    const UOp bound = expand(reshape(index_node(end), ones), shape);
    result = result ? where(lt(i, bound), piece, result) : piece;
    end = begin;
  }
  return limited(result, axis, index_node(total));
}

UOp joined_any(const std::vector<UOp>& pieces, int axis) {
  const auto is_symbolic = [&](const UOp& p) {
    return p.node()->limit(static_cast<size_t>(axis)) != nullptr;
  };
  return std::ranges::any_of(pieces, is_symbolic) ? joined_symbolic(pieces, axis)
                                                  : joined(pieces, axis);
}

// `count` elements before the axis (after it, if `after`), as the mode continues it.
UOp continuation(const UOp& x, int axis, Dim count, PadMode mode, bool after) {
  const Dim n = x.dim(axis);
  switch (mode) {
    case PadMode::Reflect:
      return flip(shrink_axis(x, axis, after ? n - 1 - count : 1, count), {{int64_t{axis}}});
    case PadMode::Circular:
      return shrink_axis(x, axis, after ? 0 : n - count, count);
    case PadMode::Replicate:
      break;
  }
  Shape stretched = x.shape_vec();
  stretched[static_cast<size_t>(axis)] = count;
  return expand(shrink_axis(x, axis, after ? n - 1 : 0, 1), stretched);
}

void check_continuation(const UOp& x, int axis, Dim before, Dim after, PadMode mode) {
  const Dim n = x.dim(axis), most = std::max(before, after);
  const Dim limit = mode == PadMode::Reflect ? n - 1 : mode == PadMode::Circular ? n : most;
  if (most == 0 || (n > 0 && most <= limit)) return;
  user_error<ShapeError>(
      "pad", fmt::format("({}, {}) needs more elements than axis {} of shape {} has", before, after,
                         axis, text(x.shape())));
}

}  // namespace

// Reflected and replicated is the whole axis; circular is what cropping leaves, as in PyTorch.
Tensor Tensor::pad(const std::vector<std::pair<int64_t, int64_t>>& padding, PadMode mode) const {
  auto crop = padding;
  for (auto& [before, after] : crop)
    before = std::min<int64_t>(before, 0), after = std::min<int64_t>(after, 0);
  const std::vector<std::pair<int64_t, int64_t>> nothing(padding.size());
  const bool crop_first = mode == PadMode::Circular;
  UOp x = node_of(pad(crop_first ? crop : nothing), "pad");
  for (int axis = 0; axis < x.ndim(); ++axis) {
    const Dim before = std::max<Dim>(padding[static_cast<size_t>(axis)].first, 0);
    const Dim after = std::max<Dim>(padding[static_cast<size_t>(axis)].second, 0);
    check_continuation(x, axis, before, after, mode);
    std::vector<UOp> pieces;
    if (before > 0) pieces.push_back(continuation(x, axis, before, mode, false));
    pieces.push_back(x);
    if (after > 0) pieces.push_back(continuation(x, axis, after, mode, true));
    if (pieces.size() > 1) x = joined_any(pieces, axis);
  }
  return wrap(x).pad(crop_first ? nothing : crop);
}

Tensor Tensor::cat(const std::vector<Tensor>& tensors, int64_t axis) {
  need_some("cat", tensors);
  const Shape first = tensors[0].shape();
  const int a = axis_of("cat", axis, first);
  const DType t = dtype_of_all(tensors);
  std::vector<UOp> all, pieces;
  for (const Tensor& x : tensors) {
    UOp u = node_as(x, t, "cat");
    all.push_back(u);
    Shape like = u.shape_vec();
    if (like.size() == first.size()) like[static_cast<size_t>(a)] = first[static_cast<size_t>(a)];
    if (like != first) {
      user_error<ShapeError>("cat", fmt::format("shapes must agree except on axis {}: {} and {}", a,
                                                text(first), text(u.shape())));
    }
    if (u.dim(a) != 0) pieces.push_back(std::move(u));
  }
  common_device("cat", all);
  return pieces.empty() ? tensors[0].cast(t) : wrap(joined_any(pieces, a));
}

Tensor Tensor::stack(const std::vector<Tensor>& tensors, int64_t axis) {
  need_some("stack", tensors);
  const Shape first = tensors[0].shape();
  std::vector<Tensor> wider;
  for (const Tensor& x : tensors) {
    if (x.shape() != first) {
      user_error<ShapeError>(
          "stack", fmt::format("shapes must agree: {} and {}", text(first), text(x.shape())));
    }
    wider.push_back(x.unsqueeze(axis));
  }
  return cat(wider, axis);
}

std::vector<Tensor> Tensor::split(const std::vector<int64_t>& sizes, int64_t axis) const {
  UOp x = node_of(*this, "split");
  const int a = axis_of("split", axis, x.shape());
  Dim total = 0;
  bool valid = true;
  for (int64_t s : sizes) {
    valid = valid && s >= 0 && s <= x.dim(a) - total;
    total += valid ? s : 0;
  }
  if (!valid || total != x.dim(a)) {
    user_error<ShapeError>("split", fmt::format("sizes {} must add up to axis {} of shape {}",
                                                text(sizes), a, text(x.shape())));
  }
  std::vector<Tensor> out;
  Dim begin = 0;
  for (int64_t s : sizes) {
    out.push_back(view_of(*this, shrink_axis(x, a, begin, s)));
    begin += s;
  }
  return out;
}

std::vector<Tensor> Tensor::split(int64_t size, int64_t axis) const {
  const Shape s = shape();
  const int a = axis_of("split", axis, s);
  if (size <= 0)
    user_error<ArgumentError>("split", fmt::format("the size must be positive: {}", size));
  std::vector<int64_t> sizes;
  for (Dim left = s[static_cast<size_t>(a)]; left > 0; left -= size)
    sizes.push_back(std::min(left, size));
  if (sizes.empty()) sizes.push_back(0);
  return split(sizes, a);
}

std::vector<Tensor> Tensor::chunk(int64_t chunks, int64_t axis) const {
  const Shape s = shape();
  const int a = axis_of("chunk", axis, s);
  if (chunks <= 0)
    user_error<ArgumentError>("chunk", fmt::format("the number must be positive: {}", chunks));
  const Dim n = s[static_cast<size_t>(a)];
  return split(n == 0 ? 1 : (n - 1) / chunks + 1, a);
}

}  // namespace tg
