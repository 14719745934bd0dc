// See stage_dimension.h.
#include "codegen/stage_dimension.h"

#include <algorithm>

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

}  // namespace tg
