// UOp: the owning handle of a node, and the functions that build graphs from it. All checks of
// shapes and dtypes happen when a node is made, so an error points at the line that wrote the
// operation. Broadcasting, promotion and Python-like conveniences belong to Tensor
// (include/tg/tensor.h); simplification to src/rules.
#pragma once

#include <functional>
#include <initializer_list>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "tg/export.h"
#include "tg/ir/node.h"

namespace tg {

using Shape = std::vector<Dim>;
/// Extents or other integers of an argument.
using IntSpan = std::span<const int64_t>;

/// Eight bytes, owning, never shared mutable state. Empty by default: an empty UOp means "none".
/// Comparison is identity, which for hash-consed nodes is structural equality.
class TG_API UOp {
 public:
  UOp() = default;
  UOp(const UOp& o) : n_(o.n_) {
    if (n_ != nullptr) retain(n_);
  }
  UOp(UOp&& o) noexcept : n_(std::exchange(o.n_, nullptr)) {}
  UOp& operator=(UOp o) noexcept {
    std::swap(n_, o.n_);
    return *this;
  }
  ~UOp() {
    if (n_ != nullptr) release(n_);
  }

  /// Adds a reference to a node that somebody else keeps alive.
  static UOp share(const Node* n) {
    if (n != nullptr) retain(const_cast<Node*>(n));
    return UOp(const_cast<Node*>(n));
  }
  /// The same of a node that may be dying in another thread, while its memory is certain to be
  /// there: empty if it is.
  static UOp try_share(const Node* n) {
    return try_retain(const_cast<Node*>(n)) ? UOp(const_cast<Node*>(n)) : UOp();
  }
  static UOp adopt(Node* n) { return UOp(n); }

  explicit operator bool() const { return n_ != nullptr; }
  const Node* node() const { return n_; }
  Op op() const { return n_->op; }
  bool is(Op op) const { return n_ != nullptr && n_->op == op; }
  DType dtype() const { return n_->dtype; }
  int lanes() const { return n_->lanes; }
  Space space() const { return n_->space; }
  DeviceId device() const { return n_->device; }
  std::span<const Dim> shape() const { return n_->shape(); }
  Shape shape_vec() const { return {shape().begin(), shape().end()}; }
  int ndim() const { return n_->n_dim; }
  Dim dim(int axis) const { return shape()[static_cast<size_t>(axis)]; }
  Dim numel() const;
  IntSpan arg() const { return n_->arg(); }
  int64_t arg(int i) const { return n_->arg()[static_cast<size_t>(i)]; }
  int n_src() const { return static_cast<int>(n_->n_src); }
  UOp src(int i) const { return share(n_->src()[static_cast<size_t>(i)]); }
  const Node* src_node(int i) const { return n_->src()[static_cast<size_t>(i)]; }
  std::vector<UOp> srcs() const;
  uint64_t hash() const { return n_->hash; }
  /// The value of a CONST.
  Scalar scalar() const { return Scalar::of_bits(static_cast<uint64_t>(arg(0)), dtype()); }
  /// True for a CONST of integer, index or bool dtype that equals `v`, or a float CONST equal to
  /// it.
  bool is_const(double v) const;

  friend bool operator==(const UOp& a, const UOp& b) { return a.n_ == b.n_; }

