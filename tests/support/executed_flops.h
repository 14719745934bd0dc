// Counts what a linear kernel does, without data: loops run over their index arithmetic alone, and
// every floating-point operation in their bodies counts with its lanes. Unlike the cost of a kernel
// graph this sees lanes and tiles that overrun an array, and loops that end early.
#pragma once

#include <stdexcept>
#include <unordered_map>
#include <vector>

#include "codegen/linear.h"
#include "tg/ir/text.h"

namespace tg::test {

class FlopCounter {
 public:
  explicit FlopCounter(const LinearKernel& kernel)
      : kernel_(kernel), end_of_(kernel.ops.size(), 0) {
    std::vector<size_t> open;
    for (size_t i = 0; i < kernel.ops.size(); ++i) {
      const UOp& u = kernel.ops[i];
      if (u.is(Op::Range) || u.is(Op::If)) open.push_back(i);
      if (u.is(Op::End) || u.is(Op::EndIf)) {
        end_of_[open.back()] = i;
        open.pop_back();
      }
    }
  }

  double run() { return block(0, kernel_.ops.size()); }

 private:
  double block(size_t begin, size_t end) {
    double flops = 0;
    for (size_t i = begin; i < end; ++i) {
      const UOp& u = kernel_.ops[i];
      if (u.is(Op::Range)) {
        flops += loop(u, i);
        i = end_of_[i];
      } else if (u.is(Op::If)) {
        if (scalar(u.src_node(0)) != 0) flops += block(i + 1, end_of_[i]);
        i = end_of_[i];
      } else if (u.dtype() == DType::Index || is_bool(u.dtype())) {
        evaluate(u);
      } else {
        flops += flops_of(u);
      }
    }
    return flops;
  }

  // A body whose index arithmetic does not decide how often loops run inside it does the same every
  // time.
  double loop(const UOp& range, size_t at) {
    const int64_t count = scalar(range.src_node(0));
    if (count <= 0) return 0;
    if (!decides(at)) {
      values_[range.node()] = 0;
      return static_cast<double>(count) * block(at + 1, end_of_[at]);
    }
    double flops = 0;
    for (int64_t v = 0; v < count; ++v) {
      values_[range.node()] = v;
      flops += block(at + 1, end_of_[at]);
    }
    return flops;
  }

  // Does an extent or condition inside this loop depend on its index?
  bool decides(size_t at) {
    const auto [it, fresh] = decides_.try_emplace(at, false);
    if (!fresh) return it->second;
    std::unordered_map<const Node*, bool> depends{{kernel_.ops[at].node(), true}};
    for (size_t i = at + 1; i < end_of_[at] && !it->second; ++i) {
      const Node* n = kernel_.ops[i].node();
      for (const Node* s : n->src()) depends[n] = depends[n] || depends[s];
      it->second = (n->op == Op::Range || n->op == Op::If) && depends[n->src()[0]];
      if (n->op == Op::Range) depends[n] = false;
    }
    return it->second;
  }

  int64_t scalar(const Node* n) const {
    const auto known = values_.find(n);
    if (known == values_.end())
      throw std::logic_error("an extent that is no index arithmetic: " + print_expr(UOp::share(n)));
    return known->second;
  }

  void evaluate(const UOp& u) {
    if (u.lanes() != 1) return;
    if (u.is(Op::Const)) {
      values_[u.node()] = u.scalar().i64();
      return;
    }
    if (u.is(Op::After)) {  // pinned
      if (const auto known = values_.find(u.src_node(0)); known != values_.end())
        values_[u.node()] = known->second;
      return;
    }
    if (!in_group(u.op(), kElementwise)) return;
    std::vector<Scalar> src;
    for (int i = 0; i < u.n_src(); ++i) {
      const auto known = values_.find(u.src_node(i));
      if (known == values_.end()) return;
      src.push_back(Scalar::of_int(known->second, u.src_node(i)->dtype));
    }
    values_[u.node()] = record(u.op()).eval(src, u.dtype(), u.arg()).i64();
  }

  static double flops_of(const UOp& u) {
    if (!is_float(u.dtype())) return 0;
    switch (u.op()) {
      case Op::Add:
      case Op::Mul:
      case Op::FDiv:
      case Op::Sqrt:
        return u.lanes();
      case Op::Fma:
        return 2 * u.lanes();
      case Op::VReduce:
        return u.src_node(0)->lanes - 1;
      default:
        return 0;
    }
  }

  const LinearKernel& kernel_;
  std::vector<size_t> end_of_;  // by position of a RANGE or IF
  std::unordered_map<size_t, bool> decides_;
  std::unordered_map<const Node*, int64_t> values_;
};

/// Floating-point additions, multiplications (two for a multiply-add), divisions and roots of one
/// launch; transcendentals and comparisons are not counted.
inline double executed_flops(const LinearKernel& kernel) { return FlopCounter(kernel).run(); }

}  // namespace tg::test
