// Decompositions of matrices: Cholesky's, QR by Householder's mirrors, singular values by Jacobi's
// rotations. They are compositions of tensor functions, so they run on every device and gradients
// flow through them, and through those again. The steps of a loop are one expression, so that they
// have the same kernels. Systems of equations: solve.cpp.
#include <algorithm>
#include <bit>

#include "tensor/ops.h"

namespace tg {
namespace {

using namespace ops_detail;

void check_matrix(std::string_view fn, const UOp& x) {
  if (x.ndim() < 2)
    user_error<ShapeError>(fn, fmt::format("needs a matrix, got shape {}", text(x.shape())));
  need_plain_axes(fn, x);
}

// The shape of the leading axes with two more.
Shape with_matrix(const Shape& like, int64_t rows, int64_t columns) {
  Shape out(like.begin(), like.end() - 2);
  out.insert(out.end(), {rows, columns});
  return out;
}

Tensor identities(const Shape& lead, int64_t n, const Tensor& like) {
  const Tensor one = Tensor::eye(n, -1, {.dtype = like.dtype(), .device = like.device()});
  return one.expand(with_matrix(lead, n, n));
}

// The number i as an element in memory: steps that differ in it alone are one kernel, compiled
// once.
Tensor step_number(int64_t i, const Tensor& like) {
  return Tensor(std::vector<int64_t>{i}, {.dtype = DType::Int32, .device = like.device()});
}

// Column i of [..., n, m] with zeros above row i.
Tensor column_from(const Tensor& x, const Tensor& i) {
  const Tensor column = x.index({Ellipsis, i}).squeeze(-1);
  return (counted(x.size(-2), x) >= i).where(column, 0);
}

// Householder's mirror for column i: x − scale · v·vᵀ·x has zeros below row i there.
struct Mirror {
  Tensor v;      // [..., n]
  Tensor scale;  // [..., 1, 1]
};
Mirror mirror_for(const Tensor& x, const Tensor& i) {
  const ReduceOptions last = {.axis = -1, .keepdim = true};
  const Tensor below = column_from(x, i);
  const Tensor norm = below.square().sum(last).sqrt();
  const Tensor first = below.index({Ellipsis, i});
  const Tensor here = counted(x.size(-2), x).eq(i);
  const Tensor v = below + here.where((first >= 0).where(norm, -norm), 0);
  const Tensor square = v.square().sum(last);
  const Tensor is_zero = square.eq(0);
  return {v, is_zero.where(0, 2 / is_zero.where(1, square)).unsqueeze(-1)};
}

// Columns as players of a tournament, [..., n/2, length] each: the i-th of one side meets the i-th
// of the other.
struct Sides {
  Tensor first, second;
};

// Both sides with their pairs of columns rotated so that their first `length` elements are at right
// angles.
Sides rotated(const Sides& x, int64_t length) {
  const IndexItem part = Slice(0, length);
  const Tensor a = x.first.index({Ellipsis, part}), b = x.second.index({Ellipsis, part});
  const ReduceOptions last = {.axis = -1, .keepdim = true};
  const Tensor alpha = a.square().sum(last), beta = b.square().sum(last), gamma = (a * b).sum(last);
  const Tensor small = gamma.abs() <= 1e-30;
  const Tensor zeta = (beta - alpha) / (2 * small.where(1, gamma));
  const Tensor t =
      small.where(0, (zeta >= 0).where(1, -1) / (zeta.abs() + (1 + zeta.square()).sqrt()));
  const Tensor c = (1 + t.square()).rsqrt(), s = c * t;
  return {x.first * c - x.second * s, x.first * s + x.second * c};
}

// The next round: all but the first player move on by one chair. After n − 1 rounds each has met
// each once, and sits where it sat.
Sides moved_on(const Sides& x) {
  const int64_t n = x.first.size(-2);
  if (n == 1) return x;
  const auto chairs = [](const Tensor& side, int64_t from, int64_t to) {
    return side.index({Ellipsis, Slice(from, to), Slice()});
  };
  return {
      Tensor::cat({chairs(x.first, 0, 1), chairs(x.second, 0, 1), chairs(x.first, 1, n - 1)}, -2),
      Tensor::cat({chairs(x.second, 1, n), chairs(x.first, n - 1, n)}, -2)};
}

// How often all pairs are rotated until nothing is left to rotate.
int64_t sweeps_for(int64_t columns) {
  if (columns <= 1) return 0;
  return std::max<int64_t>(6, std::bit_width(static_cast<uint64_t>(columns)) + 4);
}

// The columns of `a` rotated until they are at right angles, and those of the identity with them:
// a·V and V.
std::pair<Tensor, Tensor> right_angled(const Tensor& a) {
  const int64_t rows = a.size(-2), n = a.size(-1), half = (n + 1) / 2;
  const Tensor both = Tensor::cat({a, identities(a.shape(), n, a)}, -2);
  std::vector<std::pair<int64_t, int64_t>> border(static_cast<size_t>(a.ndim()));
  border.back().second = n % 2;
  const Tensor columns = both.pad(border).transpose(-2, -1);
  Sides sides = {columns.index({Ellipsis, Slice(0, half), Slice()}),
                 columns.index({Ellipsis, Slice(half), Slice()})};
  const int64_t rounds = sweeps_for(n) * (2 * half - 1);
  for (int64_t round = 0; round < rounds; ++round) {
    sides = moved_on(rotated(sides, rows));
    sides = {sides.first.contiguous(), sides.second.contiguous()};
  }
  const Tensor all = Tensor::cat({sides.first, sides.second}, -2)
                         .index({Ellipsis, Slice(0, n), Slice()})
                         .transpose(-2, -1);
  return {all.index({Ellipsis, Slice(0, rows), Slice()}),
          all.index({Ellipsis, Slice(rows), Slice()})};
}

}  // namespace

Tensor ops_detail::counted(int64_t n, const Tensor& like) {
  return Tensor::arange(static_cast<double>(n), {.device = like.device()});
}

void ops_detail::check_square(std::string_view fn, const UOp& x) {
  if (x.ndim() < 2 || x.dim(x.ndim() - 1) != x.dim(x.ndim() - 2))
    user_error<ShapeError>(fn, fmt::format("needs a square matrix, got shape {}", text(x.shape())));
  need_plain_axes(fn, x);
}

// A column of the factor is what is left of the matrix's, over the root of its element on the
// diagonal. Its square is taken from what is left.
Tensor Tensor::cholesky(bool upper) const {
  check_square("cholesky", node_of(*this, "cholesky"));
  if (upper) return transpose(-2, -1).cholesky().transpose(-2, -1);
  const DType result = least_float(dtype());
  Tensor x = cast(compute_float(result));
  const Tensor place = counted(size(-1), x);
  for (int64_t step = 0; step < size(-1); ++step) {
    x = x.contiguous();
    const Tensor i = step_number(step, x);
    const Tensor left = column_from(x, i);
    const Tensor column = left / left.index({Ellipsis, i}).sqrt();
    const Tensor below = (place > i).where(column, 0);
    const Tensor rest = x - below.unsqueeze(-1) * below.unsqueeze(-2);
    x = place.eq(i).where(column.unsqueeze(-1), rest);
  }
  return x.tril().cast(result);
}

std::pair<Tensor, Tensor> Tensor::qr() const {
  const UOp x = node_of(*this, "qr");
  check_matrix("qr", x);
  const int64_t rows = x.dim(x.ndim() - 2), columns = x.dim(x.ndim() - 1);
  Tensor r = cast(least_float(dtype()));
  Tensor q = identities(x.shape_vec(), rows, r);
  for (int64_t i = 0; i < std::min(rows - 1, columns); ++i) {
    r = r.contiguous(), q = q.contiguous();
    const auto [v, scale] = mirror_for(r, step_number(i, r));
    const Tensor column = v.unsqueeze(-1), row = v.unsqueeze(-2);
    r = r - scale * column.matmul(row.matmul(r));
    q = q - scale * q.matmul(column).matmul(row);
  }
  return {q, r};
}

std::vector<Tensor> Tensor::svd(bool full_matrices) const {
  const UOp x = node_of(*this, "svd");
  check_matrix("svd", x);
  const Shape shape = x.shape_vec();
  const int64_t rows = x.dim(x.ndim() - 2), columns = x.dim(x.ndim() - 1);
  if (rows < columns) {
    const auto turned = transpose(-2, -1).svd(full_matrices);
    return {turned[2].transpose(-2, -1), turned[1], turned[0].transpose(-2, -1)};
  }
  const auto [q, r] = qr();
  const auto [a, v] = right_angled(r[{Ellipsis, Slice(0, columns), Slice()}]);
  const auto [s, order] = a.square().sum({.axis = -2}).sqrt().sort(-1, true);
  const Tensor wanted = order.unsqueeze(-2).expand(with_matrix(shape, columns, columns));
  Tensor u = a.gather(-1, wanted) / s.eq(0).where(1, s).unsqueeze(-2);
  const Tensor vt = v.gather(-1, wanted).transpose(-2, -1);
  if (!full_matrices || rows == columns) return {q[{Ellipsis, Slice(0, columns)}].matmul(u), s, vt};
  std::vector<std::pair<int64_t, int64_t>> border(shape.size());
  border.back() = border[shape.size() - 2] = {0, rows - columns};
  const Tensor beyond = counted(rows, a) >= columns;
  u = u.pad(border) + beyond.where(identities(shape, rows, a), 0);
  return {q.matmul(u), s, vt};
}

}  // namespace tg
