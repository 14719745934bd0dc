// The builders of uop.h: each turns C++ arguments into sources and argument words, nothing more.
// Checks are the type rules'.
#include <algorithm>
#include <array>
#include <atomic>

#include "support/check.h"
#include "support/symbol.h"
#include "tg/ir/uop.h"
#include "uop/limits.h"
#include "uop/shape.h"

namespace tg {

Dim UOp::numel() const { return tg::numel(shape()); }

std::vector<UOp> UOp::srcs() const {
  std::vector<UOp> out;
  out.reserve(n_->n_src);
  for (Node* s : n_->src()) out.push_back(share(s));
  return out;
}

bool UOp::is_const(double v) const {
  if (!is(Op::Const)) return false;
  Scalar s = scalar();
  return is_float(dtype()) ? s.f64() == v : s.as_double() == v;
}

namespace {

UOp make_node(NodeSpec spec, std::span<const UOp> src) {
  constexpr size_t kInline = 8;
  std::array<Node*, kInline> few;
  std::vector<Node*> many;
  Node** nodes = few.data();
  if (src.size() > kInline) {
    many.resize(src.size());
    nodes = many.data();
  }
  for (size_t i = 0; i < src.size(); ++i) {
    TG_CHECK(static_cast<bool>(src[i]), "source {} of {} is empty", i, op_name(spec.op));
    nodes[i] = const_cast<Node*>(src[i].node());
  }
  spec.src = {nodes, src.size()};
  return UOp::adopt(intern(spec));
}

}  // namespace

UOp make(Op op, std::span<const UOp> src, IntSpan arg, DType dtype, DeviceId device) {
  return make_node({.op = op, .dtype = dtype, .arg = arg, .device = device}, src);
}

UOp make(Op op, std::initializer_list<UOp> src, IntSpan arg, DType dtype, DeviceId device) {
  return make(op, std::span<const UOp>(src.begin(), src.size()), arg, dtype, device);
}

UOp with_sources(const UOp& u, std::span<const UOp> src) {
  bool same = static_cast<size_t>(u.n_src()) == src.size();
  for (size_t i = 0; same && i < src.size(); ++i)
    same = u.src_node(static_cast<int>(i)) == src[i].node();
  if (same) return u;
  return make_node({.op = u.op(),
                    .dtype = u.dtype(),
                    .arg = u.arg(),
                    .device = u.is(Op::Copy) ? u.device() : DeviceId{0},
                    .resource = u.node()->resource},
                   src);
}

// ---- leaves
UOp constant(const Scalar& v) {
  const int64_t word = static_cast<int64_t>(v.bits());
  return make(Op::Const, {}, {{word}}, v.dtype());
}
UOp constant(int64_t v, DType t) { return constant(Scalar::of_int(v, t)); }
UOp constant(double v, DType t) { return constant(Scalar::of_double(v, t)); }
UOp index_const(int64_t v) { return constant(v, DType::Index); }

UOp variable(std::string_view name, int64_t lo, int64_t hi) {
  const std::array<int64_t, 3> arg = {intern_symbol(name), lo, hi};
  return make(Op::Var, {}, arg, DType::Index);
}

UOp bind(const UOp& variable, int64_t value) { return make(Op::Bind, {variable}, {{value}}); }

UOp iota(const Shape& shape, int axis, DType t) {
  Shape arg = {axis};
  arg.insert(arg.end(), shape.begin(), shape.end());
  return make(Op::Iota, {}, arg, t);
}

UOp full(const Shape& shape, const Scalar& v) {
  UOp c = constant(v);
  return shape.empty() ? c : expand(reshape(c, Shape(shape.size(), 1)), shape);
}

UOp buffer(const Shape& shape, DType t, DeviceId device, Resource* storage) {
  static std::atomic<int64_t> next_id{1};
  Shape arg = {next_id.fetch_add(1, std::memory_order_relaxed)};
  arg.insert(arg.end(), shape.begin(), shape.end());
  return UOp::adopt(intern({.op = Op::Buffer,
                            .dtype = t,
                            .src = {},
                            .arg = arg,
                            .device = device,
                            .resource = storage}));
}

UOp param(int slot, const Shape& extents, DType t) {
  Shape arg = {slot};
  arg.insert(arg.end(), extents.begin(), extents.end());
  return make(Op::Param, {}, arg, t);
}

UOp range(const UOp& extent, int64_t id) { return make(Op::Range, {extent}, {{id}}); }
UOp range(int64_t extent, int64_t id) { return range(index_const(extent), id); }

// ---- elementwise
UOp const_like(const UOp& a, const Scalar& v) {
  TG_CHECK(a.lanes() == 1, "const_like of {} lanes", a.lanes());
  return full(a.shape_vec(), v);
}
UOp const_like(const UOp& a, double v) { return const_like(a, Scalar::of_double(v, a.dtype())); }
UOp const_like(const UOp& a, int64_t v) { return const_like(a, Scalar::of_int(v, a.dtype())); }

UOp operator+(const UOp& a, const UOp& b) { return make(Op::Add, {a, b}); }
UOp operator-(const UOp& a, const UOp& b) { return a + -b; }
UOp operator*(const UOp& a, const UOp& b) { return make(Op::Mul, {a, b}); }
UOp operator-(const UOp& a) { return a * const_like(a, int64_t{-1}); }
UOp operator/(const UOp& a, const UOp& b) { return make(Op::FDiv, {a, b}); }
UOp idiv(const UOp& a, const UOp& b) { return make(Op::IDiv, {a, b}); }
UOp mod(const UOp& a, const UOp& b) { return make(Op::Mod, {a, b}); }
UOp maximum(const UOp& a, const UOp& b) { return make(Op::Max, {a, b}); }

// −max(−a, −b) keeps NaN for floats; integers and bool compare, for their negation may wrap.
UOp minimum(const UOp& a, const UOp& b) {
  if (is_float(a.dtype())) return -maximum(-a, -b);
  return where(lt(a, b), a, b);
}
UOp lt(const UOp& a, const UOp& b) { return make(Op::CmpLt, {a, b}); }
UOp ne(const UOp& a, const UOp& b) { return make(Op::CmpNe, {a, b}); }
UOp logical_not(const UOp& a) { return make(Op::Xor, {a, const_like(a, int64_t{1})}); }
UOp eq(const UOp& a, const UOp& b) { return logical_not(ne(a, b)); }
UOp ge(const UOp& a, const UOp& b) { return logical_not(lt(a, b)); }
UOp operator&(const UOp& a, const UOp& b) { return make(Op::And, {a, b}); }
UOp operator|(const UOp& a, const UOp& b) { return make(Op::Or, {a, b}); }
UOp operator^(const UOp& a, const UOp& b) { return make(Op::Xor, {a, b}); }
UOp shl(const UOp& a, const UOp& b) { return make(Op::Shl, {a, b}); }
UOp shr(const UOp& a, const UOp& b) { return make(Op::Shr, {a, b}); }
UOp where(const UOp& c, const UOp& a, const UOp& b) { return make(Op::Where, {c, a, b}); }
UOp sqrt(const UOp& a) { return make(Op::Sqrt, {a}); }
UOp exp2(const UOp& a) { return make(Op::Exp2, {a}); }
UOp log2(const UOp& a) { return make(Op::Log2, {a}); }
UOp sin(const UOp& a) { return make(Op::Sin, {a}); }
UOp trunc(const UOp& a) { return make(Op::Trunc, {a}); }
UOp cast(const UOp& a, DType t) { return a.dtype() == t ? a : make(Op::Cast, {a}, {}, t); }
UOp bitcast(const UOp& a, DType t) { return a.dtype() == t ? a : make(Op::Bitcast, {a}, {}, t); }
UOp threefry(const UOp& k0, const UOp& k1, const UOp& c0, const UOp& c1, int word) {
  return make(Op::Threefry, {k0, k1, c0, c1}, {{word}});
}
UOp fma(const UOp& a, const UOp& b, const UOp& c) { return make(Op::Fma, {a, b, c}); }

// ---- movement
UOp reshape(const UOp& x, const Shape& shape) {
  return std::ranges::equal(x.shape(), shape) ? x : make(Op::Reshape, {x}, shape);
}
UOp permute(const UOp& x, IntSpan order) {
  bool same = order.size() == x.shape().size();
  for (size_t i = 0; same && i < order.size(); ++i) same = order[i] == static_cast<int64_t>(i);
  return same ? x : make(Op::Permute, {x}, order);
}
UOp expand(const UOp& x, const Shape& shape) {
  return std::ranges::equal(x.shape(), shape) ? x : make(Op::Expand, {x}, shape);
}
UOp pad(const UOp& x, IntSpan pairs, const Scalar& fill) {
  if (std::ranges::all_of(pairs, [](int64_t p) { return p == 0; })) return x;
  UOp inner = x;
  for (size_t a = 0; a < x.node()->n_limit; ++a) {
    if (pairs[2 * a] + pairs[2 * a + 1] != 0) inner = delimited(inner, static_cast<int>(a), fill);
  }
  Shape arg(pairs.begin(), pairs.end());
  arg.push_back(static_cast<int64_t>(fill.bits()));
  UOp out = make(Op::Pad, {inner}, arg);
  for (size_t a = 0; a < x.node()->n_limit; ++a) {
    const Node* n = x.node()->limit(a);
    const int64_t more = pairs[2 * a] + pairs[2 * a + 1];
    if (n != nullptr && more != 0) {
      out = limited(out, static_cast<int>(a), UOp::share(n) + index_const(more));
    }
  }
  return out;
}
UOp pad(const UOp& x, IntSpan pairs) { return pad(x, pairs, Scalar::of_int(0, x.dtype())); }
UOp shrink(const UOp& x, IntSpan begin_len) {
  bool whole = begin_len.size() == 2 * x.shape().size();
  for (size_t i = 0; whole && i < x.shape().size(); ++i) {
    whole = begin_len[2 * i] == 0 && begin_len[2 * i + 1] == x.shape()[i];
  }
  return whole ? x : make(Op::Shrink, {x}, begin_len);
}
UOp shrink_axis(const UOp& x, int axis, Dim begin, Dim length) {
  Shape window;
  for (int a = 0; a < x.ndim(); ++a) {
    window.insert(window.end(), {a == axis ? begin : 0, a == axis ? length : x.dim(a)});
  }
  return shrink(x, window);
}
UOp flip(const UOp& x, IntSpan axes) { return axes.empty() ? x : make(Op::Flip, {x}, axes); }
UOp shear(const UOp& x, int axis_i, int axis_k, int64_t d, int64_t off, Dim length,
          const Scalar& fill) {
  const std::array<int64_t, 6> arg = {axis_i, axis_k, d,
                                      off,    length, static_cast<int64_t>(fill.bits())};
  return make(Op::Shear, {x}, arg);
}
UOp offset(const UOp& x, int axis, const UOp& begin, Dim length) {
  return make(Op::Offset, {x, begin}, {{axis, length}});
}
UOp gather(const UOp& x, const UOp& idx, int axis) {
  const UOp inner = delimited(x, axis, Scalar::of_int(0, x.dtype()));
  return make(Op::Gather, {inner, idx}, {{axis}});
}
// What does not exist is put nowhere.
UOp scatter(const UOp& base, const UOp& idx, const UOp& v, int axis, Combine combine) {
  UOp places = idx;
  for (size_t a = 0; a < v.node()->n_limit; ++a) {
    if (v.node()->limit(a) != nullptr) {
      places = limited(places, static_cast<int>(a), UOp::share(v.node()->limit(a)));
    }
  }
  places = delimited(places, Scalar::of_int(-1, idx.dtype()));
  const UOp values = delimited(v, Scalar::of_int(0, v.dtype()));
  return make(Op::Scatter, {base, places, values}, {{axis, static_cast<int64_t>(combine)}});
}
UOp reduce(const UOp& x, ReduceOp op, IntSpan axes) {
  Shape arg = {static_cast<int64_t>(op)};
  UOp inner = x;
  for (int64_t a : axes) {
    const bool exists = a >= 0 && a < x.ndim();
    if (exists) inner = delimited(inner, static_cast<int>(a), reduce_identity(op, x.dtype()));
    if (!exists || x.dim(static_cast<int>(a)) != 1) arg.push_back(a);
  }
  return arg.size() == 1 ? inner : make(Op::Reduce, {inner}, arg);
}

UOp scan(const UOp& x, ReduceOp op, int axis) {
  return axis >= 0 && axis < x.ndim() && x.dim(axis) == 1
             ? x
             : make(Op::Scan, {x}, {{static_cast<int64_t>(op), axis}});
}

// ---- effects and marks
UOp contiguous(const UOp& x) {
  return x.is(Op::Buffer) || x.is(Op::Contiguous) ? x : make(Op::Contiguous, {x});
}
UOp copied(const UOp& x) { return make(Op::Contiguous, {x}); }
UOp cloned(const UOp& x) {
  static std::atomic<int64_t> next_number{1};
  return make(Op::Contiguous, {x}, {{next_number.fetch_add(1, std::memory_order_relaxed)}});
}
UOp detach(const UOp& x) { return make(Op::Detach, {x}); }
UOp with_gradient(const UOp& value, std::span<const UOp> inputs, CustomGradient& function) {
  static std::atomic<int64_t> next_number{1};
  std::vector<Node*> src = {const_cast<Node*>(value.node())};
  for (const UOp& x : inputs) src.push_back(const_cast<Node*>(x.node()));
  const int64_t number = next_number.fetch_add(1, std::memory_order_relaxed);
  return UOp::adopt(
      intern({.op = Op::WithGradient, .src = src, .arg = {&number, 1}, .resource = &function}));
}
UOp copy_to(const UOp& x, DeviceId device) {
  return x.device() == device ? x : make(Op::Copy, {x}, {}, DType::Void, device);
}
UOp copy_to(const UOp& x, DeviceId device, int axis) {
  return make(Op::Copy, {x}, {{axis}}, DType::Void, device);
}
UOp store(const UOp& view, const UOp& v) { return make(Op::Store, {view, v}); }
UOp after(const UOp& x, std::span<const UOp> effects) {
  std::vector<UOp> src = {x};
  src.insert(src.end(), effects.begin(), effects.end());
  return make(Op::After, src);
}
UOp sink(std::span<const UOp> roots) { return make(Op::Sink, roots); }

// ---- ranged kernels
UOp reduce_ranges(const UOp& v, ReduceOp op, std::span<const UOp> ranges) {
  if (ranges.empty()) return v;
  std::vector<UOp> src = {v};
  src.insert(src.end(), ranges.begin(), ranges.end());
  return make(Op::Reduce, src, {{static_cast<int64_t>(op)}});
}
UOp running_reduce(const UOp& v, ReduceOp op, const UOp& along, std::span<const UOp> ranges) {
  std::vector<UOp> src = {v, along};
  src.insert(src.end(), ranges.begin(), ranges.end());
  return make(Op::Reduce, src, {{static_cast<int64_t>(op), 1}});
}
UOp stage(const UOp& v, std::span<const UOp> ranges, int64_t id, Space space) {
  std::vector<UOp> src = {v};
  src.insert(src.end(), ranges.begin(), ranges.end());
  return make(Op::Stage, src, {{id, static_cast<int64_t>(space)}});
}
UOp load(const UOp& ptr, std::span<const UOp> idx, const UOp& gate) {
  std::vector<UOp> src = {ptr};
  src.insert(src.end(), idx.begin(), idx.end());
  if (gate) src.push_back(gate);
  return make(Op::Load, src);
}
UOp store_at(const UOp& ptr, std::span<const UOp> idx, const UOp& v, const UOp& gate,
             Combine combine) {
  std::vector<UOp> src = {ptr};
  src.insert(src.end(), idx.begin(), idx.end());
  src.push_back(v);
  if (gate) src.push_back(gate);
  return make(Op::Store, src, {{static_cast<int64_t>(combine)}});
}
UOp end(const UOp& effect, std::span<const UOp> ranges) {
  if (ranges.empty()) return effect;
  std::vector<UOp> src = {effect};
  src.insert(src.end(), ranges.begin(), ranges.end());
  return make(Op::End, src);
}

}  // namespace tg
