// One walk over the graph in dependence order; see bounded_graph.h.
#include "bounded_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <unordered_map>

#include "support/check.h"
#include "tg/ir/walk.h"
#include "uop/evaluate_tensor.h"
#include "uop/limits.h"
#include "uop/shape.h"

namespace tg::conformance {
namespace {

using Value = std::shared_ptr<const BoundedValue>;

constexpr uint64_t kNowhere = ~uint64_t{0};
constexpr double kMostPlaces = 4;  // that an uncertain index may name and still be followed
constexpr double kTolerance = 2;   // bounds may be missed by this factor

BoundedValue blank(Shape shape, DType t) {
  BoundedValue v{std::move(shape), t, {}, {}, {}};
  const auto n = static_cast<size_t>(numel(v.shape));
  const Element zero = exact_element(Scalar::of_int(0, wide(t)));
  v.bits.assign(n, zero.value.bits());
  v.error.assign(n, 0);
  v.origin.assign(n, zero.origin);
  return v;
}
BoundedValue blank_like(const Node* n) {
  return blank({n->shape().begin(), n->shape().end()}, n->dtype);
}

Element widened(const Scalar& s) {
  return exact_element(is_float(s.dtype()) ? Scalar::of_double(s.f64(), DType::Float64) : s);
}

// The position in `x` that each element of the movement's result comes from, or kNowhere.
std::vector<uint64_t> places_of(const Node* movement, int64_t elements) {
  std::vector<uint64_t> at(static_cast<size_t>(elements));
  for (size_t i = 0; i < at.size(); ++i) at[i] = i;
  return move_elements(movement, at, kNowhere);
}

BoundedValue moved(const Node* n, const BoundedValue& x) {
  BoundedValue out = blank_like(n);
  const std::vector<uint64_t> at = places_of(n, x.numel());
  const std::vector<uint64_t> fill =
      move_elements(n, std::vector<uint64_t>(static_cast<size_t>(x.numel()), 0));
  for (int64_t i = 0; i < out.numel(); ++i) {
    const auto k = static_cast<size_t>(i);
    if (at[k] == kNowhere)
      out.set(i, widened(Scalar::of_bits(fill[k], n->dtype)));
    else
      out.set(i, x.at(static_cast<int64_t>(at[k])));
  }
  return out;
}

// Where the elements of a storage live that a view shows.
struct Storage {
  const Node* node = nullptr;
  Value contents;
};
struct Result {
  Value value;
  Storage storage;
};

class Evaluator {
 public:
  Evaluator(std::span<const UOp> roots, const ContentsOf& contents)
      : contents_(contents), order_(toposort(roots)) {
    for (const Node* n : order_) {
      for (const Node* s : n->src()) ++readers_[s];
    }
    for (const UOp& r : roots) ++readers_[r.node()];
  }

  std::vector<BoundedValue> run(std::span<const UOp> roots) {
    for (const Node* n : order_) {
      results_[n] = node(n);
      for (const Node* s : n->src()) {
        if (--readers_[s] == 0) results_.erase(s);
      }
    }
    std::vector<BoundedValue> out;
    for (const UOp& r : roots) out.push_back(*results_.at(r.node()).value);
    return out;
  }

 private:
  const Result& of(const Node* n) const { return results_.at(n); }
  const BoundedValue& source(const Node* n, size_t i) const { return *of(n->src()[i]).value; }
  static Result made(BoundedValue v) {
    return {std::make_shared<const BoundedValue>(std::move(v)), {}};
  }

  Result node(const Node* n) {
    if (in_group(n->op, kElementwise)) return made(elementwise(n));
    if (in_group(n->op, kMovement)) {
      const Result& from = of(n->src()[0]);
      // Also out of a border: what a store writes there is left out.
      return {made(moved(n, *from.value)).value, from.storage};
    }
    switch (n->op) {
      case Op::Const:
      case Op::Bind: {
        BoundedValue v = blank_like(n);
        v.set(0, widened(Scalar::of_bits(static_cast<uint64_t>(n->arg()[0]), n->dtype)));
        return made(std::move(v));
      }
      case Op::Var:
        return {};
      case Op::Iota:
        return made(iota(n));
      case Op::Buffer: {
        Result r = made(buffer(n));
        r.storage = {n, r.value};
        return r;
      }
      case Op::Gather:
        return made(gather(n));
      case Op::Scatter:
        return made(scatter(n));
      case Op::Reduce:
        return made(reduce(n));
      case Op::Scan:
        return made(scan(n));
      case Op::Copy:
      case Op::Contiguous:
      case Op::Detach:
      case Op::WithGradient:
        return {of(n->src()[0]).value, {}};
      case Op::Store:
        TG_CHECK(of(n->src()[0]).storage.node != nullptr, "bounded: a store to a value");
        return {of(n->src()[1]).value, of(n->src()[0]).storage};
      case Op::After:
        return after(n);
      default:
        TG_CHECK(false, "bounded: {} does not belong into a tensor graph", op_name(n->op));
    }
  }

