// See ordering.h. An element and its place are one integer, the key above the place: such integers
// differ, so that comparing them keeps equal elements in order, and a step of the sort is a minimum
// and a maximum. Keys of 64 bits have no room for the place: their rows are sorted by the low words
// first, then, keeping that order among equals, by the high ones.
//
// Rows are sorted by a bitonic network of log n · (log n + 1) / 2 steps, each a kernel that reads
// two elements and writes one. A step compares elements of fixed distance; the first one of a merge
// reads the second half backwards, so that all merges go upwards. With enough rows the row's axis
// stands outside: then all distances are whole vectors. Steps are stored, each one: two of them in
// one kernel would compute half of their comparisons twice, which costs more than memory does.
// Short rows count for each element how many come before it: two kernels instead of many steps.
//
// The first k of n come out of the k blocks of √(n/k) elements whose first elements come first:
// nothing in any other block comes before these. So blocks are ordered by their first elements, and
// those k blocks, about √(n·k) elements, are searched again. Each element is read once.
#include "tensor/ordering.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "tensor/ops.h"

namespace tg::ops_detail {
namespace {

constexpr Dim kCountedRow = 16;  // rows up to this length are sorted by counting
constexpr Dim kRowsOutside = 8;  // from so many rows on, they fill vectors
constexpr Dim kBlocksPay = 16;   // how much longer than k a row is that is cut into blocks
constexpr Dim kShortRow = 64;    // rows up to this length are not

// Floats as integers of their size, in order: negative ones with their other bits turned round.
UOp float_keys(const UOp& x, DType bits_type, int bits) {
  UOp b = bitcast(x, bits_type);
  b = where(eq(x, const_like(x, 0.0)), const_like(b, int64_t{0}), b);
  if (bits == 16) b = cast(b, DType::Int32);
  const UOp mask = const_like(b, largest_key(bits));
  UOp key = where(lt(b, const_like(b, int64_t{0})), b ^ mask, b);
  return where(ne(x, x), mask, key);
}

SortKeys ascending_keys(const UOp& x) {
  const DType t = x.dtype();
  const auto wrapped = [&](DType as, int64_t lowest) {
    UOp b = bitcast(x, as);
    return b ^ const_like(b, lowest);
  };
  switch (t) {
    case DType::Bool:
      return {cast(x, DType::Int32), 2};
    case DType::Int8:
      return {cast(x, DType::Int32), 8};
    case DType::UInt8:
      return {cast(x, DType::Int32), 9};
    case DType::Int16:
      return {cast(x, DType::Int32), 16};
    case DType::UInt16:
      return {cast(x, DType::Int32), 17};
    case DType::Int32:
      return {x, 32};
    case DType::UInt32:
      return {wrapped(DType::Int32, std::numeric_limits<int32_t>::min()), 32};
    case DType::UInt64:
      return {wrapped(DType::Int64, std::numeric_limits<int64_t>::min()), 64};
    case DType::Float16:
    case DType::BFloat16:
      return {float_keys(x, DType::Int16, 16), 16};
    case DType::Float32:
      return {float_keys(x, DType::Int32, 32), 32};
    case DType::Float64:
      return {float_keys(x, DType::Int64, 64), 64};
    default:
      if (is_float(t)) return ascending_keys(cast(x, DType::Float16));  // fp8: exact
      return {cast(x, DType::Int64), 64};
  }
}

// [rows, n]: keys above places. The places of `n` need `shift` bits.
UOp packed(const SortKeys& keys, int shift) {
  const DType t = keys.bits + shift <= 32 ? DType::Int32 : DType::Int64;
  UOp high = cast(keys.value, t);
  high = shl(high, const_like(high, int64_t{shift}));
  return high | iota(high.shape_vec(), 1, t);
}

// The first half of each pair gets the smaller one. `v` is [blocks, 2, distance, lanes].
UOp compared(const UOp& v, bool mirrored) {
  const std::vector<int64_t> axes = mirrored ? std::vector<int64_t>{1, 2} : std::vector<int64_t>{1};
  UOp other = flip(v, axes);
  UOp less = lt(v, other);
  UOp half = iota(v.shape_vec(), 1, DType::Int32);
  UOp upper = ne(half, const_like(half, int64_t{0}));
  return where(upper, where(less, other, v), where(less, v, other));
}

// Elements put where as many are as come before them. Of equal ones the first comes first.
UOp sorted_by_counting(const UOp& x) {
  const Dim rows = x.dim(0), n = x.dim(1);
  const Shape square = {rows, n, n};
  UOp own = expand(reshape(x, {rows, 1, n}), square);
  UOp other = expand(reshape(x, {rows, n, 1}), square);
  UOp earlier = lt(iota(square, 1, DType::Int32), iota(square, 2, DType::Int32));
  UOp before = lt(other, own) | (eq(other, own) & earlier);
  const std::vector<int64_t> others = {1}, all = {2};
  UOp rank = contiguous(reduce(cast(before, DType::Int32), ReduceOp::Add, others));  // [rows, 1, n]
  UOp here = eq(expand(rank, square), iota(square, 1, DType::Int32));
  UOp sum = reduce(where(here, own, const_like(own, int64_t{0})), ReduceOp::Add, all);
  return reshape(sum, {rows, n});
}

UOp sorted_by_network(const UOp& x) {
  const Dim rows = x.dim(0), n = x.dim(1);
  const auto whole = static_cast<Dim>(std::bit_ceil(static_cast<uint64_t>(n)));
  const Scalar last =
      Scalar::of_int(dtype_size(x.dtype()) == 8 ? largest_key(64) : largest_key(32), x.dtype());
  const std::vector<int64_t> border = {0, 0, 0, whole - n}, swapped = {1, 0};
  UOp v = pad(x, border, last);
  const bool outside = rows >= kRowsOutside;
  if (outside) v = permute(v, swapped);
  v = contiguous(v);
  const Dim lanes = outside ? rows : 1;
  for (Dim merged = 2; merged <= whole; merged *= 2) {
    for (Dim distance = merged / 2; distance >= 1; distance /= 2) {
      v = reshape(v, {rows * whole / (2 * distance * lanes), 2, distance, lanes});
      v = contiguous(compared(v, distance == merged / 2));
    }
  }
  v = outside ? permute(reshape(v, {whole, rows}), swapped) : reshape(v, {rows, whole});
  return shrink_axis(v, 1, 0, n);
}

// Places by the low 32 bits, then by the high ones.
UOp places_of_wide(const UOp& key) {
  UOp low = bitcast(cast(key, DType::UInt32), DType::Int32);
  low = low ^ const_like(low, int64_t{std::numeric_limits<int32_t>::min()});
  UOp high = cast(shr(key, const_like(key, int64_t{32})), DType::Int32);
  UOp by_low = contiguous(places_in_order({low, 32}));
  UOp by_high = places_in_order({contiguous(gather(high, by_low, 1)), 32});
  return gather(by_low, by_high, 1);
}

}  // namespace

int64_t largest_key(int bits) { return static_cast<int64_t>((uint64_t{1} << (bits - 1)) - 1); }

SortKeys sort_keys(const UOp& x, bool descending) {
  SortKeys keys = ascending_keys(x);
  if (descending) keys.value = order_reversed(keys.value);
  return keys;
}

int place_bits(Dim n) { return n < 2 ? 0 : std::bit_width(static_cast<uint64_t>(n - 1)); }

UOp sorted_rows(const UOp& x) {
  if (x.dim(1) < 2 || x.numel() == 0) return x;
  return x.dim(1) <= kCountedRow ? sorted_by_counting(x) : sorted_by_network(x);
}

UOp places_in_order(const SortKeys& keys) {
  const Dim n = keys.value.dim(1);
  if (keys.bits > 32 && n > 1) return places_of_wide(keys.value);
  if (n < 2) return iota(keys.value.shape_vec(), 1, DType::Int32);
  const int shift = place_bits(n);
  UOp sorted = sorted_rows(packed(keys, shift));
  return cast(sorted & const_like(sorted, (int64_t{1} << shift) - 1), place_dtype(n));
}

UOp first_places(const SortKeys& keys, Dim k) {
  const UOp& x = keys.value;
  const Dim rows = x.dim(0), n = x.dim(1);
  if (k == 0 || n <= kShortRow || n / kBlocksPay < k) {
    return shrink_axis(places_in_order(keys), 1, 0, k);
  }
  const auto ratio = static_cast<double>(n) / static_cast<double>(k);
  const auto length = static_cast<Dim>(std::lround(std::sqrt(ratio)));
  const Dim blocks = (n + length - 1) / length;
  const Scalar last = Scalar::of_int(largest_key(keys.bits), x.dtype());
  const std::vector<int64_t> border = {0, 0, 0, blocks * length - n}, inside = {2};
  UOp cut = reshape(pad(x, border, last), {rows, blocks, length});
  UOp best = order_reversed(reduce(order_reversed(cut), ReduceOp::Max, inside));
  best = contiguous(reshape(best, {rows, blocks}));
  // Blocks in the order of the row: what is equal in two of them stays in order too.
  UOp chosen = contiguous(sorted_rows(first_places({best, keys.bits}, k)));
  const Shape wide = {rows, k, length};
  UOp place = expand(reshape(chosen, {rows, k, 1}), wide);
  place = cast(place, place_dtype(n));
  place = place * const_like(place, length) + iota(wide, 2, place.dtype());
  place = reshape(place, {rows, k * length});
  UOp within = lt(place, const_like(place, n));
  UOp key = gather(x, where(within, place, const_like(place, n - 1)), 1);
  key = contiguous(where(within, key, const_like(key, last)));
  return gather(place, first_places({key, keys.bits}, k), 1);
}

}  // namespace tg::ops_detail
