// Fresh storage and what it starts with. Internal to src/tensor.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tg/ir/uop.h"
#include "tg/tensor.h"

namespace tg::ops_detail {

/// `t`, of which tensors can be made; DTypeError if there is no storage of it.
DType storable(std::string_view fn, DType t);
/// ShapeError for negative sizes, or more elements than can be counted.
void check_sizes(std::string_view fn, const Shape& shape);

/// A BUFFER of undefined contents; `device` empty: the default device. On several devices: a part
/// on each along `axis`, or all if that is negative.
UOp empty_buffer(const Shape& shape, DType t, const std::string& device, int axis = -1);
/// A BUFFER with a copy of `data`, row-major elements of `t`.
UOp data_buffer(const Shape& shape, DType t, const std::string& device, const void* data);
/// A BUFFER that is filled with `value` when it is first needed: assignable, and told apart from
/// equal expressions. `device` empty: that of the value, else the default device. Split between
/// several devices as the value is.
UOp stored(const UOp& value, const std::string& device);

/// Stores `value` in the storage that `target` names, which it gets if it has none. Gradients go
/// through the store to the value, except where the thread records none.
void store_value(const Tensor& target, const Tensor& value);

}  // namespace tg::ops_detail
