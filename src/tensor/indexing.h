// How the items between the brackets are read: shared by reading (index.cpp) and writing
// (setitem.cpp). Internal.
#pragma once

#include <vector>

#include "tensor/ops.h"

namespace tg::ops_detail {

/// A tensor that picks along `axis` of the view that the other items leave.
struct Pick {
  int axis;
  UOp index;
};

struct ParsedIndex {
  UOp view;  ///< after integers, ranges and new axes: a chain of movement ops
  std::vector<Pick> picks;
  bool apart = false;  ///< tensors, and integers beside them, are not neighbours
  int first = 0;       ///< axis of the view where the first of them stands
};

/// Whether the item is a tensor of bool, which stands for as many axes as it has.
bool is_mask(const IndexItem& i);
/// One item for every axis, a mask for several, and new axes: IndexError for too many, and for
/// masks of other sizes than the axes.
std::vector<IndexItem> items_of_all_axes(std::string_view fn, const std::vector<IndexItem>& items,
                                         const UOp& x);

ParsedIndex parse_index(std::string_view fn, const std::vector<IndexItem>& items, const UOp& x);

/// The picked axes as one: what several index tensors together mean.
struct FlatPicks {
  std::vector<int64_t> order;  ///< axes of the view: the picked ones, then the rest
  UOp table;                   ///< the view as [picked, rest…]
  UOp index;                   ///< int64 of `shape`; −1 where one of them is outside its axis
  Shape shape;                 ///< of the index tensors, broadcast
  Shape rest;                  ///< sizes of the axes that are not picked
  int before = 0;              ///< how many of these stand before the index axes in the result
  std::vector<int64_t> back;   ///< order that brings [picked, rest…] to the result's order
};
FlatPicks flat_picks(std::string_view fn, const ParsedIndex& p);

/// Assigns `value` to the places of `base` where a mask, the only tensor among the items, is true.
/// Nothing is computed now.
void set_masked(const Tensor& base, const std::vector<IndexItem>& items, const Tensor& value);

/// Assigns `value` to the places of `base` that the items, of which some are tensors, pick.
void set_picked(const Tensor& base, const std::vector<IndexItem>& items, const Tensor& value);

}  // namespace tg::ops_detail
