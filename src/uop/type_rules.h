// Type rules shared by many op records: how shape, dtype, lanes, space and device of a node follow
// from its sources. A rule throws the user error that names both shapes or dtypes, at the line that
// made the node.
#pragma once

#include "tg/ir/node.h"

namespace tg::type_rule {

void same_as_src0(const NodeSpec& in, DerivedType& out);
void elementwise(const NodeSpec& in,
                 DerivedType& out);  ///< equal shapes, lanes, dtypes; dtype of source 0
void compare(const NodeSpec& in, DerivedType& out);     ///< as elementwise, gives bool
void float_only(const NodeSpec& in, DerivedType& out);  ///< as elementwise, floats only
void int_only(const NodeSpec& in, DerivedType& out);    ///< as elementwise, integers and bool only
void where(const NodeSpec& in, DerivedType& out);       ///< (bool, T, T) → T
void stated_dtype(const NodeSpec& in, DerivedType& out);  ///< shape of source 0, the stated dtype
void bitcast(const NodeSpec& in, DerivedType& out);       ///< the same, sizes equal
void scalar_leaf(const NodeSpec& in, DerivedType& out);   ///< shape [], the stated dtype
void effect(const NodeSpec& in, DerivedType& out);        ///< dtype Void, shape []

/// Shape, limits, lanes and device of the first source; shared by the rules above and those of the
/// movement ops.
void inherit(const NodeSpec& in, DerivedType& out);
/// `limit` joins what is known of the size of an axis; two different ones raise ShapeError. An axis
/// without one is as long as it must be.
void join_limit(const NodeSpec& in, DerivedType& out, size_t axis, const Node* limit);

}  // namespace tg::type_rule
