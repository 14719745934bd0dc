// See decompose.h: the walk, and which node becomes what. The arithmetic is in math.h and
// small_float.h.
#include "codegen/decompose/decompose.h"

#include <array>
#include <unordered_map>

#include "codegen/decompose/compositions.h"
#include "codegen/decompose/held_formats.h"
#include "codegen/decompose/lanes.h"
#include "codegen/decompose/math.h"
#include "codegen/decompose/small_float.h"
#include "support/check.h"
#include "tg/ir/walk.h"

namespace tg {
namespace {

using namespace lanes;

using Sources = std::span<const UOp>;
using ExpandFn = UOp (*)(Sources src, IntSpan arg, const Target& target);

/// Ops that can be written in others.
struct Expansion {
  Op op;
  ExpandFn expand;
};

UOp expand_exp2(Sources s, IntSpan, const Target&) { return exp2_polynomial(s[0]); }
UOp expand_log2(Sources s, IntSpan, const Target&) { return log2_polynomial(s[0]); }
UOp expand_sin(Sources s, IntSpan, const Target& target) { return sin_polynomial(s[0], target); }
UOp expand_threefry(Sources s, IntSpan arg, const Target&) {
  return threefry_rounds(s[0], s[1], s[2], s[3], static_cast<int>(arg[0]));
}
UOp expand_fma(Sources s, IntSpan, const Target&) { return s[0] * s[1] + s[2]; }
UOp expand_max(Sources s, IntSpan, const Target&) {
  const UOp less = lt(s[0], s[1]);
  return where(is_float(s[0].dtype()) ? either(less, is_nan(s[1])) : less, s[1], s[0]);
}

constexpr std::array<Expansion, 6> kExpansions = {{
    {Op::Exp2, expand_exp2},
    {Op::Log2, expand_log2},
    {Op::Sin, expand_sin},
    {Op::Threefry, expand_threefry},
    {Op::Fma, expand_fma},
    {Op::Max, expand_max},
}};

// Ops that only move or choose values: they need no arithmetic in their dtype, and no rounding.
bool moves(Op op) { return op == Op::Where || op == Op::Cast || op == Op::Bitcast; }

class Decomposer {
 public:
  explicit Decomposer(const Target& target) : target_(target) {}

  UOp visit(const UOp& u) {
    std::vector<UOp> src;
    src.reserve(static_cast<size_t>(u.n_src()));
    for (const Node* s : u.node()->src()) src.push_back(done_.at(s));
    held_.visit(u);
    UOp out = u.space() != Space::Value && !u.is(Op::Stage) ? with_sources(u, src) : value(u, src);
    return done_[u.node()] = std::move(out);
  }

  /// What a root became, in its own dtype.
  UOp result(const UOp& root) const {
    const UOp& out = done_.at(root.node());
    return is_small(root.dtype()) && out.dtype() != root.dtype() && out.space() == Space::Value
               ? narrow_small_float(out, root.dtype())
               : out;
  }

 private:
  bool is_small(DType t) const {
    return is_float(t) && t != DType::Float32 && t != DType::Float64 && !target_.supports(t);
  }

  UOp value(const UOp& u, Sources src) {
    const bool small = is_small(u.dtype());
    switch (u.op()) {
      case Op::Const:
        return small ? constant(u.scalar().f64(), DType::Float32) : u;
      case Op::Load:
        return loaded(with_sources(u, src));
      case Op::Store:
        return stored(u, src);
      case Op::Cast:
        return converted(u, src[0]);
      case Op::Bitcast:
        return reinterpreted(u, src[0]);
      case Op::Reduce:
      case Op::VReduce: {
        const UOp out = with_sources(u, src);
        const bool rounds = small && static_cast<ReduceOp>(u.arg(0)) != ReduceOp::Max;
        return rounds ? round_small_float(out, u.dtype()) : out;
      }
      default:
        break;
    }
    if (!in_group(u.op(), kElementwise)) return with_sources(u, src);
    const UOp out = elementwise(u, src);
    return small && !keeps_format(u, u.dtype()) ? round_small_float(out, u.dtype()) : out;
  }

