// A chat template as a tree of statements and expressions, flat: nodes name each other by number,
// so that a copy is a copy and no depth matters to the end of its life. Made by parser.h, gone
// through by renderer.h.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/template/template_value.h"

namespace tg::models::jinja {

using NodeId = uint32_t;
inline constexpr NodeId kNoNode = UINT32_MAX;

enum class NodeKind : uint8_t {
  // Expressions
  Constant,     // constants[name]
  Name,         // names[name]
  TupleOf,      // of `items`
  ListOf,       // of `items`
  DictOf,       // of `items`, a key and a value in turn
  Attribute,    // first.name
  Item,         // first[second]
  Slice,        // first:second:third, each may be missing; within Item
  Call,         // first(items)
  Filter,       // first|name(items); without `first` it is for what a block gives
  Test,         // first is name(items)
  Keyword,      // name=first, among arguments
  Spread,       // *first, among arguments
  SpreadNames,  // **first, among arguments
  Not,          // not first
  Negative,     // -first
  Positive,     // +first
  Binary,       // first `op` second
  And,          // first and second
  Or,           // first or second
  Compare,      // first, and operands that follow
  Operand,      // `op` first
  Concat,       // items joined by ~
  Conditional,  // second if first else third
  // Statements
  Data,         // constants[name], printed
  Output,       // {{ first }}
  If,           // items: conditions; others: their Blocks, and perhaps one for else
  Block,        // items in order
  For,          // for first in second if third: items; others: else
  Set,          // set first = second
  SetBlock,     // set first: items, filtered by `second`
  Target,       // names[name], where an assignment goes
  Member,       // first.name of a namespace, where an assignment goes
  Macro,        // names[name] with parameters `others`: items
  Parameter,    // names[name], with a default value `first`
  CallBlock,    // first is a Call that gets a macro of parameters `others`: items
  FilterBlock,  // items, filtered by `first`
  With,         // others: Sets in a scope of their own; items
  Scope,        // items in a scope of their own
  Break,
  Continue,
};

enum class Op : uint8_t {
  Add,
  Subtract,
  Multiply,
  Divide,
  FloorDivide,
  Modulo,
  Power,
  Equal,
  NotEqual,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  In,
  NotIn
};

/// Part of Syntax::lists.
struct NodeList {
  uint32_t begin = 0, count = 0;
};

struct Node {
  NodeKind kind;
  Op op = Op::Add;
  bool is_recursive = false;  ///< of For
  uint16_t depth = 1;         ///< of the tree below
  uint32_t line = 0;
  uint32_t name = 0;
  NodeId first = kNoNode, second = kNoNode, third = kNoNode;
  NodeList items = {}, others = {};
};

struct Syntax {
  std::vector<Node> nodes;
  std::vector<NodeId> lists;
  std::vector<std::string> names;
  std::vector<Value> constants;
  NodeId whole = kNoNode;  ///< a Block

  std::span<const NodeId> list(NodeList l) const {
    return std::span(lists).subspan(l.begin, l.count);
  }
};

}  // namespace tg::models::jinja
