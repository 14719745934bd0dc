// Matrix products and convolutions: broadcast, multiply, add up. No copies are made and no special
// operation exists; the compiler is what makes them fast.
#include <algorithm>

#include "tensor/ops.h"
#include "tensor/state.h"

namespace tg {
namespace {

using namespace ops_detail;

// In what products of elements of `t` are made and added up: small floats in float32.
DType product_dtype(DType t) { return is_bool(t) ? DType::Int32 : compute_float(t); }

// The operand in that dtype, widened where it has the fewest elements of all that movement makes of
// it: a copy of what is widened is never larger than the operand, and zeros that were put between
// elements stay in sight.
UOp widened(const UOp& x, DType t) {
  const DType wide = product_dtype(t);
  const auto fills = [](const UOp& u) {
    return (u.is(Op::Pad) || u.is(Op::Shear)) && u.node()->arg().back() != 0;
  };
  UOp data = x;
  for (UOp u = x; in_group(u.op(), kMovement) && !fills(u);) {
    u = u.src(0);
    if (numel(u.shape()) <= numel(data.shape())) data = u;
  }
  return rebase(x, tg::cast(data, wide), data.node());
}

UOp multiply_add(const UOp& a, const UOp& b, std::span<const int64_t> axes, DType t) {
  const UOp s = reduce(a * b, ReduceOp::Add, axes);
  return is_bool(t) ? ne(s, const_like(s, int64_t{0})) : cast(s, t);
}

// The axes in front of the last two.
void check_batch(const UOp& a, const UOp& b) {
  for (int i = 3; i <= std::min(a.ndim(), b.ndim()); ++i) {
    const Dim x = a.dim(a.ndim() - i), y = b.dim(b.ndim() - i);
    if (x == y || x == 1 || y == 1) continue;
    user_error<ShapeError>(
        "matmul",
        fmt::format("batch axes cannot be broadcast: lhs {} @ rhs {} ({} vs {} on axis -{})",
                    text(a.shape()), text(b.shape()), x, y, i),
        "Hint: sizes must be equal or 1.");
  }
}

void check_product(const UOp& a, const UOp& b) {
  if (a.ndim() == 0 || b.ndim() == 0) {
    user_error<ShapeError>("matmul",
                           fmt::format("needs at least 1 axis on both sides: lhs {} @ rhs {}",
                                       text(a.shape()), text(b.shape())),
                           "Hint: use * for scalars.");
  }
  const Dim inner = a.dim(a.ndim() - 1), other = b.dim(std::max(0, b.ndim() - 2));
  if (inner == other) return check_batch(a, b);
  const bool transposed = b.dim(b.ndim() - 1) == inner;
  user_error<ShapeError>("matmul",
                         fmt::format("inner sizes differ: lhs {} @ rhs {} ({} vs {})",
                                     text(a.shape()), text(b.shape()), inner, other),
                         transposed ? "Hint: transpose rhs." : "");
}

// [..., k] → [..., 1, k] and [..., k, n] → [..., 1, n, k].
UOp left_rows(const UOp& a) {
  Shape s = a.shape_vec();
  if (s.size() == 1) s.insert(s.begin(), 1);
  s.insert(s.end() - 1, 1);
  return reshape(a, s);
}

UOp right_columns(const UOp& b) {
  Shape s = b.shape_vec();
  if (s.size() == 1) return reshape(b, {1, 1, s[0]});
  std::vector<int64_t> order;
  for (int i = 0; i < b.ndim(); ++i) order.push_back(i);
  std::swap(order[order.size() - 1], order[order.size() - 2]);
  std::swap(s[s.size() - 1], s[s.size() - 2]);
  s.insert(s.end() - 2, 1);
  return reshape(permute(b, order), s);
}

struct ConvShape {
  Dim batch, groups, in_group, out_group;
  std::vector<Dim> out, kernel;
};

void check_conv(const UOp& x, const UOp& w, const ConvOptions& o) {
  const auto both = [&] {
    return fmt::format("input {}, weight {}", text(x.shape()), text(w.shape()));
  };
  if (x.ndim() < 3 || x.ndim() != w.ndim()) {
    user_error<ShapeError>(
        "conv2d", fmt::format("needs [batch, channels, spatial...] and a weight of as many "
                              "axes: {}",
                              both()));
  }
  if (o.groups < 1 || x.dim(1) % o.groups != 0 || w.dim(0) % o.groups != 0) {
    user_error<ArgumentError>(
        "conv2d",
        fmt::format("groups must divide both channel counts: groups {}, {}", o.groups, both()));
  }
  if (x.dim(1) != w.dim(1) * o.groups) {
    user_error<ShapeError>("conv2d", fmt::format("channels differ: {}, groups {} ({} vs {})",
                                                 both(), o.groups, x.dim(1), w.dim(1) * o.groups));
  }
}

// Windows as [batch, group, 1, out…, in, kernel…] against weights as [1, group, out, 1…, in,
// kernel…].
UOp convolve(const UOp& x, const UOp& w, const ConvShape& c, DType t) {
  const auto n = static_cast<int>(c.out.size());
  Shape window = {c.batch, c.groups, c.in_group};
  window.insert(window.end(), c.out.begin(), c.out.end());
  window.insert(window.end(), c.kernel.begin(), c.kernel.end());
  std::vector<int64_t> order = {0, 1};
  for (int i = 0; i < n; ++i) order.push_back(3 + i);
  order.push_back(2);
  for (int i = 0; i < n; ++i) order.push_back(3 + n + i);
  UOp a = permute(reshape(x, window), order);
  Shape with_out = a.shape_vec();
  with_out.insert(with_out.begin() + 2, 1);
  a = reshape(a, with_out);
  Shape weight = {1, c.groups, c.out_group};
  weight.insert(weight.end(), c.out.size(), 1);
  weight.push_back(c.in_group);
  weight.insert(weight.end(), c.kernel.begin(), c.kernel.end());
  const Shape all = broadcast_shape("conv2d", with_out, weight);
  std::vector<int64_t> axes;
  for (int i = 3 + n; i < static_cast<int>(all.size()); ++i) axes.push_back(i);
  UOp y = multiply_add(expand(a, all), expand(reshape(w, weight), all), axes, t);
  Shape out = {c.batch, c.groups * c.out_group};
  out.insert(out.end(), c.out.begin(), c.out.end());
  return reshape(y, out);
}

}  // namespace

Tensor Tensor::matmul(const Tensor& other) const {
  const DType t = common_dtype(*this, other);
  UOp a = node_as(*this, t, "matmul"), b = node_as(other, t, "matmul");
  common_device("matmul", {a, b});
  if (a.ndim() > 0 && b.ndim() > 0) meet_on_axis(a, a.ndim() - 1, b, std::max(b.ndim() - 2, 0));
  check_product(a, b);
  UOp x = left_rows(widened(a, t)), y = right_columns(widened(b, t));
  meet_extents(x, y);
  const Shape all = broadcast_shape("matmul", x.shape(), y.shape());
  const auto last = static_cast<int64_t>(all.size()) - 1;
  UOp s = multiply_add(broadcast_to(x, all), broadcast_to(y, all), {{last}}, t);
  Shape out(all.begin(), all.end() - 3);
  if (a.ndim() > 1) out.push_back(all[all.size() - 3]);
  if (b.ndim() > 1) out.push_back(all[all.size() - 2]);
  return wrap(tg::reshape(s, out));
}

Tensor Tensor::conv2d(const Tensor& weight, const ConvOptions& o) const {
  const DType t = common_dtype(*this, weight);
  UOp x = node_as(*this, t, "conv2d"), w = node_as(weight, t, "conv2d");
  common_device("conv2d", {x, w});
  check_conv(x, w, o);
  const auto n = static_cast<size_t>(x.ndim() - 2);
  WindowSpec spec;
  spec.kernel.assign(w.shape().begin() + 2, w.shape().end());
  spec.stride = per_axis("conv2d", "stride", o.stride, n, 1);
  spec.dilation = per_axis("conv2d", "dilation", o.dilation, n, 1);
  spec.pad = per_axis_pairs("conv2d", o.padding, n);
  UOp win = windows("conv2d", widened(x, t), spec, Scalar::of_int(0, product_dtype(t)));
  ConvShape c{x.dim(0), o.groups, w.dim(1), w.dim(0) / o.groups, {}, spec.kernel};
  c.out.assign(win.shape().begin() + 2, win.shape().begin() + 2 + static_cast<int64_t>(n));
  Tensor y = wrap(convolve(win, widened(w, t), c, t));
  if (o.bias == nullptr) return y;
  if (o.bias->shape() != Shape{w.dim(0)}) {
    user_error<ShapeError>("conv2d", fmt::format("bias must have shape [{}], got {}", w.dim(0),
                                                 text(o.bias->shape())));
  }
  common_device("conv2d", {x, node_of(*o.bias, "conv2d")});
  Shape channels(static_cast<size_t>(x.ndim()), 1);
  channels[1] = w.dim(0);
  return y + o.bias->reshape(channels);
}

}  // namespace tg
