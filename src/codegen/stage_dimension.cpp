// See stage_dimension.h.
#include "codegen/stage_dimension.h"

#include <algorithm>
#include <numeric>

namespace tg {

bool StagedDimension::is_taken(const UOp& term) const {
  return std::ranges::find(taken.terms, term, &Affine::Term::term) != taken.terms.end();
}

Affine StagedDimension::groups_read() const {
  Affine groups{.constant = inner.constant / together};
  for (const Affine::Term& t : inner.terms) {
    if (!is_taken(t.term)) groups.add_term(t.term, t.coef / together);
  }
  return groups;
}

Affine StagedDimension::blocks_read() const {
  Affine blocks;
  for (const Affine::Term& t : inner.terms) {
    if (t.coef % block == 0) blocks.add_term(t.term, t.coef / block);
  }
  return blocks;
}

Affine StagedDimension::column_read() const {
  Affine column;
  for (const Affine::Term& t : inner.terms) {
    if (t.coef % block != 0) column.add_term(t.term, t.coef);
  }
  return column;
}

namespace {

// In steps of what divides them all.
int64_t group_step(std::span<const Reach> reaches, std::span<const size_t> group) {
  int64_t step = 0;
  for (const size_t i : group) step = std::gcd(step, reaches[i].coef);
  return step;
}

int64_t group_elements(std::span<const Reach> reaches, std::span<const size_t> group) {
  const int64_t step = group_step(reaches, group);
  int64_t n = 1;
  for (const size_t i : group) n = saturating_add(n, reaches[i].span() / step);
  return n;
}

}  // namespace

std::vector<std::vector<size_t>> groups_of_steps(std::span<const Reach> reaches) {
  std::vector<size_t> order(reaches.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, {}, [&](size_t i) { return std::abs(reaches[i].coef); });
  std::vector<std::vector<size_t>> groups;
  int64_t reached = 0;  // elements that the last group lies in
  for (const size_t i : order) {
    if (groups.empty() || std::abs(reaches[i].coef) >= reached) {
      groups.emplace_back();
      reached = 1;
    }
    groups.back().push_back(i);
    reached = saturating_add(reached, reaches[i].span());
  }
  std::ranges::reverse(groups);
  return groups;
}

int64_t copied_elements(std::span<const Reach> reaches) {
  constexpr int64_t kLeastSaved = 4;
  int64_t dense = 1, sparse = 1;
  for (const Reach& r : reaches) dense = saturating_add(dense, r.span());
  for (const std::vector<size_t>& group : groups_of_steps(reaches))
    sparse = saturating_mul(sparse, group_elements(reaches, group));
  return saturating_mul(sparse, kLeastSaved) > dense ? dense : sparse;
}

std::vector<StagedDimension> sparse_parts(const ScheduledKernel& k, const StagedDimension& d) {
  const std::vector<Affine::Term>& terms = d.inner.terms;
  const auto leaf = [&](size_t i) -> const Leaf& {
    return k.leaves[static_cast<size_t>(k.leaf_of(terms[i].term.node()))];
  };
  std::vector<Reach> reaches;
  for (size_t i = 0; i < terms.size(); ++i) reaches.push_back({terms[i].coef, leaf(i).extent});
  if (copied_elements(reaches) == d.extent) return {d};
  std::vector<StagedDimension> parts;
  for (const std::vector<size_t>& group : groups_of_steps(reaches)) {
    StagedDimension& part = parts.emplace_back();
    part.of = d.of;
    part.step = group_step(reaches, group);
    part.extent = group_elements(reaches, group);
    for (const size_t i : group) {
      part.inner.add_term(terms[i].term, terms[i].coef / part.step);
      if (terms[i].coef < 0) part.inner.add_constant(reaches[i].span() / part.step);
      part.has_lanes |= leaf(i).kind == Kind::Vector;
    }
  }
  parts.back().outer = d.outer;
  return parts;
}

}  // namespace tg
