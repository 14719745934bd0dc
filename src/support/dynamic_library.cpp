// dlopen and dlsym with lifetimes and readable errors.
#include "support/dynamic_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <utility>

#include "support/check.h"

namespace tg {
namespace {

std::string last_reason() {
  const char* reason = dlerror();
  return reason ? reason : "unknown reason";
}

// Symbols stay local, so that two libraries with the same names do not meet.
void* open_library(const std::string& path, int binding = RTLD_NOW) {
  return dlopen(path.c_str(), binding | RTLD_LOCAL);
}

}  // namespace

DynamicLibrary::DynamicLibrary(const std::string& path, Binding binding) : path_(path) {
  // dlopen("") would return the program itself.
  if (path.empty()) user_error<DeviceError>("DynamicLibrary", "the path is empty");
  handle_ = open_library(path, binding == Binding::Lazy ? RTLD_LAZY : RTLD_NOW);
  if (!handle_) {
    user_error<DeviceError>("DynamicLibrary",
                            fmt::format("cannot open \"{}\": {}", path, last_reason()));
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
  for (const std::string_view name : names) {
    if (name.empty()) continue;
    library.path_ = name;
    library.handle_ = open_library(library.path_);
    if (library) return library;
  }
  return {};
}

void* DynamicLibrary::find_symbol(const std::string& name) const {
  return handle_ ? dlsym(handle_, name.c_str()) : nullptr;
}

void* DynamicLibrary::symbol(const std::string& name) const {
  if (!handle_) {
    user_error<DeviceError>("DynamicLibrary",
                            fmt::format("\"{}\" asked of a library that is not open", name));
  }
  if (void* address = dlsym(handle_, name.c_str())) return address;
  user_error<DeviceError>(
      "DynamicLibrary", fmt::format("\"{}\" has no symbol \"{}\": {}", path_, name, last_reason()));
}

void DynamicLibrary::close() {
  if (handle_) dlclose(handle_);
  handle_ = nullptr;
}

}  // namespace tg
