// Kernels that schedules are tested on, as they come from the scheduler, with arguments that hold
// small integers, so that sums are exact in any order.
#pragma once

#include <string>
#include <vector>

#include "autodiff/gradient.h"
#include "schedule/schedule.h"
#include "support/tensors.h"
#include "tg/ir/walk.h"

namespace tg::test {

struct ZooKernel {
  std::string name;
  UOp ast;
  std::vector<TensorValue> params;  ///< by slot; slot contents before the launch
};

class Zoo {
 public:
  explicit Zoo(uint64_t seed) : rng_(seed) {}

  static constexpr int kKinds = 22;
  /// Kernel number `kind` with random odd sizes.
  ZooKernel make(int kind) {
    switch (kind) {
      case 0:
        return kernel("matmul", matmul({odd(9), odd(13), odd(25)}));
      case 1:
        return kernel("matmul_transposed", matmul_transposed({odd(11), odd(9), odd(19)}));
      case 2:
        return kernel("row_sums",
                      reduce(leaf({odd(17), odd(67)}) + int64_t{1}, ReduceOp::Add, axes({1})));
      case 3:
        return kernel("column_sums",
                      reduce(leaf({odd(17), odd(67)}) + int64_t{1}, ReduceOp::Add, axes({0})));
      case 4:
        return kernel("full_maximum",
                      reduce(leaf({odd(9), odd(35)}) + int64_t{1}, ReduceOp::Max, axes({0, 1})));
      case 5:
        return kernel("row_normalisation", centred_rows({odd(9), odd(35)}));
      case 6:
        return kernel("convolution", convolution(false));
      case 7:
        return kernel("convolution_input_gradient", convolution_gradient(0));
      case 8:
        return kernel("convolution_weight_gradient", convolution_gradient(1));
      case 9:
        return kernel("elementwise", elementwise({odd(13), odd(67)}));
      case 10:
        return kernel("transpose", permute(leaf({odd(31), odd(33)}), axes({1, 0})) + int64_t{1});
      case 11:
        return kernel("middle_sums", reduce(leaf({odd(5), odd(17), odd(19)}) + int64_t{1},
                                            ReduceOp::Add, axes({1})));
      case 12:
        return kernel("cross_maxima", cross_maxima({odd(9), odd(13)}));
      case 13:
        return kernel("gathered_rows", gathered_rows({odd(9), odd(7), odd(21)}));
      case 14:
        return kernel("scattered_sums", scattered({odd(7), odd(17)}, Combine::Add));
      case 15:
        return kernel("scattered_last", scattered({odd(7), odd(17)}, Combine::Set));
      case 16:
        return kernel("update_in_place", update_in_place({odd(11), odd(33)}));
      case 17:
        return kernel("full_correlation", full_correlation({odd(7), odd(7), 3 + odd(3)}));
      case 18:
        return kernel("lower_triangle_sums", triangle_sums(odd(21), true));
      case 19:
        return kernel("upper_triangle_maxima", triangle_sums(odd(21), false));
      case 20:
        return kernel("diagonal_band", diagonal_band({odd(35), odd(5)}));
      default:
        return kernel("sums_of_chosen_rows", sums_of_chosen_rows({odd(7), odd(9), odd(11)}));
    }
  }

 private:
  static std::vector<int64_t> axes(std::vector<int64_t> a) { return a; }
  // Sizes are drawn in braces, from the first to the last: the order of a call's arguments is the
  // compiler's choice.
  int64_t odd(int64_t most) {
    return 1 + 2 * static_cast<int64_t>(rng_() % static_cast<uint64_t>((most + 1) / 2));
  }
  UOp leaf(const Shape& shape) {
    return leaves_.add(random_tensor(rng_, shape, DType::Float32, -3, 3));
  }

