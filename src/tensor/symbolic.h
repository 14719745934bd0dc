// From sizes of the public interface to scalars of the graph and back; and what reshape, expand and
// slices do with them. Internal. The meaning of variable sizes: uop/limits.h.
#pragma once

#include <string_view>

#include "tg/ir/uop.h"
#include "tg/symbolic.h"

namespace tg::ops_detail {

/// The scalar (dtype Index) of a size, simplified.
UOp index_node(const SymInt& size);
/// The size of a scalar of dtype Index: a number if it is one.
SymInt size_from(const UOp& index);

/// True if the size of no axis is an expression.
bool has_plain_sizes(const UOp& x);
/// `x` without limits: all of its extents.
UOp whole_extents(const UOp& x);

/// Elements [start, stop) of an axis where one of the three, start, stop or size, is an expression.
/// IndexError unless they exist for every value of the variables.
UOp symbolic_slice(std::string_view fn, const UOp& x, int axis, const SymInt& start,
                   const SymInt& stop);
/// The element at `place` of an axis, which stays with extent 1.
UOp symbolic_element(std::string_view fn, const UOp& x, int axis, const SymInt& place);
UOp symbolic_reshape(const UOp& x, const std::vector<SymInt>& sizes);
UOp symbolic_expand(const UOp& x, const std::vector<SymInt>& sizes);

}  // namespace tg::ops_detail
