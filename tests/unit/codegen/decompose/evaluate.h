// Evaluates scalar elementwise graphs by the op records: the meaning of what a decomposition built.
#pragma once

#include <cmath>
#include <unordered_map>
#include <vector>

#include "target/target.h"
#include "tg/ir/walk.h"

namespace tg::testing {

/// A graph prepared for many evaluations. Inputs are the loads that `input` makes.
class Evaluator {
 public:
  explicit Evaluator(const UOp& root) : root_(root) {
    for (const Node* n : toposort(root_)) {
      if (n->space != Space::Value || (n->op == Op::Const && n->dtype == DType::Index)) continue;
      Step step{n, {}};
      if (n->op != Op::Load) {
        for (const Node* s : n->src()) step.src.push_back(slot_.at(s));
      }
      slot_[n] = steps_.size();
      steps_.push_back(step);
    }
  }
  Scalar operator()(const std::vector<Scalar>& inputs) {
    values_.resize(steps_.size());
    for (size_t i = 0; i < steps_.size(); ++i) {
      const Node* n = steps_[i].node;
      if (n->op == Op::Const) {
        values_[i] = Scalar::of_bits(static_cast<uint64_t>(n->arg()[0]), n->dtype);
      } else if (n->op == Op::Load) {
        values_[i] = inputs[static_cast<size_t>(n->src()[0]->arg()[0])];
      } else {
        args_.clear();
        for (size_t s : steps_[i].src) args_.push_back(values_[s]);
        values_[i] = record(n->op).eval(args_, n->dtype, n->arg());
      }
    }
    return values_.back();
  }
  size_t size() const { return steps_.size(); }

  /// How many values of the last evaluation came too small for a normal number: denormal ones, and
  /// products that are 0 without a factor that is.
  int underflows() const {
    int out = 0;
    for (size_t i = 0; i < steps_.size(); ++i) {
      if (!is_float(steps_[i].node->dtype)) continue;
      const double v = values_[i].f64();
      const double smallest = steps_[i].node->dtype == DType::Float32 ? 0x1p-126 : 0x1p-1022;
      out += std::fabs(v) < smallest && (v != 0 || is_product_of_others(i));
    }
    return out;
  }

 private:
  struct Step {
    const Node* node;
    std::vector<size_t> src;
  };
  bool is_product_of_others(size_t i) const {
    const Step& step = steps_[i];
    return step.node->op == Op::Mul && values_[step.src[0]].f64() != 0 &&
           values_[step.src[1]].f64() != 0;
  }
  UOp root_;
  std::vector<Step> steps_;
  std::unordered_map<const Node*, size_t> slot_;
  std::vector<Scalar> values_, args_;
};

/// v with the dtype of x.
inline UOp num(const UOp& x, double v) { return const_like(x, v); }

/// The element at 0 of parameter `slot`.
inline UOp input(int slot, DType t) {
  return load(param(slot, {1}, t), std::vector<UOp>{index_const(0)});
}

/// A target like the C renderer's: all but the elementary functions, arithmetic in all but the
/// small floats.
inline Target plain_target() {
  Target t;
  t.ops.set();
  for (Op op : {Op::Exp2, Op::Log2, Op::Sin, Op::Threefry}) t.ops.reset(static_cast<size_t>(op));
  t.dtypes.set();
  for (DType d : {DType::Float16, DType::BFloat16, DType::Fp8E4M3, DType::Fp8E5M2,
                  DType::Fp8E4M3Fnuz, DType::Fp8E5M2Fnuz}) {
    t.dtypes.reset(static_cast<size_t>(d));
  }
  return t;
}

/// The same without float64, as many graphics processors are.
inline Target single_target() {
  Target t = plain_target();
  t.dtypes.reset(static_cast<size_t>(DType::Float64));
  return t;
}

/// Whether any value of the graph has dtype `t`.
inline bool uses(const UOp& root, DType t) {
  for (const Node* n : toposort(root)) {
    if (n->dtype == t) return true;
  }
  return false;
}

}  // namespace tg::testing
