// Writing to picked places, and selecting by a mask: both are a SCATTER. Writing to windows without
// index tensors: storage.cpp.
#include <algorithm>
#include <ranges>

#include "tensor/indexing.h"
#include "uop/limits.h"

namespace tg {
namespace ops_detail {

// The view with the values put in, assigned to the view: the storage keeps its other elements.
void set_picked(const Tensor& base, const std::vector<IndexItem>& items, const Tensor& value) {
  const ParsedIndex p = parse_index("set", items, node_of(base, "set"));
  const Tensor view = view_of(base, p.view);
  if (!value.state()->is_number() && value.dtype() != view.dtype()) {
    user_error<DTypeError>("set",
                           fmt::format("dtypes differ: target {}, value {}",
                                       dtype_name(view.dtype()), dtype_name(value.dtype())),
                           "Hint: cast the value.");
  }
  common_device("set", {p.view, node_of(value, "set")});
  const FlatPicks f = flat_picks("set", p);
  Shape target = f.rest;
  target.insert(target.begin() + f.before, f.shape.begin(), f.shape.end());
  UOp v = node_as(value, view.dtype(), "set");
  if (broadcast_shape("set", target, v.shape()) != target) {
    user_error<ShapeError>("set", fmt::format("the value does not fit the places: {} to {}",
                                              text(v.shape()), text(target)));
  }
  Shape flat = f.rest, column(f.rest.size() + 1, 1);
  const Dim places = numel(f.shape);
  flat.insert(flat.begin() + f.before, places);
  std::vector<int64_t> front = {f.before};
  for (int i = 0; i < static_cast<int>(flat.size()); ++i) {
    if (i != f.before) front.push_back(i);
  }
  v = permute(reshape(broadcast_to(v, target), flat), front);
  column[0] = places;
  UOp index = expand(reshape(f.index, column), v.shape_vec());
  UOp filled = scatter(f.table, index, v, 0, Combine::Set);
  Shape split;
  std::vector<int64_t> back(f.order.size());
  for (size_t i = 0; i < f.order.size(); ++i) {
    split.push_back(p.view.dim(static_cast<int>(f.order[i])));
    back[static_cast<size_t>(f.order[i])] = static_cast<int64_t>(i);
  }
  view.assign(wrap(permute(reshape(filled, split), back)));
}

}  // namespace ops_detail

using namespace ops_detail;

// Selected elements go to the number of selected ones before them, the others outside.
Tensor Tensor::masked_select(const Tensor& mask, const MaskedSelectOptions& o) const {
  UOp x = node_of(*this, "masked_select"), m = node_of(mask, "masked_select");
  if (!is_bool(m.dtype())) {
    user_error<DTypeError>("masked_select",
                           fmt::format("the mask must be bool, got {}", dtype_name(m.dtype())),
                           "Hint: compare it with something.");
  }
  if (o.size && *o.size < 0) {
    user_error<ArgumentError>("masked_select",
                              fmt::format("the size must not be negative: {}", *o.size));
  }
  common_device("masked_select", {x, m});
  const Shape shape = broadcast_shape("masked_select", x.shape(), m.shape());
  const Dim n = tg::numel(shape);
  x = tg::reshape(broadcast_to(x, shape), {n});
  m = tg::reshape(broadcast_to(m, shape), {n});
  const Tensor count = wrap(tg::cast(m, DType::Int64)).cumsum();
  const int64_t size = o.size   ? *o.size
                       : n == 0 ? 0
                                : wrap(tg::cast(m, DType::Int64)).sum().item<int64_t>();
  UOp place = node_of(count, "masked_select") - 1;
  place = tg::where(m, place, const_like(place, int64_t{-1}));
  UOp blank = tg::full({size}, Scalar::of_double(o.fill_value, DType::Float64).cast(x.dtype()));
  return wrap(tg::scatter(blank, place, x, 0, Combine::Set));
}

// The places of the selected elements in the flattened tensor, taken apart. −1 stands where there
// are fewer than asked for.
Tensor Tensor::nonzero(const MaskedSelectOptions& o) const {
  UOp mask = node_of(*this != 0, "nonzero");
  if (o.size && *o.size < 0) {
    user_error<ArgumentError>("nonzero", fmt::format("the size must not be negative: {}", *o.size));
  }
  mask = delimited(mask, Scalar::of_int(0, DType::Bool));
  const Shape extents = mask.shape_vec();
  const Dim n = mask.numel();
  const Tensor chosen = wrap(tg::reshape(mask, {n}));
  const Tensor flat = arange(static_cast<double>(n), {.device = device()})
                          .masked_select(chosen, {.size = o.size, .fill_value = -1});
  if (extents.empty())
    return zeros({flat.shape()[0], 0}, {.dtype = DType::Int32, .device = device()});
  std::vector<Tensor> columns;
  for (Dim step = 1; const Dim extent : extents | std::views::reverse) {
    columns.insert(columns.begin(), flat.floordiv(step).mod(extent));
    step *= extent;
  }
  const Tensor rows = stack(columns, 1);
  return o.size ? (flat >= 0).unsqueeze(1).where(rows, static_cast<int64_t>(o.fill_value)) : rows;
}

}  // namespace tg
