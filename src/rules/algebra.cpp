// The rules of algebra.h. Each name says the algebra; floats appear only where the identity holds
// for every value, including NaN, infinities and both zeros: x + 0 is no identity for x = -0.0, x +
// (-0.0) is one.
#include "rules/algebra.h"

#include <algorithm>
#include <cmath>

namespace tg {

namespace {

// Of two zeros that differ in sign, max gives its first operand: for floats, operands of max keep
// their order.
constexpr auto first_or_no_zero_sign = [](const Match& m) {
  return !is_float(m.root().dtype()) || m.root().src_node(0) == m[patterns::z].node();
};

}  // namespace

// clang-format off: a table of rules is read in columns.
const RuleSet& identity_rules() {
  using namespace patterns;
  static const RuleSet set = {
      // sums and products
      rule("add-zero",           x + 0,                      x).when(is_integer_or_bool(x)),
      rule("add-negative-zero",  x + -0.0,                   x).when(is_float(x)),
      rule("mul-one",            x * 1,                      x),
      rule("mul-zero",           x * 0,                      0).when(is_integer_or_bool(x)),
      rule("negate-twice",       (x * -1) * -1,              x),
      rule("add-constants",      (x + c0) + c1,              x + (c0 + c1)).when(is_integer(x)),
      rule("mul-constants",      (x * c0) * c1,              x * (c0 * c1)).when(is_integer(x)),
      rule("add-negated",        x + x * -1,                 0).when(is_integer(x)),
      // quotients; division by zero is 0 for integers
      rule("div-one",            x / 1,                      x),
      rule("idiv-one",           idiv(x, 1),                 x).when(is_integer(x)),
      rule("idiv-zero",          idiv(x, 0),                 0),
      rule("mod-one",            x % 1,                      0).when(is_integer(x)),
      rule("mod-zero",           x % 0,                      0),
      rule("mod-self",           x % x,                      0),
      rule("zero-idiv",          idiv(0, x),                 0),
      rule("zero-mod",           0 % x,                      0),
      // bits
      rule("and-self",           x & x,                      x),
      rule("and-zero",           x & 0,                      0),
      rule("and-ones",           x & -1,                     x).when(is_integer(x)),
      rule("and-true",           x & 1,                      x).when(is_bool(x)),
      rule("and-not-self",       x & (x ^ 1),                0).when(is_bool(x)),
      rule("and-absorbs-or",     x & (x | y),                x),
      rule("or-self",            x | x,                      x),
      rule("or-zero",            x | 0,                      x),
      rule("or-true",            x | 1,                      1).when(is_bool(x)),
      rule("or-not-self",        x | (x ^ 1),                1).when(is_bool(x)),
      rule("or-absorbs-and",     x | (x & y),                x),
      rule("xor-self",           x ^ x,                      0),
      rule("xor-zero",           x ^ 0,                      x),
      rule("xor-twice",          (x ^ y) ^ y,                x),
      rule("shl-zero",           shl(x, 0),                  x),
      rule("shr-zero",           shr(x, 0),                  x),
      // order
      rule("max-self",           maximum(x, x),              x),
      rule("max-again",          maximum(maximum(x, y).as(z), y), z).when(first_or_no_zero_sign),
      rule("lt-self",            lt(x, x),                   0).when(is_not_float(x)),
      rule("ne-self",            ne(x, x),                   0).when(is_not_float(x)),
      rule("ne-false",           ne(x, 0),                   x).when(is_bool(x)),
      rule("ne-true",            ne(x, 1),                   x ^ 1).when(is_bool(x)),
      // selection
      rule("where-same-arms",    where(x, y, y),           y),
      rule("where-true",         where(1, x, y),             x),
      rule("where-false",        where(0, x, y),             y),
      rule("where-not",          where(x ^ 1, y, z),         where(x, z, y)),
      rule("where-of-truth",     where(x, 1, 0),             x).when(is_bool(any)),
      rule("where-of-falsehood", where(x, 0, 1),             x ^ 1).when(is_bool(any)),
      rule("where-where-true",   where(x, where(x, y, z), w), where(x, y, w)),
      rule("where-where-false",  where(x, y, where(x, z, w)), where(x, y, w)),
  };
  return set;
}
// clang-format on

namespace {

// Every source a constant: the value by the record, spread like the node.
UOp fold(const Match& m) {
  const Node* n = m.root_;
  const OpRecord& r = record(n->op);
  std::vector<Scalar> src;
  for (const Node* s : n->src()) {
    const Node* c = constant_under(s);
    if (c == nullptr) return {};
    src.push_back(Scalar::of_bits(static_cast<uint64_t>(c->arg()[0]), c->dtype));
  }
  return r.eval == nullptr ? UOp{} : spread_like(n, r.eval(src, n->dtype, n->arg()));
}

// Constants stand second in commutative operations, so that equal expressions are one node.
UOp constant_second(const Match& m) {
  const UOp n = m.root();
  // Which of two zeros a max gives depends on the order.
  if (n.is(Op::Max) && is_float(n.dtype())) return {};
  if (constant_under(n.src_node(0)) == nullptr || constant_under(n.src_node(1)) != nullptr)
    return {};
  return make(n.op(), {n.src(1), n.src(0)});
}

// cast<C>(cast<B>(x)) = cast<C>(x) if B holds every value of x.
UOp join_casts(const Match& m) {
  const UOp outer = m.root(), inner = outer.src(0), x = inner.src(0);
  return cast_is_exact(x.dtype(), inner.dtype()) ? cast(x, outer.dtype()) : UOp{};
}

UOp drop_cast(const Match& m) {
  const UOp n = m.root();
  return n.dtype() == n.src(0).dtype() ? n.src(0) : UOp{};
}

// A middle type of floats is left alone: reading bits as a float may change which NaN they are.
UOp join_bitcasts(const Match& m) {
  const UOp outer = m.root(), inner = outer.src(0);
  return is_float(inner.dtype()) ? UOp{} : bitcast(inner.src(0), outer.dtype());
}

// where(c, x, y) ? … in a cast: the arms are constants, so the cast folds into them.
UOp cast_into_where(const Match& m) {
  const UOp n = m.root(), w = n.src(0);
  if (constant_under(w.src_node(1)) == nullptr || constant_under(w.src_node(2)) == nullptr)
    return {};
  return where(w.src(0), cast(w.src(1), n.dtype()), cast(w.src(2), n.dtype()));
}

bool is_infinite(const Node* n) {
  const Node* c = constant_under(n);
  return c != nullptr && is_float(c->dtype) && std::isinf(UOp::share(c).scalar().as_double());
}

// f(c ? x : ∞) = c ? f(x) : f(∞), and the same of the other arm and of -∞: how masks are written.
// What the constant becomes is known then, often a 0 that a sum may leave out.
UOp into_choice(const Match& m) {
  const UOp n = m.root(), choice = n.src(0);
  if (!is_infinite(choice.src_node(1)) && !is_infinite(choice.src_node(2))) return {};
  std::vector<UOp> src = n.srcs();
  const auto of_arm = [&](int arm) {
    src[0] = choice.src(arm);
    return make(n.op(), src, n.arg(), n.dtype());
  };
  return where(choice.src(0), of_arm(1), of_arm(2));
}

// Bits of the integer values that `t` holds exactly, as a float's significand; 0 for other dtypes.
int significand_bits(DType t) {
  switch (t) {
    case DType::Float64:
      return 53;
    case DType::Float32:
      return 24;
    case DType::Float16:
      return 11;
    case DType::BFloat16:
      return 8;
    default:
      return 0;
  }
}

}  // namespace

bool cast_is_exact(DType from, DType to) {
  if (from == to || is_bool(from)) return to != DType::Void;
  const int64_t from_size = dtype_size(from), to_size = dtype_size(to);
  if (is_float(from)) {
    if (to == DType::Float64) return true;
    return to == DType::Float32 && from_size < 4;
  }
  if (from == DType::Index || !is_int(from)) return false;
  const int bits = static_cast<int>(from_size) * 8;
  if (is_float(to)) return bits <= significand_bits(to);
  if (to == DType::Index) return from != DType::UInt64;
  if (!is_int(to)) return false;
  if (is_unsigned(from) == is_unsigned(to)) return to_size >= from_size;
  return is_unsigned(from) && to_size > from_size;
}

const RuleSet& folding_rules() {
  using namespace patterns;
  static const RuleSet set = {
      rule("fold-constants", any_in(kElementwise), [](const Match& m) { return fold(m); }),
      rule("constant-second", any_in(kCommutative),
           [](const Match& m) { return constant_second(m); }),
      rule("exp2-into-choice", op(Op::Exp2, {op(Op::Where, {x, y, z})}),
           [](const Match& m) { return into_choice(m); }),
      rule("scale-into-choice", op(Op::Mul, {op(Op::Where, {x, y, z}), c0}),
           [](const Match& m) { return into_choice(m); }),
  };
  return set;
}

const RuleSet& conversion_rules() {
  using namespace patterns;
  static const RuleSet set = {
      rule("cast-to-itself", op(Op::Cast, {x}), [](const Match& m) { return drop_cast(m); }),
      rule("cast-of-cast", op(Op::Cast, {op(Op::Cast, {x})}),
           [](const Match& m) { return join_casts(m); }),
      rule("cast-of-where", op(Op::Cast, {op(Op::Where, {x, y, z})}),
           [](const Match& m) { return cast_into_where(m); }),
      rule("bitcast-to-itself", op(Op::Bitcast, {x}), [](const Match& m) { return drop_cast(m); }),
      rule("bitcast-of-bitcast", op(Op::Bitcast, {op(Op::Bitcast, {x})}),
           [](const Match& m) { return join_bitcasts(m); }),
  };
  return set;
}

const RuleSet& simple_rules() {
  static const RuleSet set = folding_rules() + identity_rules() + conversion_rules();
  return set;
}

UOp simplify(const UOp& root) { return rewrite_fixpoint(root, simple_rules()); }

}  // namespace tg
