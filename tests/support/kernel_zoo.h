// Kernels that schedules are tested on, as they come from the scheduler, with arguments that hold
// small integers, so that sums are exact in any order.
#pragma once

#include <string>
#include <vector>

#include "autodiff/gradient.h"
#include "schedule/schedule.h"
#include "support/tensors.h"
#include "uop/walk.h"

namespace tg::test {

struct ZooKernel {
  std::string name;
  UOp ast;
  std::vector<TensorValue> params;  ///< by slot; slot contents before the launch
};

class Zoo {
 public:
  explicit Zoo(uint64_t seed) : rng_(seed) {}

  static constexpr int kKinds = 12;
  /// Kernel number `kind` with random odd sizes.
  ZooKernel make(int kind) {
    switch (kind) {
      case 0:
        return kernel("matmul", matmul(odd(9), odd(13), odd(25)));
      case 1:
        return kernel("matmul_transposed", matmul_transposed(odd(11), odd(9), odd(19)));
      case 2:
        return kernel("row_sums", reduce(leaf({odd(17), odd(67)}), ReduceOp::Add, axes({1})));
      case 3:
        return kernel("column_sums", reduce(leaf({odd(17), odd(67)}), ReduceOp::Add, axes({0})));
      case 4:
        return kernel("full_maximum", reduce(leaf({odd(9), odd(35)}), ReduceOp::Max, axes({0, 1})));
      case 5:
        return kernel("row_normalisation", centred_rows(odd(9), odd(35)));
      case 6:
        return kernel("convolution", convolution(false));
      case 7:
        return kernel("convolution_input_gradient", convolution_gradient(0));
      case 8:
        return kernel("convolution_weight_gradient", convolution_gradient(1));
      case 9:
        return kernel("elementwise", elementwise(odd(13), odd(67)));
      case 10:
        return kernel("transpose", permute(leaf({odd(31), odd(33)}), axes({1, 0})) + int64_t{1});
      default:
        return kernel("middle_sums",
                      reduce(leaf({odd(5), odd(17), odd(19)}), ReduceOp::Add, axes({1})));
    }
  }

 private:
  static std::vector<int64_t> axes(std::vector<int64_t> a) { return a; }
  int64_t odd(int64_t most) {
    return 3 + 2 * static_cast<int64_t>(rng_() % static_cast<uint64_t>((most - 1) / 2));
  }
  UOp leaf(const Shape& shape) {
    return leaves_.add(random_tensor(rng_, shape, DType::Float32, -3, 3));
  }

  // [m, k] @ [k, n] → [m, 1, n]
  UOp matmul(Dim m, Dim k, Dim n) {
    const UOp a = expand(reshape(leaf({m, k}), {m, k, 1}), {m, k, n});
    const UOp b = expand(reshape(leaf({k, n}), {1, k, n}), {m, k, n});
    return reduce(a * b, ReduceOp::Add, axes({1}));
  }
  UOp matmul_transposed(Dim m, Dim k, Dim n) {
    const UOp a = expand(reshape(leaf({m, k}), {m, 1, k}), {m, n, k});
    const UOp b = expand(reshape(leaf({n, k}), {1, n, k}), {m, n, k});
    return maximum(reduce(a * b, ReduceOp::Add, axes({2})),
                   full({m, n, 1}, Scalar::of_int(0, DType::Float32)));
  }
  // As a softmax: the maximum of each row, then a sum over the row that needs it, then each element
  // that needs both.
  UOp centred_rows(Dim rows, Dim n) {
    const UOp x = leaf({rows, n});
    const UOp centred = x - expand(reduce(x, ReduceOp::Max, axes({1})), {rows, n});
    return centred * expand(reduce(centred, ReduceOp::Add, axes({1})), {rows, n});
  }
  UOp elementwise(Dim m, Dim n) {
    const UOp x = leaf({m, n}), y = leaf({1, n});
    return maximum(x * expand(y, {m, n}) + int64_t{2}, x);
  }
  // [1, c, h, w] with [o, c, k, k] and padding k/2 → [1, o, 1, h, 1, w, 1]
  UOp convolution(bool) {
    const Dim c = odd(5) - 2, o = odd(7), h = odd(11), w = odd(11),
              k = 1 + 2 * static_cast<Dim>(rng_() % 2);
    x_ = leaf({2, c, h, w});
    w_ = leaf({o, c, k, k});
    UOp taps = expand(reshape(x_, {2, 1, c, h, 1, w, 1}), {2, o, c, h, k, w, k});
    const Scalar zero = Scalar::of_int(0, DType::Float32);
    taps = shear(shear(taps, 3, 4, 1, -(k / 2), h, zero), 5, 6, 1, -(k / 2), w, zero);
    const UOp weight = expand(reshape(w_, {1, o, c, 1, k, 1, k}), {2, o, c, h, k, w, k});
    return reduce(taps * weight, ReduceOp::Add, axes({2, 4, 6}));
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
