// Fresh storage and what it starts with. Internal to src/tensor.
#pragma once

#include <cstdint>
#include <string>

#include "uop/uop.h"

namespace tg::ops_detail {

/// A BUFFER of undefined contents; `device` empty: the default device.
UOp empty_buffer(const Shape& shape, DType t, const std::string& device);
/// A BUFFER with a copy of `data`, row-major elements of `t`.
UOp data_buffer(const Shape& shape, DType t, const std::string& device, const void* data);
/// A BUFFER that is filled with `value` when it is first needed: assignable, and told apart from
/// equal expressions.
UOp stored(const UOp& value, const std::string& device);

}  // namespace tg::ops_detail

namespace tg {

class Buffer;
/// Fills the storage of a draw of `numbers` random numbers (random.cpp) with the state of a new
/// one.
void draw_again(Buffer& state, int64_t numbers);

}  // namespace tg
