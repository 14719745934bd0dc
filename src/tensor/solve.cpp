// Triangular systems, as compositions of tensor functions: gradients flow through them, and through
// those again. Decompositions: decompose.cpp.
#include <bit>

#include "tensor/ops.h"

namespace tg {
namespace {

using namespace ops_detail;

// The blocks on the diagonal of [..., n, n], so many: [..., count, size, size]. Of the places of a
// block, row by row, every (count + 1)-th is on the diagonal.
Tensor diagonal_blocks(const Tensor& x, int64_t count) {
  const int64_t size = x.size(-1) / count, lead = x.ndim() - 2;
  std::vector<int64_t> inward, back;
  for (int64_t a = 0; a < lead; ++a) inward.push_back(a), back.push_back(a);
  inward.insert(inward.end(), {lead + 1, lead + 3, lead, lead + 2});
  back.insert(back.end(), {lead + 2, lead, lead + 1});
  return x.unflatten(-1, {count, size})
      .unflatten(-3, {count, size})
      .permute(inward)  // [..., size, size, count, count]
      .flatten(-2)
      .index({Ellipsis, Slice(0, std::nullopt, count + 1)})
      .permute(back);
}

// x at the rows and columns from (row, column) on of a matrix of zeros.
Tensor within(const Tensor& x, int64_t row, int64_t column, int64_t size) {
  std::vector<std::pair<int64_t, int64_t>> border(static_cast<size_t>(x.ndim()));
  border[border.size() - 2] = {row, size - row - x.size(-2)};
  border.back() = {column, size - column - x.size(-1)};
  return x.pad(border);
}

// The inverse of a lower triangular matrix by its part below the diagonal and the inverses of the
// diagonal: those of blocks of twice the size, until one is left.
//   [P 0; C Q]⁻¹ = [P⁻¹ 0; −Q⁻¹·C·P⁻¹ Q⁻¹]
Tensor inverse_of_lower(const Tensor& below, const Tensor& diagonal) {
  const int64_t n = below.size(-1);
  const auto whole = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(n)));
  const Tensor lower = within(below, 0, 0, whole);
  std::vector<std::pair<int64_t, int64_t>> border(static_cast<size_t>(diagonal.ndim()));
  border.back() = {0, whole - n};
  Tensor inverses = diagonal.pad(border, 1).unsqueeze(-1).unsqueeze(-1);  // [..., blocks, 1, 1]
  for (int64_t size = 1; size < whole; size *= 2) {
    const Tensor corner =
        diagonal_blocks(lower, whole / (2 * size)).index({Ellipsis, Slice(size), Slice(0, size)});
    const Tensor first = inverses.index({Ellipsis, Slice(0, std::nullopt, 2), Slice(), Slice()});
    const Tensor second = inverses.index({Ellipsis, Slice(1, std::nullopt, 2), Slice(), Slice()});
    const Tensor beside = second.matmul(corner).matmul(first);
    inverses = (within(first, 0, 0, 2 * size) + within(second, size, size, 2 * size) -
                within(beside, size, 0, 2 * size))
                   .contiguous();
  }
  return inverses.squeeze(-3).index({Ellipsis, Slice(0, n), Slice(0, n)});
}

}  // namespace

Tensor Tensor::solve_triangular(const Tensor& b, const SolveTriangularOptions& o) const {
  constexpr std::string_view kName = "solve_triangular";
  const UOp x = node_of(*this, kName), y = node_of(b, kName);
  check_square(kName, x);
  if (y.ndim() < 2 || y.dim(y.ndim() - (o.left ? 2 : 1)) != x.dim(x.ndim() - 1)) {
    user_error<ShapeError>(
        kName,
        fmt::format("needs a right side {} for a matrix [..., n, n], got {} for {}",
                    o.left ? "[..., n, k]" : "[..., k, n]", text(y.shape()), text(x.shape())));
  }
  common_device(kName, {x, y});
  if (!o.left) {
    return transpose(-2, -1)
        .solve_triangular(b.transpose(-2, -1),
                          {.upper = !o.upper, .unitriangular = o.unitriangular})
        .transpose(-2, -1);
  }
  if (o.upper)  // lower in the opposite order
    return flip({-2, -1}).solve_triangular(b.flip(-2), {.unitriangular = o.unitriangular}).flip(-2);
  const DType result = promote(least_float(dtype()), least_float(b.dtype()));
  const Tensor matrix = cast(compute_float(result)), right = b.cast(compute_float(result));
  const int64_t n = size(-1);
  if (n == 0) return right.cast(result);
  const Tensor below = matrix.tril(-1);
  const Tensor on_diagonal = matrix.flatten(-2).index({Ellipsis, Slice(0, std::nullopt, n + 1)});
  const Tensor diagonal = o.unitriangular ? on_diagonal.ones_like() : on_diagonal;
  const Tensor inverse = inverse_of_lower(below, diagonal.reciprocal());
  // One step of refinement makes of the product what substitution would give.
  const Tensor first = inverse.matmul(right).contiguous();
  const Tensor missing = right - (below.matmul(first) + diagonal.unsqueeze(-1) * first);
  return (first + inverse.matmul(missing)).cast(result);
}

}  // namespace tg
