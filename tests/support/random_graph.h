// Random tensor graphs for differential tests: any seed gives the same graph in every process. All
// movement ops, elementwise ops, reductions, gathers, scatters; integer, bool and float dtypes.
// Floats hold small integers, and a bound on their size is tracked, so that sums and products are
// exact: the order in which a device adds up does not matter and results can be compared bit by
// bit.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "uop/evaluate_tensor.h"
#include "uop/limits.h"

namespace tg::test {

struct RandomGraphOptions {
  int max_ops = 12;
  int max_rank = 4;
  Dim max_extent = 5;
  Dim max_elements = 300;
  int max_roots = 2;
  bool zero_size = true;   ///< allow axes of extent 0
  bool gathers = true;     ///< GATHER and SCATTER
  bool stores = false;     ///< in-place stores into views (AFTER of a BUFFER)
  bool variables = false;  ///< sizes and places that are bound variables
  std::vector<DType> dtypes = {DType::Float32, DType::Int32, DType::Bool,
                               DType::Int64,   DType::UInt8, DType::Float16};
  /// Makes a leaf with these contents; by default a BUFFER without storage and device.
  std::function<UOp(const TensorValue&)> make_leaf;
};

struct RandomGraph {
  uint64_t seed = 0;
  std::vector<UOp> roots;   ///< values, none of them an effect
  std::vector<UOp> leaves;  ///< all BUFFERs that were made
  BufferContents contents;
};

class RandomGraphMaker {
 public:
  RandomGraphMaker(uint64_t seed, RandomGraphOptions options)
      : options_(std::move(options)), rng_(seed) {
    graph_.seed = seed;
  }

  RandomGraph run() {
    leaf(random_shape(), random_dtype());
    const int ops = 1 + below(options_.max_ops);
    for (int i = 0; i < ops; ++i) grow();
    graph_.roots.push_back(nodes_.back().u);
    for (int i = 1 + below(options_.max_roots); i > 1; --i) graph_.roots.push_back(pick().u);
    return std::move(graph_);
  }

 private:
  /// A node and a bound on the absolute values of its elements.
  struct Sized {
    UOp u;
    double bound = 0;
  };

  int below(int64_t n) { return static_cast<int>(rng_() % static_cast<uint64_t>(n)); }
  int between(int64_t lo, int64_t hi) { return static_cast<int>(lo) + below(hi - lo + 1); }
  bool chance(int percent) { return below(100) < percent; }
  /// Mostly the newest node, so that graphs grow deep; else one of the last few, so that they
  /// branch.
  const Sized& pick() {
    const auto recent = static_cast<int64_t>(std::min<size_t>(nodes_.size(), 6));
    return nodes_[nodes_.size() - 1 - static_cast<size_t>(chance(60) ? 0 : below(recent))];
  }
  DType random_dtype() {
    return options_
        .dtypes[static_cast<size_t>(below(static_cast<int64_t>(options_.dtypes.size())))];
  }
  Dim random_extent() {
    return options_.zero_size && chance(4) ? 0 : between(1, options_.max_extent);
  }
  static Dim count(const Shape& s) {
    Dim n = 1;
    for (Dim d : s) n *= d;
    return n;
  }
  Shape random_shape() {
    Shape s(static_cast<size_t>(below(options_.max_rank + 1)));
    for (Dim& d : s) d = random_extent();
    while (count(s) > options_.max_elements)
      s[static_cast<size_t>(below(static_cast<int64_t>(s.size())))] = 1;
    return s;
  }
  /// Largest integer up to which every integer and every sum of two is exact.
  static double exact_limit(DType t) {
    switch (t) {
      case DType::Float64:
        return 1e15;
      case DType::Float32:
        return 4e6;
      case DType::Float16:
        return 1000;
      case DType::BFloat16:
        return 120;
      default:
        return is_float(t) ? 8 : 9e18;  // fp8e5m2 counts to 8; integers wrap, which is exact
    }
  }
  static double integer_limit(DType t) {
    return is_bool(t) ? 1 : std::exp2(static_cast<double>(8 * dtype_size(t)));
  }
  bool keep(const UOp& u, double bound) {
    if (u.numel() > options_.max_elements ||
        (is_float(u.dtype()) && !(bound <= exact_limit(u.dtype()))))
      return false;
    if (!is_float(u.dtype())) bound = std::min(bound, integer_limit(u.dtype()));
    nodes_.push_back({u, bound});
    return true;
  }