  // [m, k] @ [k, n] → [m, 1, n]
  UOp matmul(const Shape& sizes) {
    const Dim m = sizes[0], k = sizes[1], n = sizes[2];
    const UOp a = expand(reshape(leaf({m, k}), {m, k, 1}), {m, k, n});
    const UOp b = expand(reshape(leaf({k, n}), {1, k, n}), {m, k, n});
    return reduce(a * b, ReduceOp::Add, axes({1}));
  }
  UOp matmul_transposed(const Shape& sizes) {
    const Dim m = sizes[0], k = sizes[1], n = sizes[2];
    const UOp a = expand(reshape(leaf({m, k}), {m, 1, k}), {m, n, k});
    const UOp b = expand(reshape(leaf({n, k}), {1, n, k}), {m, n, k});
    return maximum(reduce(a * b, ReduceOp::Add, axes({2})),
                   full({m, n, 1}, Scalar::of_int(0, DType::Float32)));
  }
  // As a softmax: the maximum of each row, then a sum over the row that needs it, then each element
  // that needs both.
  UOp centred_rows(const Shape& sizes) {
    const Dim rows = sizes[0], n = sizes[1];
    const UOp x = leaf({rows, n});
    const UOp centred = x - expand(reduce(x, ReduceOp::Max, axes({1})), {rows, n});
    return centred * expand(reduce(centred, ReduceOp::Add, axes({1})), {rows, n});
  }
  UOp elementwise(const Shape& sizes) {
    const Dim m = sizes[0], n = sizes[1];
    const UOp x = leaf({m, n}), y = leaf({1, n});
    return maximum(x * expand(y, {m, n}) + int64_t{2}, x);
  }
  // Each element with the maxima of its row and of its column, which no loop order completes in one
  // scope.
  UOp cross_maxima(const Shape& sizes) {
    const Dim m = sizes[0], n = sizes[1];
    const UOp x = leaf({m, n});
    const UOp row = reduce(x, ReduceOp::Max, axes({1})),
              column = reduce(x, ReduceOp::Max, axes({0}));
    return x * expand(row, {m, n}) + expand(column, {m, n});
  }
  UOp indices(const Shape& shape, Dim below) {
    return leaves_.add(random_tensor(rng_, shape, DType::Int32, 0, static_cast<int>(below) - 1));
  }
  // Sums over rows of a table that an index names.
  UOp gathered_rows(const Shape& sizes) {
    const Dim n = sizes[0], rows = sizes[1], width = sizes[2];
    const UOp idx = expand(indices({n, 1}, rows), {n, width});
    const UOp table = leaf({rows, width}), factors = leaf({n, width});
    return reduce(gather(table, idx, 0) * factors, ReduceOp::Add, axes({0}));
  }
  // Places that several items share, along the inner axis.
  UOp scattered(const Shape& sizes, Combine combine) {
    const Dim m = sizes[0], n = sizes[1];
    const Dim places = 1 + n / 3;
    const bool one_a_row = rng_() % 3 == 0;
    const UOp idx = expand(indices({m, one_a_row ? 1 : n}, places), {m, n});
    const UOp into = leaf({m, places}), values = leaf({m, n});
    return scatter(into, idx, values, 1, combine);
  }
  UOp update_in_place(const Shape& sizes) {
    const Dim m = sizes[0], n = sizes[1];
    const UOp x = leaf({m, n});
    const std::vector<UOp> effects = {store(x, x * int64_t{2} + expand(leaf({1, n}), {m, n}))};
    return after(x, effects);
  }
  // The index of the row that is summed is itself a reduction.
  UOp sums_of_chosen_rows(const Shape& sizes) {
    const Dim m = sizes[0], rows = sizes[1], n = sizes[2];
    const UOp which = reduce(indices({m, n}, rows), ReduceOp::Max, axes({1}));
    return reduce(gather(leaf({rows, n}), expand(which, {m, n}), 0), ReduceOp::Add, axes({1}));
  }
  // [1, c, h, w] with [o, c, k, k] and padding k/2 → [1, o, 1, h, 1, w, 1]
  UOp convolution(bool) {
    const Dim c = odd(3), o = odd(7), h = odd(11), w = odd(11),
              k = 1 + 2 * static_cast<Dim>(rng_() % 2);
    x_ = leaf({2, c, h, w});
    w_ = leaf({o, c, k, k});
    UOp taps = expand(reshape(x_, {2, 1, c, h, 1, w, 1}), {2, o, c, h, k, w, k});
    const Scalar zero = Scalar::of_int(0, DType::Float32);
    taps = shear(shear(taps, 3, 4, 1, -(k / 2), h, zero), 5, 6, 1, -(k / 2), w, zero);
    const UOp weight = expand(reshape(w_, {1, o, c, 1, k, 1, k}), {2, o, c, h, k, w, k});
    return reduce(taps * weight, ReduceOp::Add, axes({2, 4, 6}));
  }
  // Every place at which a [k, k] kernel touches [h, w]: most taps of most places are border.
  UOp full_correlation(const Shape& sizes) {
    const Dim h = sizes[0], w = sizes[1], k = sizes[2];
    const Shape out = {h + k - 1, k, w + k - 1, k};
    UOp taps = expand(reshape(leaf({h, w}), {h, 1, w, 1}), {h, k, w, k});
    const Scalar zero = Scalar::of_int(0, DType::Float32);
    taps = shear(shear(taps, 0, 1, 1, 1 - k, out[0], zero), 2, 3, 1, 1 - k, out[2], zero);
    const UOp weight = expand(reshape(leaf({k, k}), {1, k, 1, k}), out);
    return reduce(taps * weight, ReduceOp::Add, axes({1, 3}));
  }
  // Sums below the diagonal, or maxima above it.
  UOp triangle_sums(Dim n, bool lower) {
    const UOp x = leaf({n, n}), row = iota({n, n}, 0, DType::Index),
              column = iota({n, n}, 1, DType::Index);
    if (lower)
      return reduce(where(lt(row, column), const_like(x, 0.0), x), ReduceOp::Add, axes({1}));
    const Scalar least = reduce_identity(ReduceOp::Max, DType::Float32);
    return reduce(where(lt(row, column), x, const_like(x, least)), ReduceOp::Max, axes({1}));
  }
  // Columns from 2·row − b to 2·row + b.
  UOp diagonal_band(const Shape& sizes) {
    const Dim n = sizes[0], b = sizes[1];
    const UOp x = leaf({n, n}), row = iota({n, n}, 0, DType::Index),
              column = iota({n, n}, 1, DType::Index);
    const UOp inside = lt(row * 2 - b, column + 1) & lt(column, row * 2 + (b + 1));
    return reduce(where(inside, x, const_like(x, 0.0)), ReduceOp::Add, axes({1}));
  }
  UOp convolution_gradient(int of) {
    const UOp y = convolution(true);
    const UOp seed = leaf(y.shape_vec());
    const std::vector<UOp> targets = {x_, w_};
    return gradient(y, seed, targets)[static_cast<size_t>(of)];
  }

  // The kernel of the root; whatever it reads that is not a leaf gets random contents of its own.
  ZooKernel kernel(std::string name, const UOp& root) {
    const std::vector<UOp> roots = {root};
    const Schedule s = make_schedule(roots, Target{});
    const ScheduleItem& item = s.items.back();
    ZooKernel out{std::move(name), item.kernel, {}};
    for (int b : item.buffers) {
      const Node* n = s.buffers[static_cast<size_t>(b)].node;
      const Shape shape(n->shape().begin(), n->shape().end());
      auto it = leaves_.contents.find(n);
      out.params.push_back(
          it != leaves_.contents.end() ? it->second : random_tensor(rng_, shape, n->dtype, -3, 3));
    }
    return out;
  }

  std::mt19937_64 rng_;
  Leaves leaves_;
  UOp x_, w_;
};

}  // namespace tg::test
