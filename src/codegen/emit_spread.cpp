// Quotients and remainders that lanes differ in by numbers that are known, as in x[(i + 1) div 2].
// In a load, the few neighbours are loaded together and a shuffle gives each lane its own, where a
// gather would read every lane's element by itself; in a comparison, the mask is known, or lanes
// compare small numbers with one limit. Where lanes turn into such numbers: quotient_turns.h.
#include <algorithm>

#include "codegen/emitter.h"
#include "tg/ir/interval.h"
#include "tg/ir/walk.h"

namespace tg {
namespace {
constexpr int64_t kFarthest = 1 << 16;  // between lanes: numbers of 32 bits say where they are
}

// Lanes of sums and of quotients of sums. What all lanes share is taken out of a quotient, s(lane)
// being any number:
//   (c·S + s(lane)) div c = S + s(lane) div c
//   (c·S + s(lane)) mod c = s(lane) mod c
// Nothing if that is not all there is on lanes, or if there is no quotient.
std::optional<Emitter::SpreadLanes> Emitter::spread_lanes(const Affine& index, const Point& point,
                                                          int lanes) const {
  const auto counts = [&](const Affine::Term& t) {
    return (deps(t.term) & vector_) != 0 && !t.term.is(Op::Range);
  };
  if (!index.ok || std::ranges::none_of(index.terms, counts)) return {};
  std::vector<UOp> roots;
  for (const Affine::Term& t : index.terms) roots.push_back(t.term);
  SpreadQuotients known;
  for (const Node* n : toposort(roots)) {
    if ((n->op != Op::IDiv && n->op != Op::Mod) || n->dtype != DType::Index) continue;
    if (auto spread = spread_quotient(n, point, lanes, known)) known.emplace(n, *std::move(spread));
  }
  return spread_sum(index, point, lanes, known);
}

std::optional<Emitter::SpreadLanes> Emitter::spread_quotient(const Node* n, const Point& point,
                                                             int lanes,
                                                             const SpreadQuotients& known) const {
  const Node* divisor = n->src()[1];
  if (divisor->op != Op::Const || divisor->arg()[0] <= 0) return {};
  const int64_t by = divisor->arg()[0];
  auto out = spread_sum(Affine::of(UOp::share(n->src()[0])), point, lanes, known);
  if (!out) return {};
  for (int64_t& l : out->offset) l += out->shared.constant;
  out->shared.constant = 0;
  for (Affine::Term& t : out->shared.terms) {
    if (t.coef % by != 0) return {};
    t.coef /= by;
  }
  const bool quotient = n->op == Op::IDiv;
  if (!quotient) out->shared.terms.clear();
  for (int64_t& l : out->offset) l = quotient ? floor_div(l, by) : floor_mod(l, by);
  return out;
}

std::optional<Emitter::SpreadLanes> Emitter::spread_sum(const Affine& sum, const Point& point,
                                                        int lanes,
                                                        const SpreadQuotients& known) const {
  if (!sum.ok) return {};
  SpreadLanes out{.shared = Affine::of_constant(sum.constant),
                  .offset = std::vector<int64_t>(static_cast<size_t>(lanes))};
  for (const Affine::Term& t : sum.terms) {
    const bool on_lanes = (deps(t.term) & vector_) != 0;
    const int leaf = t.term.is(Op::Range) ? k_.leaf_of(t.term.node()) : -1;
    if (const auto quotient = known.find(t.term.node()); quotient != known.end()) {
      out.shared.add(quotient->second.shared, t.coef);
      for (size_t l = 0; l < out.offset.size(); ++l)
        out.offset[l] += t.coef * quotient->second.offset[l];
    } else if (on_lanes) {
      if (leaf < 0) return {};
      for (size_t l = 0; l < out.offset.size(); ++l)
        out.offset[l] += t.coef * static_cast<int64_t>(l);
    } else if (leaf >= 0 && k_.leaves[static_cast<size_t>(leaf)].kind == Kind::Unroll) {
      out.shared.add_constant(t.coef * point[static_cast<size_t>(leaf)]);
    } else if (const Interval at = leaf < 0 ? Interval{} : bounds_of(t.term); at.lo == at.hi) {
      out.shared.add_constant(t.coef * at.lo);  // the only tile, or the one behind the whole ones
    } else {
      out.shared.add_term(t.term, t.coef);
    }
  }
  return out.shared.ok ? std::optional(std::move(out)) : std::nullopt;
}

// A comparison of what lanes count: of a number for each lane with one that all share, or known.
//   S + s(lane) < 0 ⇔ s(lane) < −S, which no more than the ends of s are compared with
UOp Emitter::emit_spread_mask(const UOp& u, const Point& point) {
  if ((!u.is(Op::CmpLt) && !u.is(Op::CmpNe)) || u.src(0).dtype() != DType::Index) return {};
  const int lanes = lanes_in(deps(u));
  if (lanes < 2) return {};
  Affine difference = Affine::of(u.src(0));
  difference.add(Affine::of(u.src(1)), -1);
  const auto spread = spread_lanes(difference, point, lanes);
  if (!spread) return {};
  if (spread->shared.is_constant()) return known_lanes(u.op(), *spread);
  const auto [least, most] = std::ranges::minmax(spread->offset);
  if (u.is(Op::CmpNe) || most - least > kFarthest) return {};
  const UOp limit = emit_scalar_sum(spread->shared.times(-1), point);
  if (limit.lanes() != 1) return {};
  const UOp inside =
      greater(lesser(limit, scopes_.put(index_const(most + 1))), scopes_.put(index_const(least)));
  const UOp from_least = add_index(inside, scopes_.put(index_const(-least)));
  std::vector<UOp> numbers;
  for (const int64_t l : spread->offset)
    numbers.push_back(scopes_.put(constant(l - least, DType::Int32)));
  return scopes_.put(Op::CmpLt, {scopes_.put(make(Op::Stack, numbers)),
                                 widen(scopes_.put(cast(from_least, DType::Int32)), lanes)});
}

UOp Emitter::known_lanes(Op comparison, const SpreadLanes& difference) {
  std::vector<UOp> holds;
  for (const int64_t l : difference.offset) {
    const int64_t n = l + difference.shared.constant;
    holds.push_back(scopes_.put(constant(comparison == Op::CmpLt ? n < 0 : n != 0, DType::Bool)));
  }
  const bool same = std::ranges::all_of(holds, [&](const UOp& h) { return h == holds.front(); });
  return same ? holds.front() : scopes_.put(make(Op::Stack, holds));
}

// A quotient or remainder on lanes, without a division for each of them.
UOp Emitter::emit_spread_index(const UOp& u, const Point& point) {
  if ((!u.is(Op::IDiv) && !u.is(Op::Mod)) || u.dtype() != DType::Index) return {};
  const int lanes = lanes_in(deps(u));
  if (lanes < 2) return {};
  const auto spread = spread_lanes(Affine::of(u), point, lanes);
  if (!spread) return {};
  std::vector<UOp> offsets;
  for (const int64_t l : spread->offset) offsets.push_back(scopes_.put(index_const(l)));
  const UOp shared = emit_scalar_sum(spread->shared, point);
  const UOp of_lane = scopes_.put(make(Op::Stack, offsets));
  const bool nothing = shared.is(Op::Const) && shared.arg(0) == 0;
  return nothing ? of_lane : scopes_.put(Op::Add, {widen(shared, lanes), of_lane});
}

// The same with lanes that are neighbours, from the first element that some lane reads. Conditions
// on lanes are asked of what was loaded.
std::optional<Emitter::SpreadLoad> Emitter::spread_load(const AccessForm& form, const Point& point,
                                                        int lanes) const {
  constexpr int64_t kMostVectors = 4;
  const Node* array = form.access.src_node(0);
  if (lanes < 2 || array->op != Op::Param || is_updated_in_turn(array) ||
      end_writing_.contains(array))
    return {};
  const auto flat = spread_lanes(form.flat, point, lanes);
  if (!flat) return {};
  const auto [first, last] = std::ranges::minmax(flat->offset);
  if (last - first >= kMostVectors * lanes) return {};
  const auto lane = std::ranges::find_if(k_.leaves, [&](const Leaf& l) {
    return l.kind == Kind::Vector && (deps(l.range) & lanes_of_form(form)) != 0;
  });
  if (lane == k_.leaves.end()) return {};
  const auto neighbours = [&](const SpreadLanes& spread) {
    Affine sum = spread.shared;
    sum.add_constant(first);
    sum.add_term(lane->range, 1);
    return sum;
  };
  const auto on_lanes = [&](const UOp& u) { return (deps(u) & vector_) != 0; };
  SpreadLoad out{.form = form, .lanes = flat->offset};
  std::erase_if(out.form.conditions, on_lanes);
  out.form.flat = neighbours(*flat);
  // Neighbours differ in one dimension, and lanes in no other.
  Affine* along = nullptr;
  for (Affine& d : out.form.dims) {
    if (std::ranges::none_of(d.terms, [&](const auto& t) { return on_lanes(t.term); })) continue;
    const auto spread = spread_lanes(d, point, lanes);
    if (!spread) return {};
    const auto [nearest, farthest] = std::ranges::minmax(spread->offset);
    if (nearest == farthest) {
      d = spread->shared;
      d.add_constant(nearest);
    } else if (spread->offset == flat->offset && along == nullptr) {
      along = &d;
      d = neighbours(*spread);
    } else {
      return {};
    }
  }
  if (along == nullptr) innermost_wide(out.form).add_term(lane->range, 1);
  for (int64_t& l : out.lanes) l -= first;
  return out;
}

// That of the last dimension with several elements.
Affine& Emitter::innermost_wide(AccessForm& form) {
  const std::span<const Dim> shape = form.access.src_node(0)->shape();
  size_t d = shape.size() - 1;
  while (d > 0 && shape[d] == 1) --d;
  return form.dims[d];
}

LeafSet Emitter::lanes_of_form(const AccessForm& form) const {
  LeafSet set = 0;
  for (const Affine& d : form.dims) {
    for (const Affine::Term& t : d.terms) set |= deps(t.term);
  }
  return set & vector_;
}

UOp Emitter::emit_spread(const UOp& ptr, const AccessForm& form, const SpreadLoad& load,
                         const Point& point, int lanes) {
  // Vector after vector, the last one up to the last element that a lane reads.
  UOp out;
  const int64_t last = std::ranges::max(load.lanes);
  int64_t begin = 0;
  for (bool more = true; more; begin += lanes) {
    more = begin + lanes <= last;
    const int64_t at = begin == 0 || more ? begin : last + 1 - lanes;
    const UOp near = emit_neighbours(ptr, moved(load.form, at), point, lanes);
    // Lanes that lie in this vector take theirs, the others keep what they have.
    std::vector<int64_t> taken(load.lanes.size());
    for (size_t l = 0; l < taken.size(); ++l) {
      const bool in_this = load.lanes[l] >= begin && load.lanes[l] < at + lanes;
      taken[l] = in_this ? load.lanes[l] - at + (out ? lanes : 0) : static_cast<int64_t>(l);
    }
    out = scopes_.put(make(Op::Shuffle, std::vector<UOp>{out ? out : near, near}, taken));
  }
  UOp gate;
  for (const UOp& c : form.conditions) {
    if ((deps(c) & vector_) != 0 && is_asked(c)) gate = both(gate, widen(value(c), lanes));
  }
  if (!gate) return out;
  const UOp zeros = widen(scopes_.put(constant(0, out.dtype())), lanes);
  return scopes_.put(Op::Where, {gate, out, zeros});
}

// The access so many elements further along the lanes.
Emitter::AccessForm Emitter::moved(AccessForm form, int64_t by) const {
  const auto steps = [&](const Affine::Term& t) { return (deps(t.term) & vector_) != 0; };
  for (Affine& d : form.dims) {
    if (std::ranges::any_of(d.terms, steps)) d.add_constant(by);
  }
  form.flat.add_constant(by);
  return form;
}

UOp Emitter::emit_neighbours(const UOp& ptr, const AccessForm& form, const Point& point,
                             int lanes) {
  const UOp gate = access_gate(form, point, lanes);
  const Address at = emit_address(form.flat, point, lanes);
  std::vector<UOp> src = {ptr, at.index};
  if (gate) src.push_back(gate);
  const int64_t arg[] = {lanes, 0};
  return scopes_.put(make(Op::Load, src, arg));
}

}  // namespace tg
