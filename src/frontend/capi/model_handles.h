// What the functions for C of this folder share: handles of models, and pointers that must be
// given.
#pragma once

#include <fmt/format.h>

#include <memory>
#include <string_view>
#include <utility>

#include "support/check.h"
#include "tg/interop.h"

namespace tg::capi_models {

/// ArgumentError unless the pointer is given.
inline void check_given(const void* pointer, std::string_view function, std::string_view name) {
  if (pointer == nullptr)
    user_error<ArgumentError>(function, fmt::format("{} must not be null", name));
}

/// A new handle of the type that the C interface declares.
template <typename Handle, typename Model>
Handle new_handle(Model model, std::string_view kind) {
  return static_cast<Handle>(interop::handle_of(std::make_shared<Model>(std::move(model)), kind));
}

/// The model behind a handle, which stays as long as the pointer.
template <typename Model>
std::shared_ptr<Model> model_of(const void* handle, std::string_view kind,
                                std::string_view function) {
  return std::static_pointer_cast<Model>(interop::object_of(handle, kind, function));
}

/// A text that may be left out.
inline const char* text_or_empty(const char* text) { return text == nullptr ? "" : text; }

}  // namespace tg::capi_models
