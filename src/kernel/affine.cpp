// See affine.h.
#include "kernel/affine.h"

#include "uop/shape.h"

namespace tg {

Affine flat_index(std::span<const UOp> idx, std::span<const Dim> extents) {
  Affine out;
  const std::vector<Dim> strides = strides_of(extents);
  for (size_t i = 0; i < idx.size(); ++i) out.add(Affine::of(idx[i]), strides[i]);
  return out;
}

int64_t coef_of(const Affine& a, const UOp& term) {
  for (const Affine::Term& t : a.terms) {
    if (t.term == term) return t.coef;
  }
  return 0;
}

}  // namespace tg