 private:
  explicit UOp(Node* n) : n_(n) {}
  Node* n_ = nullptr;
};

/// Any node; the named builders below are what code normally calls. `dtype` counts for ops that
/// state theirs.
TG_API UOp make(Op op, std::span<const UOp> src, IntSpan arg = {}, DType dtype = DType::Void,
                DeviceId device = 0);
TG_API UOp make(Op op, std::initializer_list<UOp> src, IntSpan arg = {}, DType dtype = DType::Void,
                DeviceId device = 0);
/// `u` with other sources: same op, argument, stated dtype, device. Returns `u` itself if nothing
/// changed.
TG_API UOp with_sources(const UOp& u, std::span<const UOp> src);

// ---- leaves
TG_API UOp constant(const Scalar& v);  ///< shape []
TG_API UOp constant(int64_t v, DType t);
TG_API UOp constant(double v, DType t);
inline UOp constant(int v, DType t) { return constant(static_cast<int64_t>(v), t); }
TG_API UOp index_const(int64_t v);                                   ///< CONST of dtype Index
TG_API UOp variable(std::string_view name, int64_t lo, int64_t hi);  ///< bounded Index value
TG_API UOp bind(const UOp& variable, int64_t value);     ///< with its value, within its bounds
TG_API UOp iota(const Shape& shape, int axis, DType t);  ///< out[i₀…] = i_axis
/// `v` broadcast to `shape` (a CONST behind RESHAPE and EXPAND; just the CONST for shape []).
TG_API UOp full(const Shape& shape, const Scalar& v);
/// Storage of `shape`, row-major, on `device`; keeps `storage` alive (may be null before it is
/// allocated).
TG_API UOp buffer(const Shape& shape, DType t, DeviceId device, Resource* storage);
TG_API UOp param(int slot, const Shape& extents, DType t);  ///< kernel argument, space Global
TG_API UOp range(const UOp& extent, int64_t id);            ///< 0 … extent−1
TG_API UOp range(int64_t extent, int64_t id);

// ---- elementwise: equal shapes, lanes and dtypes (ShapeError, DTypeError); comparison gives bool
TG_API UOp operator+(const UOp& a, const UOp& b);
TG_API UOp operator-(const UOp& a, const UOp& b);  ///< a + b·(−1)
TG_API UOp operator*(const UOp& a, const UOp& b);
TG_API UOp operator-(const UOp& a);
TG_API UOp operator/(const UOp& a, const UOp& b);  ///< IEEE division; floats only
TG_API UOp idiv(const UOp& a, const UOp& b);       ///< floor division; integers
TG_API UOp mod(const UOp& a, const UOp& b);        ///< floor remainder, sign of b; integers
TG_API UOp maximum(const UOp& a, const UOp& b);    ///< NaN if either is NaN
TG_API UOp minimum(const UOp& a, const UOp& b);    ///< composed; NaN if either is NaN
TG_API UOp lt(const UOp& a, const UOp& b);
TG_API UOp ne(const UOp& a, const UOp& b);
TG_API UOp eq(const UOp& a, const UOp& b);  ///< composed: not ne
TG_API UOp ge(const UOp& a,
              const UOp& b);           ///< not lt: true when unordered is impossible (integers)
TG_API UOp logical_not(const UOp& a);  ///< bool
TG_API UOp operator&(const UOp& a, const UOp& b);
TG_API UOp operator|(const UOp& a, const UOp& b);
TG_API UOp operator^(const UOp& a, const UOp& b);
TG_API UOp shl(const UOp& a, const UOp& b);
TG_API UOp shr(const UOp& a, const UOp& b);  ///< arithmetic for signed, logical for unsigned
TG_API UOp where(const UOp& cond, const UOp& a, const UOp& b);
TG_API UOp sqrt(const UOp& a);
TG_API UOp exp2(const UOp& a);
TG_API UOp log2(const UOp& a);
TG_API UOp sin(const UOp& a);
TG_API UOp trunc(const UOp& a);
TG_API UOp cast(const UOp& a, DType t);     ///< `a` itself if the dtype is the same
TG_API UOp bitcast(const UOp& a, DType t);  ///< equal sizes
/// Word `word` (0, 1) of Threefry-2x32-20 with key (k0, k1) on counter (c0, c1), all uint32.
TG_API UOp threefry(const UOp& k0, const UOp& k1, const UOp& c0, const UOp& c1, int word);
TG_API UOp fma(const UOp& a, const UOp& b,
               const UOp& c);  ///< a·b + c, rounded once or twice as the target likes
// The same with an integer or float constant of the other operand's dtype, broadcast to its shape.
TG_API UOp const_like(const UOp& a, double v);
TG_API UOp const_like(const UOp& a, int64_t v);
TG_API UOp const_like(const UOp& a, const Scalar& v);
inline UOp operator+(const UOp& a, int64_t v) { return a + const_like(a, v); }
inline UOp operator*(const UOp& a, int64_t v) { return a * const_like(a, v); }
inline UOp operator-(const UOp& a, int64_t v) { return a + const_like(a, -v); }

// ---- movement (tensor graph): never copies
TG_API UOp reshape(const UOp& x, const Shape& shape);  ///< same number of elements
TG_API UOp permute(const UOp& x, IntSpan order);
TG_API UOp expand(const UOp& x, const Shape& shape);  ///< stretches extent-1 axes
/// `pairs` = lo₀, hi₀, lo₁, hi₁, … ≥ 0; outside = fill.
TG_API UOp pad(const UOp& x, IntSpan pairs, const Scalar& fill);
TG_API UOp pad(const UOp& x, IntSpan pairs);         ///< with zeros
TG_API UOp shrink(const UOp& x, IntSpan begin_len);  ///< begin₀, length₀, begin₁, …
/// The window [begin, begin + length) of one axis.
TG_API UOp shrink_axis(const UOp& x, int axis, Dim begin, Dim length);
TG_API UOp flip(const UOp& x, IntSpan axes);
/// out[…i…k…] = x[… i + d·k + off … k …] where that is inside, else `fill`; axis i gets extent
/// `length`. A sliding window that stays affine: EXPAND along a new axis k, then SHEAR.
TG_API UOp shear(const UOp& x, int axis_i, int axis_k, int64_t d, int64_t off, Dim length,
                 const Scalar& fill);
/// out[…i…] = x[… begin + i …] for `length` indices, where that is inside, else 0; a store through
/// it leaves out what is outside. `begin`: a scalar of dtype Index.
TG_API UOp offset(const UOp& x, int axis, const UOp& begin, Dim length);
/// out[i₀…] = x[…, idx[i₀…] at `axis`, …]: same rank, equal extents but for `axis`; outside = 0.
TG_API UOp gather(const UOp& x, const UOp& idx, int axis);
/// `base` with v[p] put at base[…, idx[p] at `axis`, …] for every p, in index order; outside is
/// dropped.
TG_API UOp scatter(const UOp& base, const UOp& idx, const UOp& v, int axis, Combine combine);
/// Reduces `axes` to extent 1 (they stay). Empty axes give the identity.
TG_API UOp reduce(const UOp& x, ReduceOp op, IntSpan axes);
/// out[…i…] = x[…0…] ∘ x[…1…] ∘ … ∘ x[…i…] along `axis`, ∘ being `op`; shape of `x`.
TG_API UOp scan(const UOp& x, ReduceOp op, int axis);

// ---- effects and marks
TG_API UOp contiguous(const UOp& x);  ///< `x` itself if it is whole storage
TG_API UOp copied(const UOp& x);      ///< CONTIGUOUS in any case
TG_API UOp cloned(const UOp& x);  ///< CONTIGUOUS that is no other node, with gradients of its own
TG_API UOp detach(const UOp& x);
/// The gradient function of a WITH_GRADIENT node, which keeps it alive.
class TG_API CustomGradient : public Resource {
 public:
  /// From the node and the gradient that reaches it those of the sources behind the first, each of
  /// its source's shape and dtype, or empty.
  virtual std::vector<UOp> backward(const UOp& y, const UOp& dy) = 0;
};
/// `value` with the gradient that `function` gives `inputs`.
TG_API UOp with_gradient(const UOp& value, std::span<const UOp> inputs, CustomGradient& function);
TG_API UOp copy_to(const UOp& x, DeviceId device);
/// On several devices, each with its part along `axis` (of which all are equally long).
TG_API UOp copy_to(const UOp& x, DeviceId device, int axis);
/// Tensor graph: the effect of writing `v` to `view`, a movement chain over a BUFFER or AFTER.
/// Elements that do not exist (limits.h) are not written.
TG_API UOp store(const UOp& view, const UOp& v);
TG_API UOp after(const UOp& x, std::span<const UOp> effects);
TG_API UOp sink(std::span<const UOp> roots);

// ---- ranged kernels (scalars, explicit indices)
TG_API UOp reduce_ranges(const UOp& v, ReduceOp op, std::span<const UOp> ranges);
/// A running reduction: at each point of `along` the combination of `v` over `ranges` at all points
/// of `along` up to this one. `along` stays open, and has to run in order.
TG_API UOp running_reduce(const UOp& v, ReduceOp op, const UOp& along,
                          std::span<const UOp> ranges = {});
/// Whether `n` is one.
inline bool is_running(const Node* n) {
  return n->op == Op::Reduce && n->n_src > 1 && n->n_arg == 2;
}
/// The ranges along which a running reduction goes: one, or the axes that it was split into.
inline std::span<Node* const> ranges_along(const Node* n) {
  return is_running(n) ? n->src().subspan(1, static_cast<size_t>(n->arg()[1]))
                       : std::span<Node* const>();
}
/// The ranges that a REDUCE, STAGE or END of a ranged kernel closes; none of any other node.
inline std::span<Node* const> closed_ranges(const Node* n) {
  if (n->op != Op::Reduce && n->op != Op::Stage && n->op != Op::End) return {};
  return n->src().subspan(1 + ranges_along(n).size());
}
/// An array closed over `ranges` in `space`; read by load().
TG_API UOp stage(const UOp& v, std::span<const UOp> ranges, int64_t id, Space space);
TG_API UOp load(const UOp& ptr, std::span<const UOp> idx, const UOp& gate = {});
TG_API UOp store_at(const UOp& ptr, std::span<const UOp> idx, const UOp& v, const UOp& gate = {},
                    Combine combine = Combine::Set);
TG_API UOp end(const UOp& effect, std::span<const UOp> ranges);

}  // namespace tg

template <>
struct std::hash<tg::UOp> {
  size_t operator()(const tg::UOp& u) const noexcept { return u ? u.hash() : 0; }
};
