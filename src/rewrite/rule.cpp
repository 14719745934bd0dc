// Matching, building, and the index of a rule set; see rule.h.
#include "tg/ir/rule.h"

#include <cmath>
#include <unordered_set>

#include "support/check.h"

namespace tg {
namespace {

bool in_class(DType t, DTypeClass c) {
  switch (c) {
    case DTypeClass::Integer:
      return is_int(t);
    case DTypeClass::IntegerOrBool:
      return is_int(t) || is_bool(t);
    case DTypeClass::Bool:
      return is_bool(t);
    case DTypeClass::Float:
      return is_float(t);
    case DTypeClass::NotFloat:
      return !is_float(t);
  }
  return false;
}

bool has_literal(const Node* constant, double literal) {
  const Scalar is = Scalar::of_bits(static_cast<uint64_t>(constant->arg()[0]), constant->dtype);
  if (is_float(constant->dtype)) return is == Scalar::of_double(literal, constant->dtype);
  const Scalar wanted = Scalar::of_int(static_cast<int64_t>(literal), constant->dtype);
  return literal == static_cast<double>(static_cast<int64_t>(literal)) && is == wanted &&
         (literal != 0 || !std::signbit(literal));
}

// A match in progress: pairs still to be compared, the last first. Sized for hand-written patterns.
class Matcher {
 public:
  explicit Matcher(Match& m) : m_(m) {}

  bool run(const PatternNode* p, const Node* n) {
    push(p, n);
    return rest();
  }

 private:
  static constexpr size_t kMostPairs = 64;
  struct Pair {
    const PatternNode* p;
    const Node* n;
  };

  void push(const PatternNode* p, const Node* n) {
    TG_CHECK(depth_ < kMostPairs, "a pattern has more than {} nodes", kMostPairs);
    pairs_[depth_++] = {p, n};
  }

  // Matches all pending pairs; on failure bindings and pairs are as before.
  bool rest() {
    if (depth_ == 0) return true;
    const auto [p, n] = pairs_[--depth_];
    const Node* before = p->slot >= 0 ? m_.slots_[static_cast<size_t>(p->slot)] : nullptr;
    const bool fits = (before == nullptr || before == n) && head_fits(*p, n);
    if (fits) {
      if (p->slot >= 0) m_.slots_[static_cast<size_t>(p->slot)] = n;
      if (sources(*p, n)) return true;
      if (p->slot >= 0) m_.slots_[static_cast<size_t>(p->slot)] = before;
    }
    pairs_[depth_++] = {p, n};
    return false;
  }

  static bool head_fits(const PatternNode& p, const Node* n) {
    switch (p.kind) {
      case PatternNode::Kind::Any:
        return true;
      case PatternNode::Kind::Constant:
        return constant_under(n) != nullptr;
      case PatternNode::Kind::Literal: {
        const Node* c = constant_under(n);
        return c != nullptr && has_literal(c, p.literal);
      }
      case PatternNode::Kind::Op:
        return (p.ops & pattern_bit(n->op)) != 0 &&
               (p.dtype == DType::Void || p.dtype == n->dtype) &&
               (p.any_sources || p.src.size() == n->n_src);
    }
    return false;
  }

  bool sources(const PatternNode& p, const Node* n) {
    if (p.kind != PatternNode::Kind::Op || p.any_sources) return rest();
    const size_t depth = depth_;
    for (size_t i = p.src.size(); i-- > 0;) push(p.src[i], n->src()[i]);
    if (rest()) return true;
    depth_ = depth;
    if (p.src.size() != 2 || !in_group(n->op, kCommutative)) return false;
    push(p.src[1], n->src()[0]);
    push(p.src[0], n->src()[1]);
    if (rest()) return true;
    depth_ = depth;
    return false;
  }