  UOp elementwise(const UOp& u, Sources src) {
    const DType t = src[0].dtype();
    TG_CHECK(moves(u.op()) || t == DType::Index || target_.supports(t),
             "{} of {}: the target has no arithmetic in {}", op_name(u.op()),
             dtype_name(u.src_node(0)->dtype), dtype_name(t));
    if (UOp whole = recognised_composition(u.op(), src[0], target_)) return whole;
    if (u.is(Op::Add)) {
      if (const UOp x = magnitude_source(u)) return magnitude(done_.at(x.node()));
    }
    if (target_.supports(u.op())) return with_sources(u, src);
    for (const Expansion& e : kExpansions) {
      if (e.op == u.op()) return e.expand(src, u.arg(), target_);
    }
    TG_CHECK(false, "{} of {}: the target lacks the op and nothing replaces it", op_name(u.op()),
             dtype_name(t));
    return {};
  }

  UOp loaded(const UOp& load) const {
    return is_small(load.dtype()) ? widen_small_float(load) : load;
  }

  // A combining store of a small float is a load, the operation on float32 and a plain store.
  UOp stored(const UOp& u, Sources src) const {
    const size_t at = u.arg().size() == 1 ? 1 + static_cast<size_t>(src[0].ndim()) : 2;
    const DType t = src[0].dtype();
    std::vector<UOp> out(src.begin(), src.end());
    if (!is_small(t)) return with_sources(u, out);
    const auto combine = static_cast<Combine>(u.arg(0));
    if (combine == Combine::Set) {
      out[at] = narrow_small_float(src[at], t);
      return with_sources(u, out);
    }
    TG_CHECK(src[1].lanes() == 1, "a scatter that combines {} on a target without arithmetic in it",
             dtype_name(t));
    std::vector<UOp> place(src.begin(), src.begin() + static_cast<ptrdiff_t>(at));
    if (src.size() > at + 1) place.push_back(src[at + 1]);
    std::vector<int64_t> load_arg, store_arg(u.arg().begin(), u.arg().end());
    if (u.arg().size() > 1) load_arg = {src[at].lanes(), u.arg(1)};
    store_arg[0] = static_cast<int64_t>(Combine::Set);
    const UOp old = widen_small_float(make(Op::Load, place, load_arg));
    UOp sum = combine == Combine::Add   ? old + src[at]
              : combine == Combine::Mul ? old * src[at]
                                        : maximum(old, src[at]);
    if (combine == Combine::Max && !target_.supports(Op::Max))
      sum = expand_max(std::array<UOp, 2>{old, src[at]}, {}, target_);
    out[at] = narrow_small_float(round_small_float(sum, t), t);
    return make(Op::Store, out, store_arg);
  }

  UOp converted(const UOp& u, const UOp& x) const {
    const DType from = u.src_node(0)->dtype, to = u.dtype();
    if (is_small(to)) {
      if (is_bool(from)) return cast(x, DType::Float32);
      if (from == DType::Float32 && held_.holds(u.src(0), to)) return x;
      const bool is_single = x.dtype() == DType::Float32;
      return round_small_float(is_single ? x : to_odd_float32(x), to);
    }
    return cast(x, to);
  }

  UOp reinterpreted(const UOp& u, const UOp& x) const {
    const DType from = u.src_node(0)->dtype, to = u.dtype();
    const UOp bits = is_small(from) ? narrow_small_float(x, from) : x;
    const UOp out = bitcast(bits, to);
    return is_small(to) ? widen_small_float(out) : out;
  }

  const Target& target_;
  HeldFormats held_;
  std::unordered_map<const Node*, UOp> done_;
};

}  // namespace

std::vector<UOp> decompose(std::span<const UOp> roots, const Target& target) {
  Decomposer work(target);
  for (const Node* n : toposort(roots)) work.visit(UOp::share(n));
  std::vector<UOp> out;
  for (const UOp& r : roots) out.push_back(work.result(r));
  return out;
}

UOp decompose(const UOp& root, const Target& target) {
  return decompose(std::span(&root, 1), target)[0];
}

}  // namespace tg
