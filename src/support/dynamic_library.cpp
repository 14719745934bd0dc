// dlopen and dlsym with lifetimes and readable errors.
#include "support/dynamic_library.h"

#include <dlfcn.h>
#include <fmt/format.h>
#if defined(__linux__)
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>
#endif

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

#if defined(__linux__)
struct Release {
  ElfW(Addr) base;
  int64_t bytes = 0;
};

// Only segments that nobody may write are the file's contents to the byte; a library whose
// instructions were relocated has none of those.
int release_segments(dl_phdr_info* info, size_t, void* user) {
  auto& release = *static_cast<Release*>(user);
  if (info->dlpi_addr != release.base) return 0;
  const auto page = static_cast<ElfW(Addr)>(sysconf(_SC_PAGESIZE));
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    const bool is_code = segment.p_type == PT_LOAD && (segment.p_flags & (PF_X | PF_W)) == PF_X;
    if (!is_code) continue;
    const ElfW(Addr) from = (release.base + segment.p_vaddr + page - 1) / page * page,
                     to = (release.base + segment.p_vaddr + segment.p_filesz) / page * page;
    if (from >= to) continue;
    if (madvise(reinterpret_cast<void*>(from), to - from, MADV_DONTNEED) == 0)
      release.bytes += static_cast<int64_t>(to - from);
  }
  return 1;
}

bool has_relocated_code(const link_map& map) {
  for (const ElfW(Dyn)* d = map.l_ld; d->d_tag != DT_NULL; ++d) {
    if (d->d_tag == DT_TEXTREL) return true;
    if (d->d_tag == DT_FLAGS && (d->d_un.d_val & DF_TEXTREL) != 0) return true;
  }
  return false;
}
#endif

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

int64_t DynamicLibrary::release_code() const {
#if defined(__linux__)
  link_map* map = nullptr;
  if (!handle_ || dlinfo(handle_, RTLD_DI_LINKMAP, &map) != 0 || has_relocated_code(*map)) return 0;
  Release release{map->l_addr};
  dl_iterate_phdr(release_segments, &release);
  return release.bytes;
#else
  return 0;
#endif
}

void DynamicLibrary::close() {
  if (handle_) dlclose(handle_);
  handle_ = nullptr;
}

}  // namespace tg
