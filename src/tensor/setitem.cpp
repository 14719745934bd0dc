// Writing to picked places, and selecting by a mask: both are a SCATTER. Writing by a mask is a
// WHERE, for which nobody need know how many places there are. Writing to windows without index
// tensors: storage.cpp.
#include <algorithm>
#include <ranges>

#include "tensor/indexing.h"
#include "tensor/storage.h"
#include "uop/limits.h"

namespace tg {
namespace {

using namespace ops_detail;

void check_dtype(const Tensor& view, const Tensor& value) {
  if (value.state()->is_number() || value.dtype() == view.dtype()) return;
  user_error<DTypeError>("set",
                         fmt::format("dtypes differ: target {}, value {}", dtype_name(view.dtype()),
                                     dtype_name(value.dtype())),
                         "Hint: cast the value.");
}

// The part of a tensor that a mask is about: its axes stand among those of `view`, from `first` on.
struct MaskedPart {
  Tensor view, mask;
  int64_t first;
};

MaskedPart masked_part(const Tensor& base, const std::vector<IndexItem>& given) {
  std::vector<IndexItem> items = items_of_all_axes("set", given, node_of(base, "set"));
  const auto at = std::ranges::find_if(items, is_mask);
  const Tensor mask = *at->tensor;
  const auto first = std::count_if(
      items.begin(), at, [](const IndexItem& i) { return i.kind != IndexItem::Kind::Integer; });
  const auto whole = items.erase(at);
  items.insert(whole, static_cast<size_t>(mask.ndim()), IndexItem(Slice()));
  return {base.index(items), mask, first};
}

// The value as [before…, rows, after…], where there are one or as many rows as places at most.
Tensor in_rows(const MaskedPart& part, const Tensor& value) {
  const Shape whole = part.view.shape(), given = value.shape();
  Shape sizes(whole.begin(), whole.begin() + part.first);
  sizes.push_back(-1);
  sizes.insert(sizes.end(), whole.begin() + part.first + part.mask.ndim(), whole.end());
  bool fits = given.size() <= sizes.size();
  Shape rows(sizes.size(), 1);
  for (size_t i = 1; fits && i <= given.size(); ++i) {
    const int64_t size = sizes[sizes.size() - i], n = given[given.size() - i];
    rows[sizes.size() - i] = n;
    fits = n == 1 || n == size || size < 0;
  }
  if (fits) return value.reshape(rows);
  std::vector<std::string> names;
  for (const int64_t n : sizes) names.push_back(n < 0 ? "places" : std::to_string(n));
  user_error<ShapeError>("set", fmt::format("the value does not fit the places: {} to [{}]",
                                            text(given), fmt::join(names, ",")));
}

}  // namespace

namespace ops_detail {

// Each place gets the row of its number among the places.
void set_masked(const Tensor& base, const std::vector<IndexItem>& items, const Tensor& value) {
  const MaskedPart part = masked_part(base, items);
  check_dtype(part.view, value);
  common_device("set",
                {node_of(part.view, "set"), node_of(part.mask, "set"), node_of(value, "set")});
  Tensor rows = in_rows(part, wrap(node_as(value, part.view.dtype(), "set")));
  const int64_t number = rows.size(part.first);
  if (number == 0) return;
  const Shape sizes = part.mask.shape();
  Tensor chosen = part.mask;
  if (number > 1) {
    const Tensor place = chosen.flatten().cast(DType::Int64).cumsum() - 1;
    std::vector<IndexItem> at(static_cast<size_t>(part.first), IndexItem(Slice()));
    at.emplace_back(place);
    rows = rows.index(at);
    chosen = chosen & (place < number).reshape(sizes);
  }
  const Shape ones(sizes.size(), 1);
  rows = rows.unflatten(part.first, number > 1 ? sizes : ones);
  Shape column = sizes;
  column.resize(static_cast<size_t>(part.view.ndim() - part.first), 1);
  store_value(part.view, chosen.reshape(column).where(rows, part.view));
}

// The view with the values put in, assigned to the view: the storage keeps its other elements.
void set_picked(const Tensor& base, const std::vector<IndexItem>& items, const Tensor& value) {
  const ParsedIndex p = parse_index("set", items, node_of(base, "set"));
  const Tensor view = view_of(base, p.view);
  check_dtype(view, value);
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
  store_value(view, wrap(permute(reshape(filled, split), back)));
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
  if (!o.size) return rows;
  return (flat >= 0).unsqueeze(1).where(rows, Scalar::of_double(o.fill_value, DType::Int64).i64());
}

}  // namespace tg
