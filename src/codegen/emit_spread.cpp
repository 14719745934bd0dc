// Loads whose lanes lie on a few neighbours, as those of x[(i + 1) div 2] do: the neighbours are
// loaded together and a shuffle gives each lane its own, where a gather would read every lane's
// element by itself.
#include <algorithm>

#include "codegen/emitter.h"
#include "tg/ir/interval.h"

namespace tg {

// Lanes of sums and of quotients of sums. What all lanes share is taken out of a quotient:
//   (c·S + k·lane + b) div c = S + (k·lane + b) div c
//   (c·S + k·lane + b) mod c = (k·lane + b) mod c
// Nothing if that is not all there is on lanes, or if there is no quotient.
std::optional<Emitter::SpreadLanes> Emitter::spread_lanes(const Affine& index, const Point& point,
                                                          int lanes) const {
  SpreadLanes out{.shared = Affine::of_constant(index.constant),
                  .offset = std::vector<int64_t>(static_cast<size_t>(lanes))};
  bool has_quotient = false;
  const auto add_lanes = [&](const auto& of_lane) {
    for (int64_t l = 0; l < lanes; ++l) out.offset[static_cast<size_t>(l)] += of_lane(l);
  };
  for (const Affine::Term& t : index.terms) {
    if ((deps(t.term) & vector_) == 0) {
      out.shared.add_term(t.term, t.coef);
    } else if (t.term.is(Op::Range)) {
      add_lanes([&](int64_t l) { return t.coef * l; });
    } else if ((t.term.is(Op::IDiv) || t.term.is(Op::Mod)) && t.term.src(1).is(Op::Const) &&
               t.term.src(1).arg(0) > 0) {
      const int64_t by = t.term.src(1).arg(0);
      const auto inside = lane_sum(t.term.src(0), by, point);
      if (!inside) return {};
      const bool quotient = t.term.is(Op::IDiv);
      if (quotient) out.shared.add(inside->multiple, t.coef);
      add_lanes([&](int64_t l) {
        const int64_t n = inside->step * l + inside->constant;
        return t.coef * (quotient ? floor_div(n, by) : floor_mod(n, by));
      });
      has_quotient = true;
    } else {
      return {};
    }
  }
  if (!has_quotient || !out.shared.ok) return {};
  return out;
}

// by·multiple + step·lane + constant, if the sum is that.
std::optional<Emitter::LaneSum> Emitter::lane_sum(const UOp& sum, int64_t by,
                                                  const Point& point) const {
  const Affine all = Affine::of(sum);
  if (!all.ok) return {};
  LaneSum out{.constant = all.constant};
  for (const Affine::Term& t : all.terms) {
    const int leaf = t.term.is(Op::Range) ? k_.leaf_of(t.term.node()) : -1;
    const bool on_lanes = (deps(t.term) & vector_) != 0;
    if (on_lanes && leaf >= 0) {
      out.step += t.coef;
    } else if (leaf >= 0 && k_.leaves[static_cast<size_t>(leaf)].kind == Kind::Unroll) {
      out.constant += t.coef * point[static_cast<size_t>(leaf)];
    } else if (!on_lanes && t.coef % by == 0) {
      out.multiple.add_term(t.term, t.coef / by);
    } else {
      return {};
    }
  }
  return out;
}

// The same with lanes that are neighbours, from the first element that some lane reads.
std::optional<Emitter::SpreadLoad> Emitter::spread_load(const AccessForm& form, const Point& point,
                                                        int lanes) const {
  const Node* array = form.access.src_node(0);
  if (lanes < 2 || array->op != Op::Param || is_updated_in_turn(array) ||
      end_writing_.contains(array))
    return {};
  const auto flat = spread_lanes(form.flat, point, lanes);
  if (!flat) return {};
  const auto [first, last] = std::ranges::minmax(flat->offset);
  const auto on_lanes = [&](const UOp& u) { return (deps(u) & vector_) != 0; };
  if (last - first >= lanes || std::ranges::any_of(form.conditions, on_lanes)) return {};
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
  SpreadLoad out{.form = form, .lanes = flat->offset};
  out.form.flat = neighbours(*flat);
  for (Affine& d : out.form.dims) {
    if (std::ranges::none_of(d.terms, [&](const auto& t) { return on_lanes(t.term); })) continue;
    const auto spread = spread_lanes(d, point, lanes);
    if (!spread || spread->offset != flat->offset) return {};
    d = neighbours(*spread);
  }
  for (int64_t& l : out.lanes) l -= first;
  return out;
}

LeafSet Emitter::lanes_of_form(const AccessForm& form) const {
  LeafSet set = 0;
  for (const Affine& d : form.dims) {
    for (const Affine::Term& t : d.terms) set |= deps(t.term);
  }
  return set & vector_;
}

UOp Emitter::emit_spread(const UOp& ptr, const SpreadLoad& load, const Point& point, int lanes) {
  const UOp gate = access_gate(load.form, point, lanes);
  const Address at = emit_address(load.form.flat, point, lanes);
  std::vector<UOp> src = {ptr, at.index};
  if (gate) src.push_back(gate);
  const int64_t arg[] = {lanes, 0};
  const UOp near = scopes_.put(make(Op::Load, src, arg));
  return scopes_.put(make(Op::Shuffle, std::vector<UOp>{near, near}, load.lanes));
}

}  // namespace tg
