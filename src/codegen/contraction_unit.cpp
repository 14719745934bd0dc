// See contraction_unit.h.
#include "codegen/contraction_unit.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "codegen/unit_product.h"

namespace tg {
namespace {

class UnitChooser {
 public:
  explicit UnitChooser(const UnitProducts& products)
      : p_(products), product_(p_.facts.reduces[0].src(0)) {}

  UnitFit run() const {
    for (const bool tile : {true, false}) {
      for (const Factors factors : {Factors::InPlace, Factors::Copied, Factors::Widened}) {
        for (const MatrixUnit* unit : p_.target.matrix_units) {
          const bool of_kind = unit->is_of_one() && unit->is_tile() == tile;
          if (!of_kind || extent(p_.lanes) < unit->n) continue;
          if (UnitFit fit = fit_of(*unit, factors); fit.unit) return fit;
        }
      }
    }
    return {};
  }

 private:
  // Rows that have to be widened for each of their uses cost more than their products: they are
  // copied before.
  enum class Factors { InPlace, Copied, Widened };

  UnitFit fit_of(const MatrixUnit& unit, Factors factors) const {
    if (factors == Factors::Copied) return of_copies(unit);
    const bool widened = p_.rows.load->access.dtype() != unit.input;
    return widened == (factors == Factors::Widened) ? of_arrays(unit) : UnitFit{};
  }

  int64_t extent(int b) const { return p_.schedule.bases[static_cast<size_t>(b)].extent; }
  const UOp& range(int b) const { return p_.schedule.bases[static_cast<size_t>(b)].range; }
  int64_t row_step(int b) const { return p_.rows.load->stride[static_cast<size_t>(b)]; }

  // Reduced bases that both factors have. One group of a dot instruction's terms is no loop, before
  // which copies could stand.
  std::vector<int> bases_of_terms(const MatrixUnit& unit) const {
    std::vector<int> out;
    for (size_t b = 0; b < p_.schedule.bases.size(); ++b) {
      const BaseRange& base = p_.schedule.bases[b];
      const bool is_short = unit.is_dot() && base.extent < 2 * unit.k;
      if (base.role == Role::Red && p_.packed.depends[b] && p_.rows.depends[b] && !is_short)
        out.push_back(static_cast<int>(b));
    }
    return out;
  }

  // The base that has most rows, the nearest in memory of several, if they fill three quarters of a
  // tile, else −1.
  int rows_of_tile(const MatrixUnit& unit) const {
    const int b = *std::ranges::max_element(
        p_.row_bases, {}, [&](int r) { return std::pair(extent(r), -std::abs(row_step(r))); });
    return 4 * extent(b) >= 3 * unit.m ? b : -1;
  }

  // ---- factors as they are: whole groups of terms
  UnitFit of_arrays(const MatrixUnit& unit) const {
    UnitFit fit;
    if (!has_lanes_in_order(p_.packed, range(p_.lanes)) ||
        !takes_factors(unit, product_, p_.rows.load->access))
      return {};
    if (unit.is_tile() && (fit.rows = rows_in_array(unit)) < 0) return {};
    for (int b : bases_of_terms(unit)) {
      const bool longer = fit.terms < 0 || extent(b) > extent(fit.terms);
      if (extent(b) % unit.k != 0 || !longer || !lie_in_groups(unit, b)) continue;
      fit.unit = &unit;
      fit.terms = b;
    }
    return fit;
  }

  // Tile registers widen nothing, and want a row behind the one before.
  int rows_in_array(const MatrixUnit& unit) const {
    if (p_.rows.load->access.dtype() != unit.input || p_.packed.load->access.dtype() != unit.second)
      return -1;
    const int rows = rows_of_tile(unit);
    return rows >= 0 && row_step(rows) > 0 ? rows : -1;
  }

  bool lie_in_groups(const MatrixUnit& unit, int b) const {
    const int64_t together = unit.terms_together();
    if (!has_groups(p_.packed, range(b), together)) return false;
    if (!unit.is_tile()) return has_groups(p_.rows, range(b), together);
    const bool in_place = !p_.rows.load->gated && row_step(b) == 1;
    return in_place || has_groups(p_.rows, range(b), unit.k);
  }

  // ---- copies of factors of any form, with zeros for the terms that the last group lacks: along
  // the base that wastes the fewest
  UnitFit of_copies(const MatrixUnit& unit) const {
    constexpr double kLeastUsed = 0.5;
    UnitFit fit;
    const bool copied = is_copied_factor(p_.rows.value) && is_copied_factor(p_.packed.value);
    // A load stands for the copy that is made of it.
    if (product_.dtype() != unit.sum || !copied ||
        staged_load(p_.rows.value) == staged_load(p_.packed.value))
      return {};
    if (unit.is_tile() && (fit.rows = rows_of_tile(unit)) < 0) return {};
    double best = 0;
    for (int b : bases_of_terms(unit)) {
      const int64_t groups = (extent(b) + unit.k - 1) / unit.k;
      const double used = static_cast<double>(extent(b)) / static_cast<double>(groups * unit.k);
      const bool better = used > best || (used == best && extent(b) > extent(fit.terms));
      if (used < kLeastUsed || !better) continue;
      best = used;
      fit.terms = b;
    }
    const bool exact = fit.terms >= 0 && converted_factor(p_.rows.value, unit.input) &&
                       converted_factor(p_.packed.value, unit.second);
    if (!exact) return {};
    fit.unit = &unit;
    fit.copies = true;
    return fit;
  }

  const UnitProducts& p_;
  const UOp product_;
};

}  // namespace

UnitFit choose_unit(const UnitProducts& products) {
  if (!is_array(products.rows)) return {};
  return UnitChooser(products).run();
}

}  // namespace tg
