// See shim.h.
#include "capi/shim.h"

#include "capi/functions.h"
#include "capi/guard.h"

namespace tg::capi {
namespace {

// Runs `call` and moves what it gives into `result`, by `read`; none is made if none is wanted.
template <typename T, typename Call, typename Read>
tg_status extracted(T* result, Call&& call, Read&& read) {
  tg_value value = {};
  const tg_status status = call(&value);
  if (status != TG_OK) return status;
  if (result == nullptr) return tg_value_clear(&value);
  *result = read(value);  // plain, or a handle that passes to the caller
  return TG_OK;
}

}  // namespace

tg_status Shim::call(size_t options_size, const tg_value* arguments, size_t count,
                     tg_value* result) const {
  if (options_size >= sizeof(size_t) && options_size < (size_t{1} << 16))
    return tg_call(function_, arguments, count, result);
  return guarded([&] {
    user_error<ArgumentError>(function_->name,
                              fmt::format("struct_size of the options is {}", options_size),
                              "Hint: set it to sizeof the structure.");
  });
}

tg_status Shim::call(size_t size, const tg_value* a, size_t n, bool* result) const {
  return extracted(
      result, [&](tg_value* v) { return call(size, a, n, v); },
      [](const tg_value& v) { return v.as.integer != 0; });
}
tg_status Shim::call(size_t size, const tg_value* a, size_t n, int64_t* result) const {
  return extracted(
      result, [&](tg_value* v) { return call(size, a, n, v); },
      [](const tg_value& v) { return v.as.integer; });
}
tg_status Shim::call(size_t size, const tg_value* a, size_t n, double* result) const {
  return extracted(
      result, [&](tg_value* v) { return call(size, a, n, v); },
      [](const tg_value& v) { return v.as.number; });
}
tg_status Shim::call(size_t size, const tg_value* a, size_t n, tg_dtype* result) const {
  return extracted(
      result, [&](tg_value* v) { return call(size, a, n, v); },
      [](const tg_value& v) { return static_cast<tg_dtype>(v.as.integer); });
}
tg_status Shim::call(size_t size, const tg_value* a, size_t n, tg_tensor* result) const {
  return extracted(
      result, [&](tg_value* v) { return call(size, a, n, v); },
      [](const tg_value& v) { return v.as.tensor; });
}
tg_status Shim::call(size_t size, const tg_value* a, size_t n, tg_layer* result) const {
  return extracted(
      result, [&](tg_value* v) { return call(size, a, n, v); },
      [](const tg_value& v) { return v.as.layer; });
}
tg_status Shim::call(size_t size, const tg_value* a, size_t n, tg_optimizer* result) const {
  return extracted(
      result, [&](tg_value* v) { return call(size, a, n, v); },
      [](const tg_value& v) { return v.as.optimizer; });
}

}  // namespace tg::capi
