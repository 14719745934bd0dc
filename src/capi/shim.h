// What stands behind each function of tg_ops.h (ops.cpp): its arguments become values, its result
// what the declaration says.
#pragma once

#include <array>
#include <cstddef>

#include "tg/c/tg.h"

namespace tg::capi {

/// The field of an options structure; TG_NONE if there is none, or the caller's structure ends
/// before it.
template <typename Options>
tg_value option(const Options* options, tg_value Options::* field) {
  if (options == nullptr) return {};
  const auto* const begin = reinterpret_cast<const char*>(options);
  const auto* const at = reinterpret_cast<const char*>(&(options->*field));
  const size_t end = static_cast<size_t>(at - begin) + sizeof(tg_value);
  return end <= options->struct_size ? options->*field : tg_value{};
}

/// A function by its name, looked up once.
class Shim {
 public:
  explicit Shim(const char* name) { tg_find_function(name, &function_); }

  template <typename Options, size_t N, typename Result>
  tg_status operator()(const Options* options, const std::array<tg_value, N>& arguments,
                       Result* result) const {
    return call(options == nullptr ? sizeof(tg_value) : options->struct_size, arguments.data(), N,
                result);
  }
  template <size_t N, typename Result>
  tg_status operator()(std::nullptr_t, const std::array<tg_value, N>& arguments,
                       Result* result) const {
    return call(sizeof(tg_value), arguments.data(), N, result);
  }
  template <typename Options, size_t N>
  tg_status operator()(const Options* options, const std::array<tg_value, N>& arguments,
                       std::nullptr_t) const {
    return (*this)(options, arguments, static_cast<tg_value*>(nullptr));
  }
  template <size_t N>
  tg_status operator()(std::nullptr_t, const std::array<tg_value, N>& arguments,
                       std::nullptr_t) const {
    return (*this)(nullptr, arguments, static_cast<tg_value*>(nullptr));
  }

 private:
  tg_status call(size_t options_size, const tg_value* arguments, size_t count,
                 tg_value* result) const;
  // The result as the plain type; what the function gives is of that kind. A null result is thrown
  // away.
  tg_status call(size_t, const tg_value*, size_t, bool* result) const;
  tg_status call(size_t, const tg_value*, size_t, int64_t* result) const;
  tg_status call(size_t, const tg_value*, size_t, double* result) const;
  tg_status call(size_t, const tg_value*, size_t, tg_dtype* result) const;
  tg_status call(size_t, const tg_value*, size_t, tg_tensor* result) const;
  tg_status call(size_t, const tg_value*, size_t, tg_layer* result) const;
  tg_status call(size_t, const tg_value*, size_t, tg_optimizer* result) const;

  tg_function function_ = nullptr;
};

}  // namespace tg::capi
