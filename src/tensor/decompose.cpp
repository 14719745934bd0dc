// Decompositions of matrices: QR by Householder's mirrors, singular values by Jacobi's rotations.
// They are compositions of tensor functions, so they run on every device and gradients flow through
// them. Many small matrices are decomposed together: that is what this is good at, not one large
// one.
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

using Columns = std::vector<int64_t>;
struct Round {
  Columns left, right;  // pair i is (left[i], right[i])
};

// Rounds of disjoint pairs in which each pair of columns meets once, as in a tournament: all but
// the first player move on by one chair. A player too few rests.
std::vector<Round> rounds_of(int64_t n) {
  std::vector<int64_t> players(static_cast<size_t>(n + n % 2));
  for (size_t i = 0; i < players.size(); ++i) players[i] = static_cast<int64_t>(i);
  std::vector<Round> out;
  for (size_t round = 1; round < players.size(); ++round) {
    Round r;
    for (size_t i = 0; i < players.size() / 2; ++i) {
      const auto [a, b] = std::minmax(players[i], players[players.size() - 1 - i]);
      if (b < n) r.left.push_back(a), r.right.push_back(b);
    }
    if (!r.left.empty()) out.push_back(r);
    std::rotate(players.begin() + 1, players.end() - 1, players.end());
  }
  return out;
}

Tensor places(const Columns& list, const Tensor& like) {
  return Tensor(list, {.dtype = DType::Int32, .device = like.device()});
}

// Cosine and sine of the rotations that bring each pair of columns to right angles, [..., 1,
// pairs].
std::pair<Tensor, Tensor> rotations(const Tensor& a, const Tensor& b) {
  const ReduceOptions rows = {.axis = -2};
  const Tensor alpha = a.square().sum(rows), beta = b.square().sum(rows), gamma = (a * b).sum(rows);
  const Tensor small = gamma.abs() <= 1e-30;
  const Tensor zeta = (beta - alpha) / (2 * small.where(1, gamma));
  const Tensor t =
      small.where(0, (zeta >= 0).where(1, -1) / (zeta.abs() + (1 + zeta.square()).sqrt()));
  const Tensor c = (1 + t.square()).rsqrt();
  return {c.unsqueeze(-2), (c * t).unsqueeze(-2)};
}

// Each pair of columns of `a` rotated to right angles, and those of `v` with them.
void rotate(Tensor& a, Tensor& v, const Round& round) {
  const Tensor left = places(round.left, a), right = places(round.right, a);
  const auto [c, s] = rotations(a[{Ellipsis, left}], a[{Ellipsis, right}]);
  const auto n = static_cast<size_t>(a.size(-1));
  Columns from_left(n, -1), from_right(n, -1);
  for (size_t i = 0; i < round.left.size(); ++i) {
    from_left[static_cast<size_t>(round.left[i])] = static_cast<int64_t>(i);
    from_right[static_cast<size_t>(round.right[i])] = static_cast<int64_t>(i);
  }
  const Tensor first = places(from_left, a), second = places(from_right, a);
  for (Tensor* m : {&a, &v}) {
    const Tensor x = (*m)[{Ellipsis, left}], y = (*m)[{Ellipsis, right}];
    const Tensor new_x = x * c - y * s, new_y = x * s + y * c;
    const Tensor moved =
        (first >= 0)
            .where(new_x[{Ellipsis, first.maximum(0)}], new_y[{Ellipsis, second.maximum(0)}]);
    *m = ((first < 0) & (second < 0)).where(*m, moved);
  }
}

// How often all pairs are rotated until nothing is left to rotate.
int64_t sweeps_for(int64_t columns) {
  if (columns <= 1) return 1;
  return std::max<int64_t>(6, std::bit_width(static_cast<uint64_t>(columns)) + 4);
}

}  // namespace

Tensor ops_detail::counted(int64_t n, const Tensor& like) {
  return Tensor::arange(static_cast<double>(n), {.device = like.device()});
}

std::pair<Tensor, Tensor> Tensor::qr() const {
  const UOp x = node_of(*this, "qr");
  check_matrix("qr", x);
  const int64_t rows = x.dim(x.ndim() - 2), columns = x.dim(x.ndim() - 1);
  Tensor r = cast(least_float(dtype()));
  Tensor q = identities(x.shape_vec(), rows, r);
  for (int64_t i = 0; i < std::min(rows - 1, columns); ++i) {
    r = r.contiguous(), q = q.contiguous();
    const ReduceOptions last = {.axis = -1, .keepdim = true};
    const Tensor below = (counted(rows, r) >= i).where(r[{Ellipsis, i}], 0);
    const Tensor norm = below.square().sum(last).sqrt();
    const Tensor here = counted(rows, r).eq(i);
    const Tensor first = r[{Ellipsis, Slice(i, i + 1), i}];
    const Tensor mirror = below + here.where((first >= 0).where(norm, -norm), 0);
    const Tensor square = mirror.square().sum(last);
    const Tensor is_zero = square.eq(0);
    const Tensor scale = is_zero.where(0, 2 / is_zero.where(1, square)).unsqueeze(-1);
    const Tensor column = mirror.unsqueeze(-1), row = mirror.unsqueeze(-2);
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
  Tensor a = r[{Ellipsis, Slice(0, columns), Slice()}];
  Tensor v = identities(shape, columns, a);
  const std::vector<Round> rounds = rounds_of(columns);
  for (int64_t sweep = sweeps_for(columns); sweep > 0; --sweep) {
    for (const Round& round : rounds) {
      a = a.contiguous(), v = v.contiguous();
      rotate(a, v, round);
    }
  }
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
