// See staged_element.h.
#include "codegen/staged_element.h"

#include <algorithm>

#include "codegen/decompose/small_float.h"
#include "codegen/unit_product.h"
#include "rules/bounds.h"
#include "rules/index.h"
#include "support/check.h"
#include "tg/ir/walk.h"

namespace tg {
namespace {

// Elements between neighbours along `range` in the array of the load.
int64_t step_along(const UOp& load, const UOp& range) {
  int64_t step = 0, row = 1;
  for (int d = load.src(0).ndim(); d-- > 0;) {
    const Affine index = Affine::of(load.src(1 + d));
    if (index.ok) step += coef_of(index, range) * row;
    row = saturating_mul(row, load.src(0).dim(d));
  }
  return std::abs(step);
}

UOp zero_unless(const UOp& condition, const UOp& element) {
  const DType bits = dtype_size(element.dtype()) == 1 ? DType::UInt8 : DType::UInt16;
  const UOp value = where(condition, bitcast(element, bits), constant(0.0, bits));
  return bitcast(value, element.dtype());
}

}  // namespace

StagedElement::StagedElement(const ScheduledKernel& k, const UOp& operand, const UOp& load,
                             const Staging& staging)
    : k_(k), load_(load), dtype_(operand.dtype()) {
  if (begin_factor(operand, staging)) return;
  border_ = border_of(operand);
  if (is_copied_expression(staging.operand)) expression_ = staging.operand;
  check_results(staging);
  if (!gate_is_bounds(load_) || (operand != load_ && !border_ && !expression_))
    user_error<ArgumentError>("STAGE", "the operand is gated by more than the bounds of its array");
  if (load_.src(0).ndim() == 0) user_error<ArgumentError>("STAGE", "the operand is one element");
  for (int i = 0; i < load_.src(0).ndim(); ++i) indices_.push_back(load_.src(1 + i));
}

// Products of numbers that an instruction of a processor takes, which are wider as they stand in
// the kernel.
bool StagedElement::begin_factor(const UOp& operand, const Staging& staging) {
  if (!k_.product || !k_.product->unit->is_of_one() || operand.is(Op::Load)) return false;
  const MatrixUnit& unit = *k_.product->unit;
  if (operand.dtype() != unit.sum || !is_copied_factor(staging.operand)) return false;
  dtype_ = operand_map(k_, k_.deps_of(operand)) == &unit.b ? unit.second : unit.input;
  if (!converted_factor(staging.operand, dtype_)) return false;
  sum_ = unit.sum;
  expression_ = staging.operand;
  is_factor_ = true;
  if (begin_factor_of_array(staging)) return true;
  const std::vector<UOp> ranges = free_ranges(expression_);
  for (size_t b = 0; b < k_.bases.size(); ++b) {
    if (k_.bases[b].range && std::ranges::find(ranges, k_.bases[b].range) != ranges.end())
      bases_.push_back(static_cast<int>(b));
  }
  const UOp nearest = staged_load(expression_);
  std::ranges::stable_sort(bases_, std::greater(), [&](int b) {
    return step_along(nearest, k_.bases[static_cast<size_t>(b)].range);
  });
  for (size_t i = 0; i < bases_.size(); ++i) {
    const auto b = static_cast<size_t>(bases_[i]);
    indices_.push_back(k_.base_value[b]);
    if (k_.bases[b].role == Role::Red) terms_.push_back({i, index_const(0), k_.bases[b].extent});
  }
  return true;
}

const Leaf* StagedElement::leaf_of(const Affine::Term& t) const {
  return t.term.is(Op::Range) ? &k_.leaves[static_cast<size_t>(k_.leaf_of(t.term.node()))]
                              : nullptr;
}

// Whose terms the index counts that a unit adds up; −1 if it counts none.
int StagedElement::base_of_terms(const Affine& index) const {
  for (const Affine::Term& t : index.terms) {
    const Leaf* leaf = leaf_of(t);
    const bool of_unit = leaf != nullptr && leaf->unit_bit >= 0;
    if (of_unit && k_.bases[static_cast<size_t>(leaf->base)].role == Role::Red) return leaf->base;
  }
  return -1;
}

// The index without the terms of `base`. Nothing unless these are alone in it, but for what is
// outside the copy: then it says which of them are behind the last. Nothing either unless the index
// is affine in what the copy covers, lanes are neighbours, and rows come in their order.
std::optional<Affine> StagedElement::start_of_terms(const Affine& index, int base,
                                                    int level) const {
  Affine start{.constant = index.constant};
  for (const Affine::Term& t : index.terms) {
    const Leaf* leaf = leaf_of(t);
    const bool counts = leaf != nullptr && leaf->base == base;
    const bool in_lanes = leaf != nullptr && leaf->kind == Kind::Vector;
    const bool is_row = leaf != nullptr && leaf->unit_bit >= 0;
    const bool alone = base < 0 && leaf != nullptr;
    if (!counts && !alone && is_copied(k_, t.term, level)) return {};
    if ((counts || in_lanes) && t.coef != leaf->stride) return {};
    if (is_row && t.coef < 0) return {};
    if (!counts) start.add_term(t.term, t.coef);
  }
  return start;
}

// One load, widened or not, and nothing else that depends on ranges: the copy is a box of its array
// then, in which the windows of neighbours overlap.
bool StagedElement::begin_factor_of_array(const Staging& staging) {
  const UOp load = staged_load(expression_);
  const UOp rest = substitute(expression_, {{load.node(), constant(0.0, load.dtype())}});
  const int rank = load_.src(0).ndim();
  if (!free_ranges(rest).empty() || !gate_is_bounds(load_) || rank == 0) return false;
  std::vector<Terms> terms;
  for (int d = 0; d < rank; ++d) {
    const Affine index = Affine::of(load_.src(1 + d));
    const int base = base_of_terms(index);
    const std::optional<Affine> start = start_of_terms(index, base, staging.level);
    if (!start) return false;
    if (base < 0) continue;
    const int64_t count = k_.bases[static_cast<size_t>(base)].extent;
    terms.push_back({static_cast<size_t>(d), start->to_uop(), count});
  }
  terms_ = std::move(terms);
  for (int d = 0; d < rank; ++d) indices_.push_back(load_.src(1 + d));
  return true;
}

UOp StagedElement::at(std::span<const UOp> idx) const {
  return is_factor() ? factor_at(idx) : expression_ ? computed_at(idx) : with_border(idx);
}

UOp StagedElement::value_of(const UOp& element) const {
  if (!is_factor()) return element;
  return is_float(dtype_) ? widen_small_float(element) : cast(element, sum_);
}

// Zeros where terms are behind the last: the unit adds up whole groups.
UOp StagedElement::factor_at(std::span<const UOp> idx) const {
  std::unordered_map<const Node*, UOp> values;
  if (is_of_array()) values.emplace(staged_load(expression_).node(), load(load_.src(0), idx));
  for (size_t i = 0; i < bases_.size(); ++i)
    values.emplace(k_.bases[static_cast<size_t>(bases_[i])].range.node(), idx[i]);
  UOp element = converted_factor(substitute(expression_, values), dtype_);
  for (const Terms& t : terms_) {
    const UOp term = simplify_index(idx[t.dim] - t.from);
    if (Bounds()(term).hi >= t.count)
      element = zero_unless(lt(term, index_const(t.count)), element);
  }
  return element;
}

// What an expression is made of is complete where its copy stands.
void StagedElement::check_results(const Staging& staging) const {
  if (!expression_) return;
  for (const UOp& reduce : reductions_of(expression_)) {
    LeafSet inside = k_.deps_of(k_.results.at(reduce.node()));
    for (int i = 0; i < staging.level; ++i) {
      const Kind kind = k_.leaves[static_cast<size_t>(i)].kind;
      if (kind == Kind::Serial || kind == Kind::Thread) inside &= ~(LeafSet{1} << i);
    }
    if (inside != 0)
      user_error<ArgumentError>("STAGE", "the operand is made of a sum that is not complete there");
  }
}

// The expression where the load has these indices.
UOp StagedElement::computed_at(std::span<const UOp> idx) const {
  std::unordered_map<const Node*, UOp> values;
  for (const UOp& reduce : reductions_of(expression_))
    values.emplace(reduce.node(), k_.results.at(reduce.node()));
  for (const WalkedRange& w : walked_ranges(staged_load(expression_)))
    values.emplace(w.range.node(), idx[static_cast<size_t>(w.dim)] - w.offset);
  return substitute(expression_, values);
}

// The element that is copied: outside the array the border, or the zero of a load.
UOp StagedElement::with_border(std::span<const UOp> idx) const {
  const UOp array = load_.src(0);
  UOp element = tg::load(array, idx);
  for (int d = 0; border_ && d < array.ndim(); ++d) {
    const UOp at = idx[static_cast<size_t>(d)];
    const Interval known = Bounds()(at);
    if (known.lo < 0) element = where(lt(at, index_const(0)), border_, element);
    if (known.hi >= array.dim(d))
      element = where(lt(at, index_const(array.dim(d))), element, border_);
  }
  return element;
}

}  // namespace tg
