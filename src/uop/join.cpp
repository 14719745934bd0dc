// A chain of selections between padded pieces with disjoint supports. See join.h.
#include "uop/join.h"

namespace tg {

UOp joined(std::span<const UOp> pieces, int axis) {
  const auto a = static_cast<size_t>(axis);
  Shape shape = pieces[0].shape_vec();
  Dim& total = shape[a] = 0;
  for (const UOp& p : pieces) total += p.dim(axis);
  const UOp i = iota(shape, axis, DType::Int64);
  UOp result;
  Dim end = total;
  for (size_t k = pieces.size(); k-- > 0;) {
    const Dim begin = end - pieces[k].dim(axis);
    std::vector<int64_t> border(2 * shape.size(), 0);
    border[2 * a] = begin;
    border[2 * a + 1] = total - end;
    const UOp piece = pad(pieces[k], border);
    result = result ? where(lt(i, const_like(i, end)), piece, result) : piece;
    end = begin;
  }
  return result;
}

}  // namespace tg
