// Sorting rows of nodes, made of elementwise kernels: keys that are integers, the network that
// sorts them, and the selection of the first few. sort.cpp puts it behind Tensor's functions; how
// it works and what it costs stands in ordering.cpp. Internal.
#pragma once

#include "tg/ir/uop.h"

namespace tg::ops_detail {

/// Signed integers (int32 or int64) in [−2^(bits−1), 2^(bits−1)): of two the smaller comes first.
struct SortKeys {
  UOp value;
  int bits = 0;
};

/// The key that comes last.
int64_t largest_key(int bits);

/// Keys by which the elements of `x` are ordered: NaN is the largest number, −0 equals +0, false
/// comes before true. `descending` turns the order round, so that NaN comes first.
SortKeys sort_keys(const UOp& x, bool descending);

/// Rows [rows, n] of signed integers in ascending order.
UOp sorted_rows(const UOp& x);

/// The places [rows, n] of keys [rows, n] in ascending order, int32 (int64 for rows that need it);
/// of equal keys the first comes first.
UOp places_in_order(const SortKeys& keys);

/// The first `k` ≤ n of these places, [rows, k], with work in proportion to n where k is much
/// smaller.
UOp first_places(const SortKeys& keys, Dim k);

/// How many bits number the places of a row of `n`.
int place_bits(Dim n);

}  // namespace tg::ops_detail
