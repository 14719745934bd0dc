// How values lie on several devices: for each node of a graph that lives on a group
// (uop/device_groups.h), along which axis it is split, or that every member has all of it. Nodes
// have the shapes of whole values; only storage and COPY state an axis, everything else follows
// from them here. A graph is taken apart by these answers in partition.h.
#pragma once

#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "tg/ir/function_ref.h"
#include "tg/ir/uop.h"

namespace tg {

/// In the place of an axis: every member has the whole value.
inline constexpr int kWhole = -1;

/// The axis of the reshaped array that cuts into the same `count` pieces as axis `axis` does
/// before; kWhole if none does.
int reshaped_axis(std::span<const Dim> from, std::span<const Dim> to, int axis, size_t count);

/// The axis of a node on a group, from those of its sources; kWhole for sources elsewhere.
int axis_of(const Node* n, FunctionRef<int(const Node*)> axis_of_source);

/// Where the terms of a sum are split between members, and each has one of the terms of the result.
/// The axis along which they are; kWhole if none is.
int summed_axis(const Node* n, FunctionRef<int(const Node*)> axis_of_source);

/// Along which axis `x` is split, if it lives on a group; kWhole if it is not. O(graph).
int shard_axis(const UOp& x);

}  // namespace tg
