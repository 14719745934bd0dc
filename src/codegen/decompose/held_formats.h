// Which small float holds a float32 exactly: what was widened from it and then only changed its
// sign, lost digits behind the point, or was chosen among such values. Rounding to the format,
// nine instructions of a processor without bfloat16, changes none of them and is left out. Found
// from the graph alone; ranges of values are no matter here. Who rounds: small_float.h.
#pragma once

#include <unordered_map>

#include "tg/ir/uop.h"

namespace tg {

/// Facts about the nodes of a graph, learnt one after the other, sources first.
class HeldFormats {
 public:
  /// Learns about `u`, a node of the graph before it is decomposed.
  void visit(const UOp& u);
  /// Whether `t`, a float of 16 or 8 bits, holds every value of the float `u` exactly. Where it is
  /// in doubt: false.
  bool holds(const UOp& u, DType t) const;

 private:
  // Nodes of float32 whose values are all of one small format.
  std::unordered_map<const Node*, DType> format_;
};

/// Whether the op of `u` gives values of every format of its sources: Max, Where, Trunc, a product
/// with 1 or −1, |x| as magnitude_source() of compositions.h knows it. Not in the formats without
/// −0, which a sign or a lost digit may give.
bool keeps_format(const UOp& u, DType t);

}  // namespace tg