  BoundedValue buffer(const Node* n) const {
    const TensorValue v = contents_(n);
    BoundedValue out = blank_like(n);
    for (int64_t i = 0; i < out.numel(); ++i) out.set(i, widened(v.at(i)));
    return out;
  }

  static BoundedValue iota(const Node* n) {
    BoundedValue v = blank_like(n);
    const auto axis = static_cast<size_t>(n->arg()[0]);
    const Dim stride = strides_of(n->shape())[axis], extent = n->shape()[axis];
    for (int64_t i = 0; i < v.numel(); ++i)
      v.set(i, widened(Scalar::of_int(i / stride % extent, n->dtype)));
    return v;
  }

  BoundedValue elementwise(const Node* n) const {
    BoundedValue out = blank_like(n);
    std::vector<const BoundedValue*> src;
    std::vector<DType> types;
    for (size_t s = 0; s < n->n_src; ++s) {
      src.push_back(&source(n, s));
      types.push_back(n->src()[s]->dtype);
    }
    std::vector<Element> args(src.size());
    for (int64_t i = 0; i < out.numel(); ++i) {
      for (size_t s = 0; s < src.size(); ++s) args[s] = src[s]->at(i);
      out.set(i, apply(n->op, n->dtype, args, types, n->arg()));
    }
    return out;
  }

  // The flat position in `x` that the index `at` names in place of element p of `idx`; -1: none.
  static int64_t position(const BoundedValue& x, const BoundedValue& idx, size_t axis, int64_t p,
                          int64_t at) {
    if (at < 0 || at >= x.shape[axis]) return -1;
    const Dim inner = strides_of(x.shape)[axis];
    const int64_t outer = p / (inner * idx.shape[axis]);
    return (outer * x.shape[axis] + at) * inner + p % inner;
  }

  // The positions that an index may name which is not certain.
  static std::vector<int64_t> places_near(const BoundedValue& x, const BoundedValue& idx,
                                          size_t axis, int64_t p, const Element& place) {
    std::vector<int64_t> out;
    if (place.exact()) return out;
    const double middle = place.number(), extent = static_cast<double>(x.shape[axis]);
    const auto low = static_cast<int64_t>(std::max(0.0, std::floor(middle - place.error)));
    const auto high = static_cast<int64_t>(std::min(extent - 1, std::ceil(middle + place.error)));
    for (int64_t at = low; at <= high; ++at) out.push_back(position(x, idx, axis, p, at));
    return out;
  }

  BoundedValue gather(const Node* n) const {
    const BoundedValue &x = source(n, 0), &idx = source(n, 1);
    const auto axis = static_cast<size_t>(n->arg()[0]);
    BoundedValue out = blank_like(n);
    const Element zero = exact_element(Scalar::of_int(0, wide(n->dtype)));
    for (int64_t p = 0; p < out.numel(); ++p) {
      const Element place = idx.at(p);
      if (2 * place.error > kMostPlaces) {
        out.set(p, named(unknown_element(n->dtype), name(n, p)));
        continue;
      }
      const auto middle = place.value.i64(), far = static_cast<int64_t>(std::ceil(place.error));
      const auto read = [&](int64_t at) {
        const int64_t from = position(x, idx, axis, p, at);
        return from < 0 ? zero : x.at(from);
      };
      Element e = read(middle);
      for (int64_t at = middle - far; at <= middle + far; ++at) {
        if (at != middle) e = either(n->dtype, e, read(at));
      }
      out.set(p, named(e, name(n, p)));
    }
    return out;
  }

