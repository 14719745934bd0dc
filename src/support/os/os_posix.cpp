// Memory, forks, the terminal and the usual places as POSIX has them: Linux and macOS.
#include <pthread.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "support/os/os.h"

namespace tg::os {
namespace {

constexpr size_t kHugePage = size_t{2} << 20;

struct sigaction former_interrupt{};  // of the one who takes interrupts

int protection(Access access) {
  switch (access) {
    case Access::Nothing:
      return PROT_NONE;
    case Access::Read:
      return PROT_READ;
    case Access::ReadWrite:
      return PROT_READ | PROT_WRITE;
    case Access::Execute:
      return PROT_READ | PROT_EXEC;
  }
  return PROT_NONE;
}

}  // namespace

void* map_pages(size_t bytes, Access access) {
  void* at = mmap(nullptr, bytes, protection(access), MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return at == MAP_FAILED ? nullptr : at;
}

void unmap_pages(void* at, size_t bytes) { munmap(at, bytes); }

// macOS lets pages that were written become executable, too, as long as they are never both.
bool protect_pages(void* at, size_t bytes, Access access) {
  auto* const begin = static_cast<char*>(at);
  if (access == Access::Execute) __builtin___clear_cache(begin, begin + bytes);
  return mprotect(at, bytes, protection(access)) == 0;
}

// Maps one huge page more than needed and gives back what sticks out on both sides of the aligned
// block.
void* map_huge_pages(size_t bytes) {
  const size_t whole = bytes + kHugePage;
  void* start = mmap(nullptr, whole, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (start == MAP_FAILED) return nullptr;
  auto* base = static_cast<char*>(start);
  const auto address = reinterpret_cast<uintptr_t>(base);
  const size_t before = (kHugePage - address % kHugePage) % kHugePage;
  const size_t after = whole - before - bytes;
  if (before != 0) munmap(base, before);
  if (after != 0) munmap(base + before + bytes, after);
  prefer_huge_pages(base + before, bytes);
  return base + before;
}

void* allocate_aligned(size_t alignment, size_t bytes) {
  return std::aligned_alloc(alignment, bytes);
}

void free_aligned(void* block) { std::free(block); }

void watch_forks(void (*in_child)()) { pthread_atfork(nullptr, nullptr, in_child); }

bool take_interrupts(void (*handler)(int signal)) {
  struct sigaction action{};
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  return sigaction(SIGINT, &action, &former_interrupt) == 0;
}

void give_back_interrupts() { sigaction(SIGINT, &former_interrupt, nullptr); }

void write_error(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    text.remove_prefix(static_cast<size_t>(written));
  }
}

bool error_is_terminal() { return isatty(STDERR_FILENO) == 1; }

int error_columns() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

const char kPathSeparator = ':';
const std::string_view kFolderSeparators = "/";

Places usual_places(FunctionRef<const char*(const char*)> lookup) {
  const auto text = [&](const char* name, const char* otherwise) {
    const char* value = lookup(name);
    return std::string(value && *value ? value : otherwise);
  };
  Places places{
      .temp_dir = text("TMPDIR", "/tmp"),
      .search_path = text("PATH", "/usr/local/bin:/usr/bin:/bin"),
  };
  const char* xdg = lookup("XDG_CACHE_HOME");
  const char* home = lookup("HOME");
  // The XDG specification asks to ignore relative paths.
  if (xdg && xdg[0] == '/') {
    places.cache_dir = std::string(xdg) + "/tinygrad.cpp";
  } else if (home && home[0] == '/') {
    places.cache_dir = std::string(home) + "/.cache/tinygrad.cpp";
  }
  return places;
}

}  // namespace tg::os