  Sized leaf(const Shape& shape, DType t, int lo = -3, int hi = 3) {
    if (is_bool(t) || is_unsigned(t)) lo = 0;
    TensorValue v = TensorValue::zeros(shape, t);
    for (int64_t i = 0; i < v.numel(); ++i) v.set(i, Scalar::of_int(between(lo, hi), t));
    UOp u = options_.make_leaf ? options_.make_leaf(v) : buffer(shape, t, 0, nullptr);
    if (u.is(Op::Buffer)) {
      graph_.contents.emplace(u.node(), v);
      graph_.leaves.push_back(u);
    }
    nodes_.push_back({u, static_cast<double>(std::max(std::abs(lo), std::abs(hi)))});
    return nodes_.back();
  }
  /// Some node of this shape and dtype: one that is there, a constant, a pattern, or a new leaf.
  Sized like(const Shape& shape, DType t) {
    if (chance(15)) return {full(shape, Scalar::of_int(is_unsigned(t) ? 2 : between(-2, 2), t)), 2};
    if (chance(15) && !shape.empty() && !is_bool(t)) {
      const int axis = below(static_cast<int64_t>(shape.size()));
      return {iota(shape, axis, t), static_cast<double>(shape[static_cast<size_t>(axis)])};
    }
    std::vector<Sized> fit;
    for (const Sized& s : nodes_) {
      if (s.u.shape_vec() == shape && s.u.dtype() == t) fit.push_back(s);
    }
    if (!fit.empty() && chance(80))
      return fit[static_cast<size_t>(below(static_cast<int64_t>(fit.size())))];
    return leaf(shape, t);
  }

  void grow() {
    for (int attempt = 0; attempt < 20; ++attempt) {
      const Sized x = pick();
      const int what = below(100);
      bool grown = false;
      if (what < 35)
        grown = elementwise(x);
      else if (what < 75)
        grown = movement(x);
      else if (what < 88)
        grown = reduction(x);
      else if (what < 96)
        grown = options_.gathers && indexed(x);
      else
        grown = options_.stores ? in_place() : marks(x);
      if (grown) return;
    }
  }

  bool marks(const Sized& x) { return keep(chance(50) ? contiguous(x.u) : detach(x.u), x.bound); }

  bool elementwise(const Sized& x) {
    const DType t = x.u.dtype();
    const Shape shape = x.u.shape_vec();
    switch (below(is_float(t) ? 7 : 10)) {
      case 0:
        return converted(x);
      case 1: {
        const Sized y = like(shape, t);
        return keep(x.u + y.u, x.bound + y.bound);
      }
      case 2: {
        const Sized y = like(shape, t);
        return keep(x.u * y.u, x.bound * y.bound);
      }
      case 3: {
        const Sized y = like(shape, t);
        return keep(maximum(x.u, y.u), std::max(x.bound, y.bound));
      }
      case 4: {
        const Sized y = like(shape, t);
        return keep(chance(50) ? lt(x.u, y.u) : ne(x.u, y.u), 1);
      }
      case 5: {
        const Sized y = like(shape, t), c = like(shape, DType::Bool);
        return keep(where(c.u, x.u, y.u), std::max(x.bound, y.bound));
      }
      case 6:
        return is_float(t) ? keep(trunc(x.u), x.bound) : keep(x.u ^ like(shape, t).u, 9e18);
      case 7:
        return keep(chance(50) ? x.u & like(shape, t).u : x.u | like(shape, t).u, 9e18);
      case 8:
        return !is_bool(t) && keep(idiv(x.u, like(shape, t).u), 9e18);
      default:
        return !is_bool(t) && keep(mod(x.u, like(shape, t).u), 9e18);
    }
  }
  /// Casts that every device agrees on: none from a negative or large float to an unsigned or
  /// narrow integer.
  bool converted(const Sized& x) {
    const DType t = random_dtype(), from = x.u.dtype();
    if (t == from) return false;
    if (is_float(t) && !(x.bound <= exact_limit(t))) return false;
    if (is_float(from) && !is_float(t) && !is_bool(t) && (is_unsigned(t) || x.bound > 100))
      return false;
    return keep(cast(x.u, t), is_bool(t) ? 1 : is_unsigned(t) ? 9e18 : x.bound);
  }

