// See tg/interop.h: the border of this library, opened for other libraries in C++.
#include "tg/interop.h"

#include <string>
#include <utility>

#include "capi/guard.h"
#include "capi/handles.h"
#include "capi/values.h"

namespace tg::interop {

using namespace tg::capi;

tg_tensor handle_of(const Tensor& tensor) { return make_handle<tg_tensor>(tensor); }

tg_state handle_of(nn::StateDict tensors) {
  return make_handle<tg_state>(std::make_shared<State>(State{std::move(tensors)}));
}

Tensor tensor_of(tg_tensor handle, std::string_view function) {
  return object<Tensor>(handle, std::string(function).c_str());
}

nn::StateDict tensors_of(tg_state handle, std::string_view function) {
  return object<std::shared_ptr<State>>(handle, std::string(function).c_str())->tensors;
}

const void* handle_of(std::shared_ptr<void> held, std::string_view kind) {
  return make_handle<void*>(
      std::make_shared<ForeignObject>(ForeignObject{std::move(held), std::string(kind)}));
}

std::shared_ptr<void> object_of(const void* handle, std::string_view kind,
                                std::string_view function) {
  const auto foreign =
      object<std::shared_ptr<ForeignObject>>(handle, std::string(function).c_str());
  if (foreign->kind != kind)
    throw HandleError(
        fmt::format("{}: the handle must be {}, not {}.", function, kind, foreign->kind));
  return foreign->object;
}

tg_value text_value(std::string_view text) { return to_c(std::string(text)); }

tg_status guarded(void (*body)(void* context), void* context) noexcept {
  return capi::guarded([&] { body(context); });
}

}  // namespace tg::interop
