// Libraries by dlopen: Linux and macOS.
#include <dlfcn.h>

#include "support/os/os.h"

namespace tg::os {
namespace {

std::string last_reason() {
  const char* reason = dlerror();
  return reason ? reason : "unknown reason";
}

}  // namespace

const bool kLibraryFilesCanGo = true;

void* open_library(const std::string& path, bool lazy, std::string& reason) {
  void* const library = dlopen(path.c_str(), (lazy ? RTLD_LAZY : RTLD_NOW) | RTLD_LOCAL);
  if (library == nullptr) reason = last_reason();
  return library;
}

void close_library(void* library) { dlclose(library); }

void* library_symbol(void* library, const std::string& name, std::string& reason) {
  void* const symbol = dlsym(library, name.c_str());
  if (symbol == nullptr) reason = last_reason();
  return symbol;
}

}  // namespace tg::os