  bool movement(const Sized& x) {
    const Shape shape = x.u.shape_vec();
    const auto rank = static_cast<int>(shape.size());
    if (rank == 0) return keep(expand(reshape(x.u, {1}), {random_extent()}), x.bound);
    if (options_.variables && chance(25)) return chance(50) ? moved(x) : cut(x);
    switch (below(8)) {
      case 0:
        return keep(reshape(x.u, regrouped(shape)), x.bound);
      case 1:
        return keep(permute(x.u, random_order(rank)), x.bound);
      case 2:
        return stretched(x);
      case 3:
        return padded(x);
      case 4: {
        std::vector<int64_t> window;
        for (Dim d : shape) {
          const int64_t length = d == 0 ? 0 : between(options_.zero_size && chance(5) ? 0 : 1, d);
          window.push_back(between(0, d - length));
          window.push_back(length);
        }
        return keep(shrink(x.u, window), x.bound);
      }
      case 5: {
        const std::vector<int64_t> axes = {below(rank)};
        return keep(flip(x.u, axes), x.bound);
      }
      default:
        return sheared(x);
    }
  }
  /// A variable of its own for each value: in one graph a variable has one.
  UOp bound_variable(int64_t value) {
    const int64_t most = std::max(value, options_.max_extent);
    return bind(variable("v" + std::to_string(value + 100), -2, most), value);
  }
  /// A window whose place is a variable, partly outside.
  bool moved(const Sized& x) {
    const int axis = below(x.u.ndim());
    const UOp begin = bound_variable(between(-2, x.u.dim(axis)));
    return keep(offset(x.u, axis, begin, random_extent()), x.bound);
  }
  /// An axis of variable size, through one thing that must not see what does not exist.
  bool cut(const Sized& x) {
    const int axis = below(x.u.ndim());
    const Dim extent = x.u.dim(axis);
    if (extent == 0) return false;
    const UOp size = bound_variable(between(0, extent));
    const UOp y = limited(x.u, axis, size);
    const Scalar fill = random_fill(x.u.dtype());
    const double bound = std::max(x.bound, 2.0);
    const std::vector<int64_t> axes = {axis};
    switch (below(5)) {
      case 0:
        return keep(reduce(y, ReduceOp::Add, axes), x.bound * static_cast<double>(extent));
      case 1:
        return keep(delimited(contiguous(y), fill), bound);
      case 2: {
        std::vector<int64_t> pairs(2 * x.u.shape().size(), 0);
        pairs[2 * static_cast<size_t>(axis)] = 1;
        return keep(delimited(pad(y, pairs, fill), fill), bound);
      }
      case 3: {
        const Sized other = like(x.u.shape_vec(), x.u.dtype());
        return keep(delimited(maximum(y, limited(other.u, axis, size)), fill),
                    std::max(bound, other.bound));
      }
      default: {
        const UOp kept = permute(y, random_order(x.u.ndim()));
        return keep(delimited(kept, fill), bound);
      }
    }
  }
  /// The same elements under other extents: axes merged, split, and 1s put in.
  Shape regrouped(const Shape& shape) {
    const Dim n = count(shape);
    Shape out;
    if (n == 0) return {options_.max_rank > 1 ? 2 : 0, 0};
    Dim rest = n;
    while (rest > 1 && static_cast<int>(out.size()) + 1 < options_.max_rank) {
      std::vector<Dim> divisors;
      for (Dim d = 1; d <= rest; ++d) {
        if (rest % d == 0) divisors.push_back(d);
      }
      out.push_back(divisors[static_cast<size_t>(below(static_cast<int64_t>(divisors.size())))]);
      rest /= out.back();
    }
    out.push_back(rest);
    return out;
  }
  std::vector<int64_t> random_order(int rank) {
    std::vector<int64_t> order;
    for (int i = 0; i < rank; ++i) order.insert(order.begin() + below(i + 1), i);
    return order;
  }
  bool stretched(const Sized& x) {
    Shape shape = x.u.shape_vec();
    if (static_cast<int>(shape.size()) < options_.max_rank)
      shape.insert(shape.begin() + below(static_cast<int64_t>(shape.size()) + 1), 1);
    UOp u = reshape(x.u, shape);
    for (Dim& d : shape) {
      if (d == 1 && chance(60)) d = random_extent();
    }
    return keep(expand(u, shape), x.bound);
  }
  Scalar random_fill(DType t) {
    return Scalar::of_int(is_unsigned(t) || is_bool(t) ? below(2) : between(-2, 2), t);
  }
  bool padded(const Sized& x) {
    std::vector<int64_t> pairs;
    for (Dim d : x.u.shape_vec()) {
      const int64_t room = std::max<Dim>(0, options_.max_extent - d);
      pairs.push_back(below(std::min<int64_t>(room, 2) + 1));
      pairs.push_back(below(room - pairs.back() + 1));
    }
    return keep(pad(x.u, pairs, random_fill(x.u.dtype())), std::max(x.bound, 2.0));
  }
  bool sheared(const Sized& x) {
    const int rank = x.u.ndim();
    if (rank < 2) return false;
    const int i = below(rank), k = (i + 1 + below(rank - 1)) % rank;
    return keep(
        shear(x.u, i, k, between(-2, 2), between(-2, 2), random_extent(), random_fill(x.u.dtype())),
        std::max(x.bound, 2.0));
  }

