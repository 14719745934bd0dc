// Libraries with lifetimes and readable errors; how they are opened: os/library_*.cpp.
#include "support/dynamic_library.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "support/check.h"
#include "support/os/os.h"

namespace tg {

DynamicLibrary::DynamicLibrary(const std::string& path, Binding binding) : path_(path) {
  // Systems take an empty name for the program itself.
  if (path.empty()) user_error<DeviceError>("DynamicLibrary", "the path is empty");
  std::string reason;
  handle_ = os::open_library(path, binding == Binding::Lazy, reason);
  if (!handle_) {
    user_error<DeviceError>("DynamicLibrary", fmt::format("cannot open \"{}\": {}", path, reason));
  }
}

DynamicLibrary::~DynamicLibrary() { close(); }

DynamicLibrary::DynamicLibrary(DynamicLibrary&& other) noexcept
    : handle_(std::exchange(other.handle_, nullptr)), path_(std::exchange(other.path_, {})) {}

DynamicLibrary& DynamicLibrary::operator=(DynamicLibrary&& other) noexcept {
  if (this != &other) {
    close();
    handle_ = std::exchange(other.handle_, nullptr);
    path_ = std::exchange(other.path_, {});
  }
  return *this;
}

DynamicLibrary DynamicLibrary::find(std::span<const std::string_view> names) {
  DynamicLibrary library;
  std::string reason;
  for (const std::string_view name : names) {
    if (name.empty()) continue;
    library.path_ = name;
    library.handle_ = os::open_library(library.path_, false, reason);
    if (library) return library;
  }
  return {};
}

void* DynamicLibrary::find_symbol(const std::string& name) const {
  std::string reason;
  return handle_ ? os::library_symbol(handle_, name, reason) : nullptr;
}

void* DynamicLibrary::symbol(const std::string& name) const {
  if (!handle_) {
    user_error<DeviceError>("DynamicLibrary",
                            fmt::format("\"{}\" asked of a library that is not open", name));
  }
  std::string reason;
  if (void* address = os::library_symbol(handle_, name, reason)) return address;
  user_error<DeviceError>("DynamicLibrary",
                          fmt::format("\"{}\" has no symbol \"{}\": {}", path_, name, reason));
}

std::span<const std::byte> DynamicLibrary::code_of(const std::string& name) const {
  void* const at = find_symbol(name);
  return at == nullptr ? std::span<const std::byte>() : os::code_of_symbol(at);
}

int64_t DynamicLibrary::release_code() const {
  return handle_ ? os::release_library_code(handle_) : 0;
}

void DynamicLibrary::close() {
  if (handle_) os::close_library(handle_);
  handle_ = nullptr;
}

void open_beside(const std::string& path, const std::string& name) {
  const std::filesystem::path library = std::filesystem::path(path).parent_path() / name;
  std::error_code ignored;
  if (!library.has_parent_path() || !std::filesystem::is_regular_file(library, ignored)) return;
  std::string reason;
  os::open_library(library.string(), false, reason);
}

}  // namespace tg