  BoundedValue scatter(const Node* n) const {
    BoundedValue out = source(n, 0);
    const BoundedValue &idx = source(n, 1), &v = source(n, 2);
    const auto axis = static_cast<size_t>(n->arg()[0]);
    const auto how = static_cast<Combine>(n->arg()[1]);
    // Places in storage are added to one after the other, and rounded each time.
    const bool sums = how == Combine::Add && is_float(n->dtype);
    std::unordered_map<int64_t, Sum> added;
    const auto add_to = [&](int64_t at, const Element& e) {
      auto [sum, fresh] = added.try_emplace(at, n->dtype, n->dtype);
      if (fresh) sum->second.add(out.at(at));
      sum->second.add(e);
    };
    for (int64_t p = 0; p < v.numel(); ++p) {
      const Element place = idx.at(p);
      const int64_t at = position(out, idx, axis, p, place.value.i64());
      // Where an uncertain index may point, the value may be missing or one too many.
      for (const int64_t other : places_near(out, idx, axis, p, place)) {
        Element maybe =
            named(unknown_element(n->dtype), mixed(name(n, other), static_cast<uint64_t>(p)));
        if (sums) maybe.error = std::abs(v.at(p).number()) + v.at(p).error;
        if (sums)
          add_to(other, maybe);
        else
          out.set(other, maybe);
      }
      if (at < 0 || (!place.exact() && !sums)) continue;
      if (sums) {
        add_to(at, v.at(p));
      } else if (how == Combine::Set) {
        out.set(at, v.at(p));
      } else {
        const Op op = how == Combine::Add ? Op::Add : how == Combine::Mul ? Op::Mul : Op::Max;
        out.set(at, combined(op, n->dtype, out.at(at), v.at(p)));
      }
    }
    for (const auto& [at, sum] : added) out.set(at, sum.result(name(n, at)));
    return out;
  }

  static Element combined(Op op, DType t, const Element& a, const Element& b) {
    const Element pair[] = {a, b};
    const DType types[] = {t, t};
    return apply(op, t, pair, types, {});
  }
  // An origin of its own.
  static uint64_t name(const Node* n, int64_t i) {
    return mixed(mixed(7, n->hash), static_cast<uint64_t>(i));
  }
  // Equal only to itself, unless it is known to be one element of the source.
  static Element named(Element e, uint64_t origin) {
    if (e.origin == 0) e.origin = origin;
    return e;
  }

  BoundedValue reduce(const Node* n) const {
    const auto op = static_cast<ReduceOp>(n->arg()[0]);
    const BoundedValue& x = source(n, 0);
    BoundedValue out = blank_like(n);
    const bool sums = op == ReduceOp::Add && is_float(n->dtype);
    const bool multiplies = op == ReduceOp::Mul && is_float(n->dtype);
    std::vector<Sum> sum(sums ? out.bits.size() : 0, Sum(n->dtype, accumulator(n->dtype)));
    std::vector<Factors> factors(multiplies ? out.bits.size() : 0);
    const Element first = widened(reduce_identity(op, n->dtype));
    for (int64_t i = 0; i < out.numel(); ++i) out.set(i, first);
    const std::vector<Dim> from = strides_of(x.shape), to = strides_of(out.shape);
    for (int64_t i = 0; i < x.numel(); ++i) {
      int64_t at = 0;
      for (size_t a = 0; a < from.size(); ++a)
        at += i / from[a] % x.shape[a] % out.shape[a] * to[a];
      if (sums)
        sum[static_cast<size_t>(at)].add(x.at(i));
      else
        out.set(at, combined(reduce_alu(op), n->dtype, out.at(at), x.at(i)));
      if (multiplies) factors[static_cast<size_t>(at)].add(x.at(i));
    }
    for (int64_t i = 0; multiplies && i < out.numel(); ++i) {
      if (factors[static_cast<size_t>(i)].may_leave(n->dtype))
        out.set(i, named(unknown_element(n->dtype), name(n, i)));
    }
    for (int64_t i = 0; sums && i < out.numel(); ++i)
      out.set(i, sum[static_cast<size_t>(i)].result(name(n, i)));
    return out;
  }

  // Every prefix is a sum or product of its own.
  BoundedValue scan(const Node* n) const {
    const auto op = static_cast<ReduceOp>(n->arg()[0]);
    const BoundedValue& x = source(n, 0);
    BoundedValue out = blank_like(n);
    const auto axis = static_cast<size_t>(n->arg()[1]);
    const Dim stride = strides_of(x.shape)[axis], length = x.shape[axis];
    const auto name_of = [&](int64_t i) { return name(n, i); };
    for (int64_t first = 0; first < x.numel(); ++first) {
      if (first / stride % length != 0) continue;
      Sum sum(n->dtype, accumulator(n->dtype));
      Factors factors;
      Element so_far = widened(reduce_identity(op, n->dtype));
      for (int64_t i = first; i < first + length * stride; i += stride) {
        sum.add(x.at(i));
        factors.add(x.at(i));
        so_far = combined(reduce_alu(op), n->dtype, so_far, x.at(i));
        const bool sums = op == ReduceOp::Add && is_float(n->dtype);
        const bool leaves =
            op == ReduceOp::Mul && is_float(n->dtype) && factors.may_leave(n->dtype);
        out.set(i, sums     ? sum.result(name_of(i))
                   : leaves ? named(unknown_element(n->dtype), name_of(i))
                            : so_far);
      }
    }
    return out;
  }