  bool reduction(const Sized& x) {
    std::vector<int64_t> axes;
    double n = 1;
    for (int a = 0; a < x.u.ndim(); ++a) {
      if (!chance(50)) continue;
      axes.push_back(a);
      n *= static_cast<double>(x.u.dim(a));
    }
    if (axes.empty()) return false;
    switch (below(3)) {
      case 0:
        return n != 0 && keep(reduce(x.u, ReduceOp::Max, axes), x.bound);
      case 1: {
        const double product = std::pow(std::max(1.0, x.bound), n);
        return keep(reduce(x.u, ReduceOp::Mul, axes), is_float(x.u.dtype()) ? product : 9e18);
      }
      default:
        return keep(reduce(x.u, ReduceOp::Add, axes), x.bound * n);
    }
  }

  bool indexed(const Sized& x) {
    if (x.u.ndim() == 0) return false;
    const int axis = below(x.u.ndim());
    Shape shape = x.u.shape_vec();
    const auto extent = static_cast<int>(shape[static_cast<size_t>(axis)]);
    shape[static_cast<size_t>(axis)] = random_extent();
    const double n = static_cast<double>(shape[static_cast<size_t>(axis)]);
    const DType t = chance(70) ? DType::Int32 : DType::Int64;
    const UOp idx =
        chance(40)
            ? computed_index(shape, axis, t)
            : leaf(shape, t, chance(20) ? -1 : 0, chance(20) ? extent : std::max(0, extent - 1)).u;
    if (chance(50)) return keep(gather(x.u, idx, axis), x.bound);
    const Sized v = like(shape, x.u.dtype());
    const auto how = static_cast<Combine>(below(4));
    double bound = std::max(x.bound, v.bound);
    if (how == Combine::Add) bound = x.bound + n * v.bound;
    if (how == Combine::Mul) bound = x.bound * std::pow(std::max(1.0, v.bound), n);
    return keep(scatter(x.u, idx, v.u, axis, how), bound);
  }

  /// Places that no data names: strides, resampling, windows that overlap. Some may lie outside.
  UOp computed_index(const Shape& shape, int axis, DType t) {
    const int along = chance(85) ? axis : below(static_cast<int64_t>(shape.size()));
    const UOp i = iota(shape, along, t);
    const auto number = [&](int64_t v) { return const_like(i, v); };
    switch (below(4)) {
      case 0:
        return i * int64_t{between(-1, 3)} + int64_t{between(-1, 2)};
      case 1:
        return idiv(i * int64_t{between(1, 4)} + int64_t{below(2)}, number(between(2, 5)));
      case 2: {
        const int64_t size = between(2, 3);
        return idiv(i, number(size)) * int64_t{between(1, 2)} + mod(i, number(size));
      }
      default:
        return mod(i, number(between(1, 3)));
    }
  }

  /// A new storage, a store into a view of it, and the version that this leaves.
  bool in_place() {
    const Sized base = leaf(random_shape(), random_dtype());
    if (!base.u.is(Op::Buffer)) return false;
    nodes_.pop_back();  // an older version must not be read beside the new one
    UOp view = base.u;
    for (int i = below(4); i > 0 && view.ndim() > 0; --i) {
      const std::vector<int64_t> axes = {below(view.ndim())};
      if (chance(40))
        view = permute(view, random_order(view.ndim()));
      else if (chance(40))
        view = flip(view, axes);
      else
        view = reshape(view, regrouped(view.shape_vec()));
    }
    const Sized v = like(view.shape_vec(), view.dtype());
    const std::vector<UOp> effects = {store(view, v.u)};
    return keep(after(base.u, effects), std::max(base.bound, v.bound));
  }

  RandomGraphOptions options_;
  std::mt19937_64 rng_;
  RandomGraph graph_;
  std::vector<Sized> nodes_;
};

inline RandomGraph random_graph(uint64_t seed, RandomGraphOptions options = {}) {
  return RandomGraphMaker(seed, std::move(options)).run();
}

}  // namespace tg::test
