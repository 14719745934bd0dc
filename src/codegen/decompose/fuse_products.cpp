// See fuse_products.h.
#include "codegen/decompose/fuse_products.h"

#include <unordered_map>

#include "tg/ir/walk.h"

namespace tg {
namespace {

bool is_minus_one(const UOp& u) {
  const UOp v = u.is(Op::Splat) ? u.src(0) : u;
  return v.is(Op::Const) && v.is_const(-1);
}

// The product that the sum adds at source `i`, with a factor of −1 moved into it; empty if none.
UOp product_at(const UOp& sum, int i) {
  const UOp p = sum.src(i);
  if (!p.is(Op::Mul)) return {};
  if (!is_minus_one(p.src(1))) return p;
  const UOp inner = p.src(0);
  return inner.is(Op::Mul) ? make(Op::Mul, {inner.src(0) * p.src(1), inner.src(1)}) : UOp{};
}

UOp fused(const UOp& u) {
  const bool is_sum = u.is(Op::Add) && (u.dtype() == DType::Float32 || u.dtype() == DType::Float64);
  for (int i = 0; is_sum && i < 2; ++i) {
    if (const UOp p = product_at(u, i)) return fma(p.src(0), p.src(1), u.src(1 - i));
  }
  return u;
}

}  // namespace

UOp fuse_products(const UOp& kernel, const Target& target) {
  if (!target.has_fma || !target.supports(Op::Fma)) return kernel;
  std::unordered_map<const Node*, UOp> done;
  std::vector<UOp> src;
  for (const Node* n : toposort(kernel)) {
    src.clear();
    for (const Node* s : n->src()) src.push_back(done.at(s));
    done.emplace(n, fused(with_sources(UOp::share(n), src)));
  }
  return done.at(kernel.node());
}

}  // namespace tg
