// What computing a value where it is read would cost: the arithmetic, loads and size of everything
// that would be inlined below it. The fusion solver weighs by it (fusion.cpp). Internal to
// src/schedule.
#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "tg/ir/uop.h"

namespace tg {

/// Of an element of a value.
struct Weight {
  double flops = 0;
  double loads = 0;
  double nodes = 0;
};

/// The constant that a node repeats, null if it is none.
const Node* constant_of(const Node* x);
/// Whether the node is 0 at some places and a value at the others, by a comparison of places alone:
/// the triangle of a matrix, a band, a prefix.
bool is_masked_by_place(const Node* x);

/// Whether some of the movements and casts that a node consists of is a broadcast.
bool is_broadcast(const Node* x);
/// Whether the node is a product whose sources all are broadcast: they are smaller than it.
bool only_stretches(const Node* x);

/// Weights of the nodes of a graph in topological order. O(nodes), and up to a kernel's size more
/// for nodes that share much.
class ExpressionWeights {
 public:
  explicit ExpressionWeights(std::span<const Node* const> order);

  const Weight& of(size_t i) const { return weights_[i]; }
  /// Whether a node with all that is inlined below it is too much for one kernel: it is stored, and
  /// for what is computed from it, it is a load.
  bool is_too_large(size_t i) const { return too_large_[i]; }

 private:
  void weigh(size_t i);
  Weight weigh_each_once(size_t root);

  std::span<const Node* const> order_;
  std::unordered_map<const Node*, size_t> index_;
  std::vector<Weight> weights_;
  std::vector<bool> too_large_;
  std::vector<size_t> walked_;  // the last walk that met a node
  size_t walk_ = 0;
};

}  // namespace tg
