// A scatter in one of two forms. In order: the base is stored, then a second kernel puts the values
// at their places, the iterations that share places one after the other. Gathered: one kernel in
// which each place asks what is put there (scatter_sources.h). The cheaper one is taken. See
// kernel_builder.h.
#include <algorithm>
#include <cmath>

#include "kernel/affine.h"
#include "kernel/lane_turns.h"
#include "schedule/kernel_builder.h"
#include "schedule/scatter_sources.h"
#include "schedule/value_builder.h"
#include "tg/ir/interval.h"
#include "tg/ir/walk.h"

namespace tg {
namespace {

ReduceOp reduction_of(Combine combine) {
  return combine == Combine::Add   ? ReduceOp::Add
         : combine == Combine::Mul ? ReduceOp::Mul
                                   : ReduceOp::Max;
}

bool divides(const UOp& index) {
  return std::ranges::any_of(toposort(index),
                             [](const Node* n) { return n->op == Op::IDiv || n->op == Op::Mod; });
}

bool is_positive_zero(const UOp& u) { return u.is(Op::Const) && u.arg(0) == 0; }

// Whether a value is 0 wherever the gate does not hold: a load under the gate, or a product of such
// loads. One gated factor is not enough as it is for a border of zeros (value_builder.cpp): a place
// that an element is not put at must not see that the element's other factor is infinite.
bool is_gated_by(const UOp& value, const UOp& gate) {
  const std::vector<UOp> needed = conjuncts(gate);
  const auto is_gated_load = [&](const UOp& u) {
    if (!u.is(Op::Load) || !gate_of(u)) return false;
    const std::vector<UOp> asked = conjuncts(gate_of(u));
    return std::ranges::all_of(
        needed, [&](const UOp& c) { return std::ranges::find(asked, c) != asked.end(); });
  };
  if (!value.is(Op::Mul)) return is_gated_load(value);
  return is_gated_load(value.src(0)) && is_gated_load(value.src(1));
}

class Scatter {
 public:
  Scatter(const Node* scatter, const InMemory& in_memory, const Target& target)
      : node_(scatter),
        base_(scatter->src()[0]),
        places_node_(scatter->src()[1]),
        v_(scatter->src()[2]),
        axis_(static_cast<size_t>(scatter->arg()[0])),
        combine_(static_cast<Combine>(scatter->arg()[1])),
        in_memory_(in_memory),
        target_(target) {}

  std::vector<BuiltKernel> run() {
    if (auto gathered = gathered_kernel()) return {*std::move(gathered)};
    return {base_kernel(), ordered_kernel()};
  }

 private:
  Dim places() const { return node_->shape()[axis_]; }
  Dim elements() const { return v_->shape()[axis_]; }

  UOp place_of(ValueBuilder& b, const std::vector<UOp>& element) const {
    return b.simplify()(cast(b.read(places_node_, element), DType::Index));
  }
  bool places_are_read(ValueBuilder& b, const std::vector<UOp>& element) const {
    return std::ranges::any_of(toposort(place_of(b, element)),
                               [](const Node* n) { return n->op == Op::Load; });
  }
  // As a function of the element where no data says it, although another kernel may have stored it.
  UOp computed_place_of(ValueBuilder& b, const std::vector<UOp>& element) const {
    if (std::ranges::any_of(toposort(UOp::share(places_node_)), is_storage))
      return place_of(b, element);
    const InMemory nothing = [](const Node*) { return false; };
    ValueBuilder computes(nothing);
    computes.next_range() = b.next_range();
    const UOp place = place_of(computes, element);
    b.next_range() = computes.next_range();
    return place;
  }

  // ---- each place asks
  std::optional<BuiltKernel> gathered_kernel() const {
    if (places() == 0 || elements() == 0) return {};
    ValueBuilder b(in_memory_);
    const UOp ptr = b.storage(node_);
    const std::vector<UOp> at = b.fresh_indices(node_->shape());
    std::vector<UOp> from = at;
    from[axis_] = b.fresh_index(elements());
    const UOp place = computed_place_of(b, from);
    KnownPlace stored;
    if (places_are_read(b, from)) {
      stored = [&b, this, index = from](const UOp& element, const UOp& gate) mutable {
        index[axis_] = element;
        return b.read(places_node_, index, gate);
      };
    }
    const auto sources = scatter_sources(place, from[axis_], at[axis_], b.next_range(), stored);
    if (!sources || (combine_ == Combine::Set && !sources->candidates.empty()) ||
        gathered_cost(*sources, at[axis_]) > ordered_cost(place, from[axis_]))
      return {};
    const UOp old = b.read(base_, at);
    from[axis_] = sources->index;
    UOp value = b.read(v_, from, sources->gate);
    if (combine_ == Combine::Set) {
      if (sources->gate) value = where(sources->gate, value, old);
    } else {
      const ReduceOp op = reduction_of(combine_);
      const bool is_sum = op == ReduceOp::Add, summed = !sources->candidates.empty();
      if (sources->gate && !(is_sum && is_gated_by(value, sources->gate)))
        value = where(sources->gate, value, constant(reduce_identity(op, value.dtype())));
      if (summed) value = reduce_ranges(value, op, sources->candidates);
      // A sum is never −0, the one number that +0 changes.
      if (!is_sum || !summed || !is_positive_zero(old)) value = make(reduce_alu(op), {old, value});
    }
    return b.finish(ptr, at, value, at, {}, Combine::Set);
  }

