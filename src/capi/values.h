// tg_value and the library's FnValue, in both directions. What a user's value may hold is checked
// here, element by element; what a parameter accepts is the records' business.
#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include "capi/handles.h"
#include "tensor/records/value.h"
#include "tg/c/tg.h"

namespace tg::capi {

/// What the value holds, copied (bytes are borrowed). ArgumentError for one that breaks the rules
/// of tg.h, HandleError for its handles. `function` for messages.
FnValue from_c(const tg_value& value, const char* function);
/// The same for as long as the caller keeps the value: a tensor and integers are lent instead of
/// copied. `pin` keeps the tensor.
FnValue lent_from_c(const tg_value& value, const char* function, Pin& pin);
/// The same as a size; ArgumentError unless it is TG_INT or TG_SIZE.
SymInt size_from_c(const tg_value& value, const char* function);

/// A value that owns what it holds, which is no lent one. `kind` tells bytes from text.
tg_value to_c(FnValue&& value, FnKind kind = FnKind::None);
/// Gives back what the value owns, and makes it TG_NONE.
void clear(tg_value& value) noexcept;

/// A value that goes at the end of a scope, unless it was handed on before.
class OwnedValue {
 public:
  explicit OwnedValue(tg_value value) : value_(value) {}
  ~OwnedValue() { clear(value_); }
  OwnedValue(const OwnedValue&) = delete;
  OwnedValue& operator=(const OwnedValue&) = delete;
  tg_value& get() { return value_; }
  tg_value hand_on() { return std::exchange(value_, {}); }
  /// To somebody who may not want it.
  void hand_on_to(tg_value* result) {
    if (result != nullptr) *result = hand_on();
  }

 private:
  tg_value value_;
};

/// The dtype of this number; ArgumentError if tensors have no such dtype.
DType dtype_from_c(int64_t number, const char* function);
Shape shape_from_c(const int64_t* shape, size_t ndim, const char* function);

}  // namespace tg::capi
