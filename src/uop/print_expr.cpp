// Expressions on one line, with as few parentheses as C needs. Works bottom-up over the graph, so
// depth costs no stack; shared parts are written at each use, up to a limit of length.
#include <fmt/format.h>

#include <unordered_map>
#include <vector>

#include "support/symbol.h"
#include "tg/ir/text.h"

namespace tg {
namespace {

constexpr size_t kLongest = 4000;  // characters
constexpr size_t kDeepest = 100;   // below this, and after so many nodes, parts are left out
constexpr size_t kMostNodes = 2000;

enum Precedence {
  kSelect,
  kOrOp,
  kXorOp,
  kAndOp,
  kEqual,
  kLess,
  kShift,
  kSum,
  kProduct,
  kPrefix,
  kAtom
};

struct Piece {
  std::string text;
  Precedence binds = kAtom;
};

std::string in_context(const Piece& p, Precedence at_least) {
  return p.binds < at_least ? "(" + p.text + ")" : p.text;
}

struct Infix {
  std::string_view sign;
  Precedence binds;
};

Infix infix_of(Op op) {
  switch (op) {
    case Op::Mul:
      return {"*", kProduct};
    case Op::IDiv:
      return {"/", kProduct};
    case Op::FDiv:
      return {"/", kProduct};
    case Op::Mod:
      return {"%", kProduct};
    case Op::Add:
      return {" + ", kSum};
    case Op::Shl:
      return {" << ", kShift};
    case Op::Shr:
      return {" >> ", kShift};
    case Op::CmpLt:
      return {" < ", kLess};
    case Op::CmpNe:
      return {" != ", kEqual};
    case Op::And:
      return {" & ", kAndOp};
    case Op::Xor:
      return {" ^ ", kXorOp};
    case Op::Or:
      return {" | ", kOrOp};
    default:
      return {"", kAtom};
  }
}

bool is_true(const Node* n) { return n->op == Op::Const && is_bool(n->dtype) && n->arg()[0] != 0; }

Piece leaf(const Node* n) {
  switch (n->op) {
    case Op::Const: {
      std::string text = Scalar::of_bits(static_cast<uint64_t>(n->arg()[0]), n->dtype).str();
      const bool negative = text[0] == '-';
      return {std::move(text), negative ? kPrefix : kAtom};
    }
    case Op::Var:
      return {symbol_name(n->arg()[0])};
    case Op::Bind:
      return {symbol_name(n->src()[0]->arg()[0])};
    case Op::Range:
      return {fmt::format("r{}", n->arg()[0])};
    case Op::Param:
      return {fmt::format("p{}", n->arg()[0])};
    case Op::Buffer:
      return {fmt::format("b{}", n->arg()[0])};
    case Op::Alloc:
      return {fmt::format("a{}", n->arg()[0])};
    default:
      return {};
  }
}

Piece call(const Node* n, const std::vector<const Piece*>& src) {
  std::string out(n->op == Op::Cast ? dtype_name(n->dtype) : op_name(n->op));
  if (n->n_arg != 0) out += fmt::format("{{{}}}", fmt::join(n->arg(), ","));
  out += '(';
  for (size_t i = 0; i < src.size(); ++i) out += (i == 0 ? "" : ", ") + src[i]->text;
  return {out + ")"};
}

Piece binary(const Node* n, const std::vector<const Piece*>& src) {
  const auto [sign, binds] = infix_of(n->op);
  const std::string& b = src[1]->text;
  if (n->op == Op::Add && b[0] == '-') {  // a + -3 reads a - 3
    return {in_context(*src[0], kSum) + " - " + b.substr(1), kSum};
  }
  const auto tighter = static_cast<Precedence>(binds + 1);
  return {in_context(*src[0], binds) + std::string(sign) + in_context(*src[1], tighter), binds};
}

Piece piece_of(const Node* n, const std::vector<const Piece*>& src) {
  if (Piece p = leaf(n); !p.text.empty()) return p;
  if (n->op == Op::Xor && is_true(n->src()[1]))
    return {"!" + in_context(*src[0], kPrefix), kPrefix};
  if (n->op == Op::Where) {
    return {in_context(*src[0], kOrOp) + " ? " + in_context(*src[1], kOrOp) + " : " +
                in_context(*src[2], kSelect),
            kSelect};
  }
  if (n->n_src == 2 && !infix_of(n->op).sign.empty()) return binary(n, src);
  return call(n, src);
}

}  // namespace

std::string print_expr(const Node* n) { return print_expr(UOp::share(n)); }

std::string print_expr(const UOp& u) {
  std::unordered_map<const Node*, Piece> pieces;
  std::vector<const Piece*> src;
  std::vector<std::pair<const Node*, uint32_t>> stack{{u.node(), 0}};
  while (!stack.empty()) {
    auto& [n, next] = stack.back();
    if (next < n->n_src) {
      const Node* child = n->src()[next++];
      if (pieces.contains(child)) continue;
      const bool deep = stack.size() >= kDeepest || pieces.size() >= kMostNodes;
      if (deep && child->n_src != 0) {
        pieces.emplace(child, Piece{"…"});
      } else {
        stack.emplace_back(child, 0);
      }
      continue;
    }
    src.clear();
    for (const Node* s : n->src()) src.push_back(&pieces.at(s));
    Piece p = piece_of(n, src);
    if (p.text.size() > kLongest) p = {"…"};
    pieces.emplace(n, std::move(p));
    stack.pop_back();
  }
  return pieces.at(u.node()).text;
}

}  // namespace tg
