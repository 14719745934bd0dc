// Bounds of integer, index and bool expressions: the walk over a graph that applies the interval
// rules of the op records. The interval arithmetic is include/tg/ir/interval.h; what is proved with
// the bounds stands in index.h and valid.h.
#pragma once

#include <unordered_map>
#include <vector>

#include "tg/ir/uop.h"

namespace tg {

/// All values of an integer, index or bool dtype; unbounded for Index and for every other dtype.
/// The upper end of UInt64 is "unbounded", for it does not fit int64.
Interval dtype_interval(DType t);

/// Bounds by node, kept for the length of one pass; holds every node that it was asked about. Not
/// thread-safe.
class Bounds {
 public:
  /// Interval of `n`'s value: the record's rule where there is one, else all values of the dtype.
  /// Results of fixed-width integers that may wrap are the whole dtype. Values that are not
  /// integers, index or bool are unbounded. Linear in the nodes seen for the first time; never
  /// recurses.
  Interval operator()(const Node* n);
  Interval operator()(const UOp& u) { return (*this)(u.node()); }

  /// From now on `u` is known to lie in `i` too. Must precede every question about `u` or its
  /// users.
  void assume(const UOp& u, Interval i);

 private:
  struct Entry {
    UOp keep;
    Interval interval;
  };
  Interval compute(const Node* n) const;

  std::unordered_map<const Node*, Entry> memo_;
  std::unordered_map<const Node*, Entry> assumed_;
};

/// One question without a memo to share.
Interval bounds(const Node* n);
inline Interval bounds(const UOp& u) { return bounds(u.node()); }

}  // namespace tg