  Match& m_;
  size_t depth_ = 0;
  std::array<Pair, kMostPairs> pairs_;  // left uninitialised: filled up to depth_
};

Op only_op(const PatternNode& p) {
  for (int i = 0; i < kNumOps; ++i) {
    if (p.ops != 0 && p.ops == pattern_bit(static_cast<Op>(i))) return static_cast<Op>(i);
  }
  TG_CHECK(false, "the right side of a rule must name its ops: {}", print(Pattern(&p)));
}

Scalar literal_of(double v, DType t) {
  return is_float(t) ? Scalar::of_double(v, t) : Scalar::of_int(static_cast<int64_t>(v), t);
}

// Depth is that of a pattern somebody wrote by hand.
UOp build(const PatternNode& p, const Match& m, const Node* like) {
  if (p.kind == PatternNode::Kind::Literal)
    return spread_like(like, literal_of(p.literal, like->dtype));
  const bool leaf = p.kind != PatternNode::Kind::Op;
  if (leaf && p.slot >= 0 && m.slot(p.slot) != nullptr) return UOp::share(m.slot(p.slot));
  TG_CHECK(p.kind == PatternNode::Kind::Op, "{} is not bound on the left side", print(Pattern(&p)));
  std::vector<UOp> src(p.src.size());
  const bool selects = only_op(p) == Op::Where;
  const Node* sibling = nullptr;
  for (size_t i = src.size(); i-- > 0;) {
    if (p.src[i]->kind == PatternNode::Kind::Literal) continue;
    src[i] = build(*p.src[i], m, like);
    if (i > 0 || !selects) sibling = src[i].node();
  }
  if (sibling == nullptr) sibling = like;
  for (size_t i = 0; i < src.size(); ++i) {
    if (src[i]) continue;
    const DType t = selects && i == 0 ? DType::Bool : sibling->dtype;
    src[i] = spread_like(sibling, literal_of(p.src[i]->literal, t));
  }
  return make(only_op(p), src, {}, p.dtype);
}

}  // namespace

UOp Match::operator[](Pattern placeholder) const {
  return placeholder->slot < 0 ? UOp{} : UOp::share(slot(placeholder->slot));
}

const Node* constant_under(const Node* n) {
  while (n->op == Op::Reshape || n->op == Op::Expand || n->op == Op::Permute || n->op == Op::Splat)
    n = n->src()[0];
  return n->op == Op::Const ? n : nullptr;
}

UOp spread_like(const Node* n, const Scalar& v) {
  if (n->lanes > 1) return make(Op::Splat, {constant(v)}, {{n->lanes}});
  return full({n->shape().begin(), n->shape().end()}, v);
}

bool match(Pattern p, const Node* n, Match& out) {
  out = Match{};
  out.root_ = n;
  return Matcher(out).run(&*p, n);
}

UOp instantiate(Pattern p, const Match& m) { return build(*p, m, m.root_); }

Rule::Rule(std::string_view name, Pattern lhs, Pattern rhs)
    : name_(name), lhs_(lhs), rhs_(rhs), hits_(std::make_shared<std::atomic<int64_t>>(0)) {}
Rule::Rule(std::string_view name, Pattern lhs, RuleFn fn) : Rule(name, lhs, lhs) { fn_ = fn; }

bool Rule::matches(const Node* n, Match& m) const {
  if (!match(lhs_, n, m)) return false;
  for (const Condition& c : conditions_) {
    const Node* bound = c.slot < 0 ? n : m.slot(c.slot);
    if (bound == nullptr || !in_class(bound->dtype, c.of)) return false;
  }
  return predicate_ == nullptr || predicate_(m);
}

UOp Rule::apply(const Node* n) const {
  Match m;
  if (!matches(n, m)) return {};
  UOp result = fn_ != nullptr ? fn_(m) : instantiate(rhs_, m);
  if (!result || result.node() == n) return {};
  hits_->fetch_add(1, std::memory_order_relaxed);
  return result;
}

std::string Rule::print() const {
  return fmt::format("{}: {} -> {}", name_, tg::print(lhs_),
                     is_data() ? tg::print(rhs_) : "(computed)");
}

RuleSet::RuleSet(std::initializer_list<Rule> rules) : rules_(rules) { index(); }

RuleSet operator+(const RuleSet& a, const RuleSet& b) {
  RuleSet sum = a;
  sum.rules_.insert(sum.rules_.end(), b.rules_.begin(), b.rules_.end());
  sum.index();
  return sum;
}

void RuleSet::index() {
  std::unordered_set<std::string_view> names;
  for (auto& list : by_op_) list.clear();
  for (uint32_t i = 0; i < rules_.size(); ++i) {
    const PatternNode& p = *rules_[i].lhs();
    TG_CHECK(names.insert(rules_[i].name()).second, "two rules are named {}", rules_[i].name());
    TG_CHECK(p.kind == PatternNode::Kind::Op, "{} must start with an op", rules_[i].print());
    uint64_t needed = 0;
    for (const PatternNode* s : p.src) {
      const bool one = s->kind == PatternNode::Kind::Op && (s->ops & (s->ops - 1)) == 0;
      if (one) needed |= s->ops;
    }
    for (int o = 0; o < kNumOps; ++o) {
      if ((p.ops & pattern_bit(static_cast<Op>(o))) != 0)
        by_op_[static_cast<size_t>(o)].push_back({i, needed});
    }
  }
}

UOp RuleSet::apply(const Node* n, const Rule** by) const {
  const std::vector<Entry>& entries = by_op_[static_cast<size_t>(n->op)];
  if (entries.empty()) return {};
  uint64_t source_ops = 0;
  for (const Node* s : n->src()) source_ops |= pattern_bit(s->op);
  for (const Entry& e : entries) {
    if ((e.source_ops & ~source_ops) != 0) continue;
    UOp result = rules_[e.rule].apply(n);
    if (!result) continue;
    if (by != nullptr) *by = &rules_[e.rule];
    return result;
  }
  return {};
}

const Rule* RuleSet::find(std::string_view name) const {
  for (const Rule& r : rules_) {
    if (r.name() == name) return &r;
  }
  return nullptr;
}

}  // namespace tg
