// The pool of pattern nodes and the builders. Out of line, so that a table of rules costs its file
// little to compile.
#include "tg/ir/pattern.h"

#include <fmt/format.h>

#include <deque>
#include <mutex>

namespace tg {
namespace {

struct Pool {
  std::mutex lock;
  std::deque<PatternNode> nodes;  // addresses stay
};

Pattern pooled(PatternNode n) noexcept {
  static auto* pool = new Pool;  // never destroyed: rule sets are static objects of unknown order
  std::lock_guard guard(pool->lock);
  return Pattern(&pool->nodes.emplace_back(std::move(n)));
}

Pattern placeholder(PatternNode::Kind kind, int slot) noexcept {
  return pooled({.kind = kind, .slot = static_cast<int8_t>(slot), .src = {}});
}

std::string_view infix(uint64_t ops) {
  constexpr std::array<std::pair<Op, std::string_view>, 7> kSigns = {{{Op::Add, " + "},
                                                                      {Op::Mul, " * "},
                                                                      {Op::FDiv, " / "},
                                                                      {Op::Mod, " % "},
                                                                      {Op::And, " & "},
                                                                      {Op::Or, " | "},
                                                                      {Op::Xor, " ^ "}}};
  for (auto [op, sign] : kSigns) {
    if (ops == pattern_bit(op)) return sign;
  }
  return {};
}

constexpr std::array<const char*, kMaxSlots> kSlotNames = {"x",  "y",  "z",  "w",
                                                           "c0", "c1", "c2", "?"};

// Depth is that of a pattern somebody wrote by hand.
std::string print_at(const PatternNode& n, bool nested) {
  if (n.kind == PatternNode::Kind::Literal) return fmt::format("{}", n.literal);
  if (n.kind != PatternNode::Kind::Op)
    return n.slot < 0 ? "any" : kSlotNames[static_cast<size_t>(n.slot)];
  if (const std::string_view sign = infix(n.ops); !sign.empty() && n.src.size() == 2) {
    std::string text = print_at(*n.src[0], true) + std::string(sign) + print_at(*n.src[1], true);
    return nested ? "(" + text + ")" : text;
  }
  std::string text;
  for (int i = 0; i < kNumOps; ++i) {
    if ((n.ops & pattern_bit(static_cast<Op>(i))) == 0) continue;
    text += (text.empty() ? "" : "|") + std::string(op_name(static_cast<Op>(i)));
  }
  text += '(';
  for (size_t i = 0; i < n.src.size(); ++i)
    text += (i == 0 ? "" : ", ") + print_at(*n.src[i], false);
  return text + (n.any_sources ? "…)" : ")");
}

}  // namespace

Pattern::Pattern(double literal) noexcept
    : n_(&*pooled({.kind = PatternNode::Kind::Literal, .literal = literal, .src = {}})) {}

Pattern Pattern::as(Pattern placeholder) const noexcept {
  PatternNode n = *n_;
  n.slot = placeholder->slot;
  return pooled(std::move(n));
}

Pattern Pattern::of(DType t) const noexcept {
  PatternNode n = *n_;
  n.dtype = t;
  return pooled(std::move(n));
}

Pattern op(Op op, std::initializer_list<Pattern> src) noexcept {
  PatternNode n{.kind = PatternNode::Kind::Op, .ops = pattern_bit(op), .src = {}};
  for (const Pattern& s : src) n.src.push_back(&*s);
  return pooled(std::move(n));
}

Pattern any_of(std::initializer_list<Op> ops) noexcept {
  PatternNode n{.kind = PatternNode::Kind::Op, .any_sources = true, .src = {}};
  for (Op o : ops) n.ops |= pattern_bit(o);
  return pooled(std::move(n));
}

Pattern any_in(uint32_t groups) noexcept {
  PatternNode n{.kind = PatternNode::Kind::Op, .any_sources = true, .src = {}};
  for (int i = 0; i < kNumOps; ++i) {
    if (in_group(static_cast<Op>(i), groups)) n.ops |= pattern_bit(static_cast<Op>(i));
  }
  return pooled(std::move(n));
}

Pattern operator+(Pattern a, Pattern b) noexcept { return op(Op::Add, {a, b}); }
Pattern operator*(Pattern a, Pattern b) noexcept { return op(Op::Mul, {a, b}); }
Pattern operator/(Pattern a, Pattern b) noexcept { return op(Op::FDiv, {a, b}); }
Pattern operator%(Pattern a, Pattern b) noexcept { return op(Op::Mod, {a, b}); }
Pattern operator&(Pattern a, Pattern b) noexcept { return op(Op::And, {a, b}); }
Pattern operator|(Pattern a, Pattern b) noexcept { return op(Op::Or, {a, b}); }
Pattern operator^(Pattern a, Pattern b) noexcept { return op(Op::Xor, {a, b}); }
Pattern operator!(Pattern a) noexcept { return op(Op::Xor, {a, 1}).of(DType::Bool); }
Pattern idiv(Pattern a, Pattern b) noexcept { return op(Op::IDiv, {a, b}); }
Pattern maximum(Pattern a, Pattern b) noexcept { return op(Op::Max, {a, b}); }
Pattern lt(Pattern a, Pattern b) noexcept { return op(Op::CmpLt, {a, b}); }
Pattern ne(Pattern a, Pattern b) noexcept { return op(Op::CmpNe, {a, b}); }
Pattern shl(Pattern a, Pattern b) noexcept { return op(Op::Shl, {a, b}); }
Pattern shr(Pattern a, Pattern b) noexcept { return op(Op::Shr, {a, b}); }
Pattern where(Pattern c, Pattern a, Pattern b) noexcept { return op(Op::Where, {c, a, b}); }

std::string print(Pattern p) { return print_at(*p, false); }

namespace patterns {
const Pattern x = placeholder(PatternNode::Kind::Any, 0);
const Pattern y = placeholder(PatternNode::Kind::Any, 1);
const Pattern z = placeholder(PatternNode::Kind::Any, 2);
const Pattern w = placeholder(PatternNode::Kind::Any, 3);
const Pattern c0 = placeholder(PatternNode::Kind::Constant, 4);
const Pattern c1 = placeholder(PatternNode::Kind::Constant, 5);
const Pattern c2 = placeholder(PatternNode::Kind::Constant, 6);
const Pattern any = placeholder(PatternNode::Kind::Any, -1);
}  // namespace patterns

}  // namespace tg
