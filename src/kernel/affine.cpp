// See affine.h. Expressions are opened with an explicit stack; a term met twice is joined.
#include "kernel/affine.h"

#include "uop/shape.h"

namespace tg {

int64_t AffineIndex::coef(const UOp& term) const {
  for (const AffineTerm& t : terms) {
    if (t.term == term) return t.coef;
  }
  return 0;
}

void AffineIndex::add(const UOp& term, int64_t c) {
  if (c == 0) return;
  for (size_t i = 0; i < terms.size(); ++i) {
    if (terms[i].term != term) continue;
    terms[i].coef += c;
    if (terms[i].coef == 0) terms.erase(terms.begin() + static_cast<std::ptrdiff_t>(i));
    return;
  }
  terms.push_back({term, c});
}

void AffineIndex::add(const AffineIndex& other, int64_t factor) {
  for (const AffineTerm& t : other.terms) add(t.term, t.coef * factor);
  constant += other.constant * factor;
}

AffineIndex affine_of(const UOp& expr) {
  AffineIndex out;
  std::vector<std::pair<UOp, int64_t>> work{{expr, 1}};
  while (!work.empty()) {
    auto [u, c] = std::move(work.back());
    work.pop_back();
    if (u.is(Op::Const)) {
      out.constant += c * u.arg(0);
    } else if (u.is(Op::Add)) {
      work.emplace_back(u.src(1), c);
      work.emplace_back(u.src(0), c);
    } else if (u.is(Op::Mul) && u.src_node(1)->op == Op::Const) {
      work.emplace_back(u.src(0), c * u.src(1).arg(0));
    } else if (u.is(Op::Mul) && u.src_node(0)->op == Op::Const) {
      work.emplace_back(u.src(1), c * u.src(0).arg(0));
    } else {
      out.add(u, c);
    }
  }
  return out;
}

AffineIndex flat_index(std::span<const UOp> idx, std::span<const Dim> extents) {
  AffineIndex out;
  const std::vector<Dim> strides = strides_of(extents);
  for (size_t i = 0; i < idx.size(); ++i) out.add(affine_of(idx[i]), strides[i]);
  return out;
}

UOp to_expr(const AffineIndex& a) {
  UOp sum;
  for (const AffineTerm& t : a.terms) {
    UOp part = t.coef == 1 ? t.term : t.term * t.coef;
    sum = sum ? sum + part : part;
  }
  if (!sum) return index_const(a.constant);
  return a.constant == 0 ? sum : sum + index_const(a.constant);
}

}  // namespace tg
