// See fuse_products.h.
#include "codegen/decompose/fuse_products.h"

#include <cmath>
#include <ranges>
#include <unordered_map>
#include <unordered_set>

#include "tg/ir/walk.h"

namespace tg {
namespace {

UOp scalar_of(const UOp& u) { return u.is(Op::Splat) ? u.src(0) : u; }

bool is_minus_one(const UOp& u) {
  const UOp v = scalar_of(u);
  return v.is(Op::Const) && v.is_const(-1);
}

// Whether a source of a sum is a product that is exact unless it is too small: x·2^k.
bool is_scaled(const UOp& u) {
  if (!u.is(Op::Mul)) return false;
  const UOp factor = scalar_of(u.src(1));
  if (!factor.is(Op::Const)) return false;
  int exponent = 0;
  return std::fabs(std::frexp(factor.scalar().as_double(), &exponent)) == 0.5;
}

using Values = std::unordered_set<const Node*>;

bool is_negation(const Node* n) {
  return n->op == Op::Mul && is_minus_one(UOp::share(n->src()[1]));
}

// What something else than a sum reads, or −1 times of it: it has its value as it was rounded.
Values rounded_values(std::span<const Node* const> order) {
  Values out;
  for (const Node* n : std::views::reverse(order)) {
    const bool sums = n->op == Op::Add || n->op == Op::Reduce;
    if (sums || (is_negation(n) && !out.contains(n))) continue;
    for (const Node* s : n->src()) out.insert(s);
  }
  return out;
}

// Whether a product, or what it is −1 times of, is read as it was rounded.
bool is_rounded(const Node* product, const Values& rounded) {
  return rounded.contains(product) || (is_negation(product) && rounded.contains(product->src()[0]));
}

// The product that the sum adds at source `i`, with a factor of −1 moved into it; empty if none.
UOp product_at(const UOp& sum, int i) {
  const UOp p = sum.src(i);
  if (!p.is(Op::Mul)) return {};
  if (!is_minus_one(p.src(1))) return p;
  const UOp inner = p.src(0);
  return inner.is(Op::Mul) ? make(Op::Mul, {inner.src(0) * p.src(1), inner.src(1)}) : UOp{};
}

// `u` is `before` over sources that are fused already.
UOp fused(const UOp& u, const Node* before, const Values& rounded) {
  if (!u.is(Op::Add) || (u.dtype() != DType::Float32 && u.dtype() != DType::Float64)) return u;
  const int first = is_scaled(u.src(0)) ? 1 : 0;
  for (const int i : {first, 1 - first}) {
    if (is_rounded(before->src()[static_cast<size_t>(i)], rounded)) continue;
    if (const UOp p = product_at(u, i)) return fma(p.src(0), p.src(1), u.src(1 - i));
  }
  return u;
}

}  // namespace

UOp fuse_products(const UOp& kernel, const Target& target) {
  if (!target.has_fma || !target.supports(Op::Fma)) return kernel;
  const std::vector<const Node*> order = toposort(kernel);
  const Values rounded = rounded_values(order);
  std::unordered_map<const Node*, UOp> done;
  std::vector<UOp> src;
  for (const Node* n : order) {
    src.clear();
    for (const Node* s : n->src()) src.push_back(done.at(s));
    done.emplace(n, fused(with_sources(UOp::share(n), src), n, rounded));
  }
  return done.at(kernel.node());
}

}  // namespace tg