  // ---- in order
  BuiltKernel base_kernel() const {
    ValueBuilder b(in_memory_);
    const UOp ptr = b.storage(node_);
    const std::vector<UOp> idx = b.fresh_indices(node_->shape());
    return b.finish(ptr, idx, b.read(base_, idx), idx, {}, Combine::Set);
  }

  // The scattered axis runs inside all others: its writes to one place stay in index order, and the
  // others may run in parallel. Its digits are loops of their own, so that those along which no
  // place comes twice may be lanes.
  BuiltKernel ordered_kernel() const {
    ValueBuilder b(in_memory_);
    const UOp ptr = b.storage(node_);
    std::vector<UOp> at = b.fresh_indices(v_->shape()), loops = at;
    const Digits digits = split_range(computed_place_of(b, at), at[axis_], b.next_range());
    loops.erase(loops.begin() + static_cast<std::ptrdiff_t>(axis_));
    loops.insert(loops.end(), digits.ranges.begin(), digits.ranges.end());
    at[axis_] = digits.whole;
    const UOp value = b.read(v_, at);
    const UOp place = digits.ranges.size() > 1 ? computed_place_of(b, at) : place_of(b, at);
    const UOp gate = lt(place, index_const(places())) & lt(index_const(-1), place);
    at[axis_] = place;
    const UOp stored = combine_ == Combine::Set
                           ? value
                           : make(reduce_alu(reduction_of(combine_)), {load(ptr, at, gate), value});
    return b.finish(ptr, at, stored, loops, gate, Combine::Set);
  }

  // ---- costs, in additions to a register that a worker makes for all other axes together

  // How many elements of what the other axes leave are handled at once.
  double at_once(double independent) const {
    const double work_items = static_cast<double>(std::max<int64_t>(1, target_.max_group_size));
    return std::min(independent, target_.threads * work_items);
  }
  double rows() const {
    double n = 1;
    for (size_t a = 0; a < v_->n_dim; ++a)
      n *= a == axis_ ? 1 : static_cast<double>(v_->shape()[a]);
    return n;
  }
  // Lanes where they run along memory: along an axis behind the scattered one, or along that one if
  // it is contiguous itself.
  double lanes(bool contiguous) const {
    if (target_.max_group_size > 0) return 1;  // work-items are counted by at_once
    Dim behind = 1;
    for (size_t a = axis_ + 1; a < v_->n_dim; ++a) behind *= v_->shape()[a];
    const int all = target_.lanes_of(v_->dtype);
    return contiguous || behind >= all ? all : 1;
  }

  // How far apart neighbours along `at` are in memory, on average: lanes then lie on so many
  // vectors (codegen/emit_spread.cpp). Nothing if each is loaded by itself.
  std::optional<double> step_of_lanes(const UOp& index, const UOp& at) const {
    constexpr double kWidestStep = 4;
    double step = 0;
    for (const Affine::Term& t : Affine::of(index).terms) {
      const std::vector<UOp> counted = free_ranges(t.term);
      if (std::ranges::find(counted, at) == counted.end()) continue;
      double of_term = static_cast<double>(t.coef);
      if (!t.term.is(Op::Range)) {
        const bool divides = t.term.is(Op::IDiv) || t.term.is(Op::Mod);
        if (!divides || !t.term.src(1).is(Op::Const)) return {};
        const int64_t inside = coef_of(Affine::of(t.term.src(0)), at), by = t.term.src(1).arg(0);
        const int64_t period = period_of(t.term, at);
        const int all = std::max(1, target_.lanes_of(v_->dtype));
        if (inside == 0 || period == 0 || lane_turns(period, places(), all) == 0) return {};
        of_term *= t.term.is(Op::Mod) ? 0 : static_cast<double>(inside) / static_cast<double>(by);
      }
      step += of_term;
    }
    return step != 0 && std::abs(step) <= kWidestStep ? std::optional(std::abs(step))
                                                      : std::nullopt;
  }

  double gathered_cost(const ScatterSources& s, const UOp& at) const {
    constexpr double kQuotient = 4;  // of an index that lanes do not run along
    double terms = static_cast<double>(places());
    for (const UOp& r : s.candidates) terms *= static_cast<double>(r.src(0).arg(0));
    const auto step = step_of_lanes(s.index, at);
    const double side_by_side = lanes(step.has_value()) / std::max(1.0, step.value_or(1));
    const bool alone = side_by_side <= 1 && divides(s.index) && target_.max_group_size == 0;
    return terms * (alone ? kQuotient : 1) / std::max(1.0, side_by_side) * rows() /
           at_once(rows() * static_cast<double>(places()));
  }

  double ordered_cost(const UOp& place, const UOp& r) const {
    constexpr double kThroughMemory = 4;  // until a sum that was stored can be added to again
    int64_t next = 0;
    const Digits digits = split_range(place, r, next);
    const bool apart = digits.ranges.size() > 1;
    return static_cast<double>(elements()) * kThroughMemory / lanes(apart) * rows() /
           at_once(rows());
  }

  const Node *node_, *base_, *places_node_, *v_;
  const size_t axis_;
  const Combine combine_;
  const InMemory& in_memory_;
  const Target& target_;
};

}  // namespace

std::vector<BuiltKernel> build_scatter_kernels(const Node* scatter, const InMemory& in_memory,
                                               const Target& target) {
  return Scatter(scatter, in_memory, target).run();
}

}  // namespace tg
