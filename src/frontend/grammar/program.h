// A grammar as nodes of a pushdown automaton over bytes. Only data: how it is built from texts:
// program_builder.h and gbnf.cpp; how texts are matched by it: automaton.h.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

namespace tg::models::grammar {

inline constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();
/// Of a repetition without an end.
inline constexpr uint32_t kUnbounded = kNone;

/// A byte from `low` to `high` leads to the node `target`.
struct Edge {
  uint8_t low, high;
  uint32_t target;
};

enum class NodeKind : uint8_t {
  Bytes,   ///< takes a byte by one of its edges
  Split,   ///< goes on at `next`, or at `other`, without a byte
  Call,    ///< goes through the nodes from `callee` to their End, then on at `next`
  Repeat,  ///< the same `min` to `max` times
  End,
};

/// `next` of a Call may be kNone: the End behind it is that of the caller.
struct Node {
  NodeKind kind = NodeKind::Split;
  uint32_t next = kNone, other = kNone, callee = kNone;
  uint32_t first_edge = 0, edges = 0;
  uint32_t min = 0, max = 0;
};

struct Program {
  std::vector<Node> nodes;
  std::vector<Edge> edges;
  uint32_t root = 0;
  /// Bytes that no edge tells apart have one class; each class has a byte of it.
  std::array<uint8_t, 256> class_of{};
  std::vector<uint8_t> byte_of_class;
};

}  // namespace tg::models::grammar
