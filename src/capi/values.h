// tg_value and the library's FnValue, in both directions. What a user's value may hold is checked
// here, element by element; what a parameter accepts is the records' business.
#pragma once

#include <cstddef>
#include <string>

#include "tensor/records/value.h"
#include "tg/c/tg.h"

namespace tg::capi {

/// What the value holds, copied (bytes are borrowed). ArgumentError for one that breaks the rules
/// of tg.h, HandleError for its handles. `function` for messages.
FnValue from_c(const tg_value& value, const char* function);
/// The same as a size; ArgumentError unless it is TG_INT or TG_SIZE.
SymInt size_from_c(const tg_value& value, const char* function);

/// A value that owns what it holds. `kind` tells bytes from text.
tg_value to_c(FnValue value, FnKind kind = FnKind::None);
/// Gives back what the value owns, and makes it TG_NONE.
void clear(tg_value& value) noexcept;

/// The dtype of this number; ArgumentError if tensors have no such dtype.
DType dtype_from_c(int64_t number, const char* function);
Shape shape_from_c(const int64_t* shape, size_t ndim, const char* function);

}  // namespace tg::capi
