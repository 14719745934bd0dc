// Kernels that are sums of products, as matrix units make them: operands in any dtype, their rows
// contiguous along either axis, batches, windows, factors that are computed. They hold small
// integers, so that sums are exact in any order and in every unit.
#pragma once

#include "support/kernel_zoo.h"

namespace tg::test {

class Products {
 public:
  explicit Products(uint64_t seed) : rng_(seed) {}

  static constexpr int kKinds = 7;
  static const char* name_of(int kind) {
    static constexpr const char* kNames[kKinds] = {
        "Plain",       "RightTransposed", "LeftTransposed", "Batches",
        "Convolution", "ComputedFactors", "SquareOfTiles"};
    return kNames[kind];
  }

  /// Kernel number `kind` of operands in `t`, with random sizes. The result is in `t`, too.
  ZooKernel make(int kind, DType t) { return make(kind, t, t); }
  /// The same, the right operand (of a convolution, the weights) in a dtype of its own.
  ZooKernel make(int kind, DType t, DType right_type) {
    const Dim m = size(8, 40), n = size(8, 40), k = size(8, 72);
    return sized(kind, t, right_type, m, n, k);
  }
  /// The same of [m, k] by [k, n]; a convolution and a product of tiles have sizes of their own.
  ZooKernel sized(int kind, DType t, DType right_type, Dim m, Dim n, Dim k) {
    t_ = t;
    right_ = right_type;
    switch (kind) {
      case 0:
        return kernel(kind, product(left({m, k}, n), right({k, n}, m), 1));
      case 1:
        return kernel(kind, product(expand(reshape(leaf({m, k}), {m, 1, k}), {m, n, k}),
                                    expand(reshape(right_leaf({n, k}), {1, n, k}), {m, n, k}), 2));
      case 2:
        return kernel(kind, product(expand(reshape(leaf({k, m}), {k, m, 1}), {k, m, n}),
                                    expand(reshape(right_leaf({k, n}), {k, 1, n}), {k, m, n}), 0));
      case 3: {
        const Dim b = size(2, 3);
        const UOp x = expand(reshape(leaf({b, m, k}), {b, m, k, 1}), {b, m, k, n});
        const UOp y = expand(reshape(right_leaf({b, k, n}), {b, 1, k, n}), {b, m, k, n});
        const UOp bias = expand(reshape(leaf({n}), {1, 1, 1, n}), {b, m, 1, n});
        return kernel(kind, maximum(product(x, y, 2) + bias, const_like(bias, 0.0)));
      }
      case 4:
        return kernel(kind, convolution());
      case 5:
        return kernel(
            kind, product(maximum(left({m, k}, n), full({m, k, n}, zero())), right({k, n}, m), 1));
      default: {
        const Dim s = 32 << rng_() % 2;
        return kernel(kind, product(left({s, s}, s), right({s, s}, s), 1));
      }
    }
  }

 private:
  Scalar zero() const { return Scalar::of_int(0, t_); }
  Dim size(Dim least, Dim most) {
    return least + static_cast<Dim>(rng_() % static_cast<uint64_t>(most - least + 1));
  }
  UOp leaf(const Shape& shape) { return leaves_.add(random_tensor(rng_, shape, t_, -3, 3)); }
  UOp right_leaf(const Shape& shape) {
    return leaves_.add(random_tensor(rng_, shape, right_, -3, 3));
  }
  // [m, k] → [m, k, n]
  UOp left(const Shape& s, Dim n) {
    return expand(reshape(leaf(s), {s[0], s[1], 1}), {s[0], s[1], n});
  }
  UOp right(const Shape& s, Dim m) {
    return expand(reshape(right_leaf(s), {1, s[0], s[1]}), {m, s[0], s[1]});
  }
  UOp product(const UOp& a, const UOp& b, int64_t axis) {
    const std::vector<int64_t> axes = {axis};
    return sum(a, b, axes);
  }
  UOp sum(const UOp& a, const UOp& b, const std::vector<int64_t>& axes) {
    const DType in = is_int(t_) ? DType::Int32 : DType::Float32;
    return cast(reduce(cast(a, in) * cast(b, in), ReduceOp::Add, axes), t_);
  }
  // [2, c, h, w] with [o, c, 3, 3] and a border of zeros
  UOp convolution() {
    const Dim c = size(16, 24), o = size(8, 20), h = size(3, 6), w = size(8, 12), k = 3;
    UOp taps = expand(reshape(leaf({2, c, h, w}), {2, 1, c, h, 1, w, 1}), {2, o, c, h, k, w, k});
    taps = shear(shear(taps, 3, 4, 1, -1, h, zero()), 5, 6, 1, -1, w, zero());
    const UOp weight =
        expand(reshape(right_leaf({o, c, k, k}), {1, o, c, 1, k, 1, k}), {2, o, c, h, k, w, k});
    return sum(taps, weight, {2, 4, 6});
  }

  ZooKernel kernel(int kind, const UOp& root) {
    const std::vector<UOp> roots = {root};
    const Schedule s = make_schedule(roots, Target{});
    const ScheduleItem& item = s.items.back();
    ZooKernel out{name_of(kind), item.kernel, {}};
    for (int b : item.buffers) {
      const Node* n = s.buffers[static_cast<size_t>(b)].node;
      const Shape shape(n->shape().begin(), n->shape().end());
      const auto it = leaves_.contents.find(n);
      out.params.push_back(it != leaves_.contents.end() ? it->second
                                                        : TensorValue::zeros(shape, n->dtype));
    }
    return out;
  }

  std::mt19937_64 rng_;
  Leaves leaves_;
  DType t_ = DType::Float32, right_ = t_;
};

}  // namespace tg::test