  // ---- views and versions, as in the evaluator without bounds
  static std::vector<const Node*> view_chain(const Node* view, const Node* storage) {
    std::vector<const Node*> chain;
    for (const Node* n = view; n != storage; n = n->src()[0]) {
      if (n->op != Op::After) chain.push_back(n);
    }
    return chain;
  }
  static const Node* buffer_of(const Node* n) {
    while (n->op != Op::Buffer && n->n_src > 0) n = n->src()[0];
    return n;
  }

  Storage written(const Node* after, const Storage& old) const {
    BoundedValue now = *old.contents;
    Value version = old.contents;
    for (const Node* effect : after->src().subspan(1)) {
      if (effect->op != Op::Store) continue;
      const Result& store = of(effect);
      if (buffer_of(store.storage.node) != buffer_of(old.node)) continue;
      if (store.storage.contents != version) {
        version = store.storage.contents;
        now = *version;
      }
      std::vector<uint64_t> at(now.bits.size());
      for (size_t i = 0; i < at.size(); ++i) at[i] = i;
      const auto chain = view_chain(effect->src()[0], store.storage.node);
      for (auto n = chain.rbegin(); n != chain.rend(); ++n) at = move_elements(*n, at, kNowhere);
      for (size_t i = 0; i < at.size(); ++i) {
        if (at[i] != kNowhere)
          now.set(static_cast<int64_t>(at[i]), store.value->at(static_cast<int64_t>(i)));
      }
    }
    return {after, std::make_shared<const BoundedValue>(std::move(now))};
  }

  Result after(const Node* n) const {
    const Node* x = n->src()[0];
    const Storage& old = of(x).storage;
    if (old.node == nullptr) return {of(x).value, {}};
    Storage fresh = written(n, old);
    if (old.node == x) return {fresh.contents, fresh};
    BoundedValue v = *fresh.contents;
    const auto chain = view_chain(x, old.node);
    for (auto m = chain.rbegin(); m != chain.rend(); ++m) v = moved(*m, v);
    return {std::make_shared<const BoundedValue>(std::move(v)), {old.node, fresh.contents}};
  }

  const ContentsOf& contents_;
  std::vector<const Node*> order_;
  std::unordered_map<const Node*, size_t> readers_;
  std::unordered_map<const Node*, Result> results_;
};

bool within(const Scalar& got, const Element& want) {
  const double g = got.as_double(), w = want.number();
  if (std::isnan(g) || std::isnan(w)) return std::isnan(g) && std::isnan(w);
  if (g == w) return true;
  return std::abs(g - w) <= kTolerance * want.error;
}

// Integers as they are: doubles do not hold all of 64 bits.
bool agrees(const Scalar& got, const Element& want, DType t) {
  if (!is_float(t) && want.exact()) return got.bits() == want.value.bits();
  return within(got, want);
}

}  // namespace

std::vector<BoundedValue> evaluate_bounded(std::span<const UOp> roots, const ContentsOf& contents) {
  return Evaluator(roots, contents).run(roots);
}

Judgement judge(const TensorValue& got, const BoundedValue& want) {
  Judgement j;
  if (got.shape != want.shape || got.dtype != want.dtype) {
    j.difference = fmt::format("{}{}, not {}{}", dtype_name(got.dtype), format_shape(got.shape),
                               dtype_name(want.dtype), format_shape(want.shape));
    return j;
  }
  for (int64_t i = 0; i < got.numel(); ++i) {
    const Element e = want.at(i);
    if (e.error == kUnknown || (is_bool(want.dtype) && !e.exact())) {
      ++j.unknown;
      continue;
    }
    ++j.judged;
    if (!j.difference.empty() || agrees(got.at(i), e, want.dtype)) continue;
    j.difference = fmt::format("element {} is {}, not {}", i, got.at(i).str(), e.value.str());
    if (!e.exact()) j.difference += fmt::format(" (± {:.2g})", kTolerance * e.error);
  }
  return j;
}

}  // namespace tg::conformance
