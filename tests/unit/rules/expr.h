// Evaluation of scalar expressions at a point, by the records' own meaning: what the rule tests
// compare with.
#pragma once

#include <map>
#include <unordered_map>

#include "tg/ir/uop.h"
#include "tg/ir/walk.h"

namespace tg::test {

/// Values of the leaves that have no value of their own: ranges, variables, loads.
using Point = std::map<const Node*, Scalar>;

/// The values of all nodes of `e` that have one.
inline std::unordered_map<const Node*, Scalar> evaluate_all(const UOp& e, const Point& point) {
  std::unordered_map<const Node*, Scalar> value;
  for (const Node* n : toposort(e)) {
    if (auto it = point.find(n); it != point.end()) {
      value[n] = it->second;
    } else if (n->op == Op::Const) {
      value[n] = UOp::share(n).scalar();
    } else if (record(n->op).eval != nullptr) {
      std::vector<Scalar> src;
      for (const Node* s : n->src()) src.push_back(value.at(s));
      value[n] = record(n->op).eval(src, n->dtype, n->arg());
    }
  }
  return value;
}

inline Scalar evaluate(const UOp& e, const Point& point) {
  return evaluate_all(e, point).at(e.node());
}

}  // namespace tg::test
