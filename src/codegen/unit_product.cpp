// See unit_product.h.
#include "codegen/unit_product.h"

#include <algorithm>

#include "codegen/decompose/small_float.h"
#include "dtype/convert.h"
#include "support/check.h"
#include "tg/ir/walk.h"

namespace tg {
namespace {

[[noreturn]] void refuse(const std::string& why) { user_error<ArgumentError>("TC", why); }

// Leaves of the unit's rows, columns or terms.
LeafSet leaves_along(const ScheduledKernel& k, MatrixAxis axis) {
  LeafSet set = 0;
  for (size_t i = 0; i < k.leaves.size(); ++i) {
    if ((k.product->leaves >> i & 1) != 0 && unit_axis(*k.product, k.leaves[i]) == axis)
      set |= LeafSet{1} << i;
  }
  return set;
}

// The small float that `wide` is the value of, without arithmetic; empty if there is none. As
// decompositions write it.
UOp widened_from(const UOp& wide, DType t) {
  UOp u = wide;
  if (t != DType::Float16) {
    for (const Op op : {Op::Bitcast, Op::Shl, Op::Cast}) {
      if (!u.is(op)) return {};
      u = u.src(0);
    }
  }
  if (!u.is(t == DType::Float16 ? Op::Cast : Op::Bitcast) || u.src(0).dtype() != t) return {};
  u = u.src(0);
  return widen_small_float(u) == wide ? u : UOp{};
}

// Whether `u` was rounded to `t`.
bool is_rounded(const UOp& u, DType t) {
  if (!u.is(Op::Where) || u.src(0).n_src() == 0) return false;
  const UOp x = u.src(0).src(0);
  return x.dtype() == DType::Float32 && round_small_float(x, t) == u;
}

bool is_exact_cast(const UOp& u, DType t) {
  return u.is(Op::Cast) && u.src(0).dtype() != DType::Index && holds_values_of(t, u.src(0).dtype());
}

// Whether all values of float32 `root` are values of `t`: it chooses among such.
bool is_exact(const UOp& root, DType t) {
  std::unordered_map<const Node*, bool> exact;
  std::vector<UOp> widened;  // what smaller floats become
  for (const Node* n : toposort(root)) {
    const UOp u = UOp::share(n);
    if (is_float(u.dtype()) && dtype_size(u.dtype()) == 1 && u.ndim() == 0 &&
        holds_values_of(t, u.dtype()))
      widened.push_back(widen_small_float(u));
    const auto known = [&](int i) { return exact.at(n->src()[static_cast<size_t>(i)]); };
    bool is = false;
    if (u.dtype() == DType::Float32) {
      if (u.is(Op::Const)) {
        const double v = u.scalar().f64();
        is = Scalar::of_double(v, t).f64() == v;
      } else {
        is = std::ranges::find(widened, u) != widened.end() || widened_from(u, t) ||
             is_rounded(u, t) || is_exact_cast(u, t) || (u.is(Op::Max) && known(0) && known(1)) ||
             (u.is(Op::Where) && known(1) && known(2));
      }
    }
    exact.emplace(n, is);
  }
  return exact.at(root.node());
}

// The integer that `wide` is the value of, as a number of `t`; empty if it may be none.
UOp narrowed(const UOp& wide, DType t) {
  if (!wide.is(Op::Cast) || !is_int(wide.src(0).dtype())) return {};
  const UOp u = wide.src(0);
  const bool smaller = dtype_size(u.dtype()) < dtype_size(t),
             keeps_sign = !is_unsigned(t) || is_unsigned(u.dtype());
  return u.dtype() == t || (smaller && keeps_sign) ? cast(u, t) : UOp{};
}

// The factor in the dtype that the unit takes it in.
UOp converted(const UOp& factor, DType input) {
  UOp u = converted_factor(factor, input);
  if (!u) refuse(fmt::format("a factor is not exact in {}", dtype_name(input)));
  return u;
}

// The one reduction over the unit's terms.
const Node* reduction_of(const ScheduledKernel& k) {
  const LeafSet terms = leaves_along(k, MatrixAxis::K);
  const Node* found = nullptr;
  for (const Node* n : toposort(k.sink)) {
    if (n->op != Op::Reduce || (k.closed_by(n) & terms) == 0) continue;
    if (found != nullptr) refuse("two reductions run over its axis");
    found = n;
  }
  if (found == nullptr) refuse("no reduction runs over its axis");
  return found;
}

bool reads_reduction(const UOp& factor) {
  return std::ranges::any_of(toposort(factor), [](const Node* n) { return n->op == Op::Reduce; });
}

}  // namespace

UOp converted_factor(const UOp& factor, DType input) {
  if (is_int(input)) return narrowed(factor, input);
  if (input == DType::Float32) return factor;
  if (UOp stored = widened_from(factor, input)) return stored;
  return is_exact(factor, input) ? narrow_small_float(factor, input) : UOp{};
}

bool takes_factors(const MatrixUnit& unit, const UOp& product, const UOp& first) {
  // The LOAD that a factor widens elements of, if these are of `t` or of fewer bits.
  const auto loaded = [](const UOp& factor, DType t) {
    UOp u = is_int(t) ? narrowed(factor, t) : widened_from(factor, t);
    if (u && u.is(Op::Cast)) u = u.src(0);
    return u && u.is(Op::Load) ? u : UOp{};
  };
  if (product.dtype() != unit.sum) return false;
  UOp a = product.src(0), b = product.src(1);
  if (loaded(a, unit.input) != first) std::swap(a, b);
  return loaded(a, unit.input) == first && loaded(b, unit.second);
}

void begin_unit_product(ScheduledKernel& k, const KernelSchedule& schedule, const Target& target) {
  if (!schedule.unit) return;
  UnitProduct& p = k.product.emplace();
  p.unit = schedule.unit->unit;
  p.bases = schedule.unit->bases;
  if (std::ranges::find(target.matrix_units, p.unit) == target.matrix_units.end() ||
      (p.unit->reads_scratch ? p.unit->lanes() % target.subgroup_size != 0
                             : target.subgroup_size != p.unit->lanes()))
    refuse(fmt::format("the target has no unit {}", p.unit->name));
  p.first_work_items = k.work_items.size();
  for (size_t i = 0; i < k.leaves.size(); ++i) {
    const Leaf& leaf = k.leaves[i];
    if (leaf.unit_bit < 0) continue;
    p.leaves |= LeafSet{1} << i;
    if (leaf.kind == Kind::Local)
      p.first_work_items = std::min(p.first_work_items, static_cast<size_t>(leaf.work_items));
  }
}

void find_unit_product(ScheduledKernel& k) {
  if (!k.product) return;
  UnitProduct& p = *k.product;
  p.reduce = reduction_of(k);
  const UOp product = UOp::share(p.reduce->src()[0]);
  if (static_cast<ReduceOp>(p.reduce->arg()[0]) != ReduceOp::Add || !product.is(Op::Mul) ||
      product.dtype() != p.unit->sum)
    refuse(fmt::format("the reduction adds up no products in {}", dtype_name(p.unit->sum)));
  const LeafSet rows = leaves_along(k, MatrixAxis::M), columns = leaves_along(k, MatrixAxis::N);
  UOp a = product.src(0), b = product.src(1);
  if ((k.deps_of(b) & columns) == 0) std::swap(a, b);
  const bool has_rows = p.unit->m == 1 || (k.deps_of(a) & rows) != 0;
  if (!has_rows || (k.deps_of(b) & columns) == 0 || (k.deps_of(a) & columns) != 0 ||
      (k.deps_of(b) & rows) != 0)
    refuse("no factor has the rows and the other the columns");
  if (reads_reduction(a) || reads_reduction(b)) refuse("a factor is made from another reduction");
  const LeafSet all = k.deps_of(product) | k.closed_by(p.reduce);
  if ((all & k.set_of(Kind::Vector) & ~p.leaves) != 0)
    refuse("the products have lanes of their own");
  p.a = converted(a, p.unit->input);
  p.b = converted(b, p.unit->second);
  if (!p.unit->reads_scratch) return;
  for (const UOp& factor : {p.a, p.b}) {
    const bool copied = factor.is(Op::Load) && factor.src(0).is(Op::Stage) &&
                        k.copy_rows[static_cast<size_t>(factor.src(0).arg(0))];
    if (!copied) refuse("the unit reads its factors from copies");
  }
}

MatrixAxis unit_axis(const UnitProduct& product, const Leaf& leaf) {
  const auto at = std::ranges::find(product.bases, leaf.base);
  return static_cast<MatrixAxis>(at - product.bases.begin());
}

int64_t unit_digit(const UnitProduct& product, const Leaf& leaf, const FragmentMap& map,
                   int64_t lane, int64_t reg) {
  return map.index(unit_axis(product, leaf), lane, reg) >> leaf.unit_bit & (leaf.extent - 1);
}

const FragmentMap* operand_map(const ScheduledKernel& k, LeafSet deps) {
  if (!k.product) return nullptr;
  const bool rows = (deps & leaves_along(k, MatrixAxis::M)) != 0;
  const bool columns = (deps & leaves_along(k, MatrixAxis::N)) != 0;
  if (rows == columns) return nullptr;
  return rows ? &k.product->unit->a : &k.product->unit->b;
}

}  // namespace tg
