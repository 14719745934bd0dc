// For C++ libraries that offer functions of their own through the C interface (tg/c/tg.h): handles
// for their objects, tensors behind handles, and exceptions as statuses, all by the rules of that
// header. tinygrad::models offers its models in this way (tg/c/tg_models.h). Programs in C++ need
// none of it.
//
//   tg_status my_double(tg_tensor x, tg_tensor* result) {
//     return tg::interop::guarded([&] {
//       *result = tg::interop::handle_of(tg::interop::tensor_of(x, "my_double") * 2);
//     });
//   }
#pragma once

#include <memory>
#include <string_view>

#include "tg/c/tg.h"
#include "tg/export.h"
#include "tg/nn.h"
#include "tg/tensor.h"

namespace tg::interop {

/// A new handle, with one owner, of a tensor, or of tensors by name.
TG_API tg_tensor handle_of(const Tensor& tensor);
TG_API tg_state handle_of(nn::StateDict tensors);
/// What is behind a handle. Throws an Error, which becomes TG_ERROR_HANDLE, for a handle that is
/// null, was released or is of another kind; `function` stands in its message.
TG_API Tensor tensor_of(tg_tensor handle, std::string_view function);
TG_API nn::StateDict tensors_of(tg_state handle, std::string_view function);

/// A new handle, with one owner, of an object that only its own library knows. `kind`, "an ONNX
/// model", is what messages call it.
TG_API const void* handle_of(std::shared_ptr<void> object, std::string_view kind);
/// The object behind such a handle. Throws as tensor_of does, also if it was made as another kind.
TG_API std::shared_ptr<void> object_of(const void* handle, std::string_view kind,
                                       std::string_view function);

/// A text as a result: it goes by tg_value_clear.
TG_API tg_value text_value(std::string_view text);

/// Calls `body(context)`: TG_OK, or the status of what it threw, whose message tg_error_message
/// gives. No exception passes.
TG_API tg_status guarded(void (*body)(void* context), void* context) noexcept;
/// The same of a function object.
template <typename F>
tg_status guarded(F&& body) noexcept {
  return guarded([](void* context) { (*static_cast<F*>(context))(); }, &body);
}

}  // namespace tg::interop
