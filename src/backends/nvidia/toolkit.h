// Where NVIDIA's toolkit keeps its libraries, which are opened at run time.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "runtime/found_library.h"
#include "support/dynamic_library.h"

namespace tg::nvidia {

/// A library of the toolkit. What the loader found is open: closed in between, it would be read
/// twice, and what it allocated the first time would be lost.
struct ToolkitLibrary {
  std::string path;
  DynamicLibrary opened;
};

/// The first of the libraries `names` in the toolkit of option CUDA_PATH; without it where the
/// loader looks, then in /usr/local/cuda. Its path is empty if there is none.
ToolkitLibrary find_toolkit_library(std::span<const std::string_view> names);
/// What to do when none was found; `name` is that of the library.
std::string missing_toolkit_advice(std::string_view name);

/// A text or binary that a library gives of `object`; empty on errors.
template <typename Object, typename Byte>
std::string bytes_of(Object* object, int (*size_of)(Object*, size_t*), int (*get)(Object*, Byte*)) {
  size_t size = 0;
  if (size_of(object, &size) != 0) return {};
  std::string out(size, '\0');
  return get(object, out.data()) == 0 ? out : std::string();
}
/// The same of a text that ends at its first zero.
template <typename Object, typename Byte>
std::string text_of(Object* object, int (*size_of)(Object*, size_t*), int (*get)(Object*, Byte*)) {
  const std::string bytes = bytes_of(object, size_of, get);
  return bytes.substr(0, bytes.find('\0'));
}

/// The `T` that is made of the path of such a library, or why there is none.
template <typename T>
FoundLibrary<T> found_in_toolkit(std::span<const std::string_view> names) {
  const ToolkitLibrary library = find_toolkit_library(names);
  return {library.path, missing_toolkit_advice(names.front()),
          [](const std::string& path) { return std::make_unique<const T>(path); }};
}

}  // namespace tg::nvidia
