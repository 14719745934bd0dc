// See factor_rows.h.
#include "codegen/factor_rows.h"

#include "codegen/unit_product.h"
#include "rules/index.h"
#include "support/check.h"

namespace tg {
namespace {

[[noreturn]] void refuse(const char* why) { user_error<ArgumentError>("TC", why); }

// Whether the unit's leaves along `axis`, and no others of its, count the elements of the dimension
// from the first on.
bool runs_along(const ScheduledKernel& k, const FactorDimension& d, MatrixAxis axis) {
  int64_t elements = 1;
  for (const Affine::Term& t : d.inner->terms) {
    const Leaf& leaf = k.leaves[static_cast<size_t>(k.leaf_of(t.term.node()))];
    if (leaf.unit_bit < 0) continue;
    if (unit_axis(*k.product, leaf) != axis || t.coef != int64_t{1} << leaf.unit_bit) return false;
    elements *= leaf.extent;
  }
  return d.inner->constant == 0 && elements == k.product->unit->extent(axis);
}

}  // namespace

std::vector<int64_t> FactorRows::extents(int64_t along, int64_t beside) const {
  return {along / layout.row(), beside, layout.row()};
}

std::vector<UOp> FactorRows::places(int64_t extent, const UOp& along, const UOp& beside) const {
  if (extent == layout.row()) return {index_const(0), beside, along};
  const UOp row = index_const(layout.row());
  return {simplify_index(idiv(along, row)), beside, simplify_index(mod(along, row))};
}

std::optional<FactorRows> factor_rows(const ScheduledKernel& k, LeafSet deps,
                                      std::span<const FactorDimension> dimensions, DType dtype) {
  if (!k.product || !k.product->unit->reads_scratch) return {};
  const MatrixUnit& unit = *k.product->unit;
  const FragmentMap* map = operand_map(k, deps);
  if (map == nullptr) return {};
  if (dimensions.size() != 2) refuse("a factor has more axes than lines and terms");
  const MatrixAxis lines = map == &unit.a ? MatrixAxis::M : MatrixAxis::N;
  const size_t terms = runs_along(k, dimensions[1], MatrixAxis::K) ? 1 : 0;
  if (!runs_along(k, dimensions[terms], MatrixAxis::K) ||
      !runs_along(k, dimensions[1 - terms], lines))
    refuse("a factor's lines and terms are not those of the unit");
  const FactorRows rows{{static_cast<int64_t>(dtype_size(dtype))}, terms == 0};
  if (dimensions[1].extent % rows.layout.row() != 0 ||
      dimensions[0].extent % SwizzledRows::kRepeatRows != 0)
    refuse("a factor is no whole number of rows");
  return rows;
}

}  // namespace tg
