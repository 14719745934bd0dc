// What macOS does in its own way: facts by sysctl, pipes and nameless files by older calls. It
// offers no huge pages to ask for, no sizes of symbols, and keeps the instructions of libraries to
// itself.
#include <crt_externs.h>
#include <fcntl.h>
#include <sys/sysctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <string>
#include <thread>

#include "support/os/os.h"
#include "support/os/posix.h"

namespace tg::os {
namespace {

std::string text_fact(const char* name) {
  std::array<char, 4096> text{};
  size_t size = text.size() - 1;
  return sysctlbyname(name, text.data(), &size, nullptr, 0) == 0 ? text.data() : "";
}

bool not_inherited(int descriptor) { return fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0; }

}  // namespace

int64_t physical_memory() {
  int64_t bytes = 0;
  size_t size = sizeof bytes;
  return sysctlbyname("hw.memsize", &bytes, &size, nullptr, 0) == 0 ? bytes : 0;
}

void prefer_huge_pages(void*, size_t) {}

bool may_have_graphics_processor() { return true; }
int usable_cores() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

bool allow_tile_registers() { return false; }

std::string processor_facts() {
  return text_fact("machdep.cpu.brand_string") + text_fact("machdep.cpu.features") +
         text_fact("machdep.cpu.leaf7_features");
}

bool make_pipe(int (&ends)[2]) {
  if (pipe(ends) != 0) return false;
  if (not_inherited(ends[0]) && not_inherited(ends[1])) return true;
  const int error = errno;
  close(ends[0]);
  close(ends[1]);
  errno = error;
  return false;
}

// Libraries there have no variable of this name.
char** environment() { return *_NSGetEnviron(); }

int nameless_file() {
  char path[] = "/tmp/tg-input-XXXXXX";
  const int file = mkstemp(path);
  if (file < 0) return -1;
  unlink(path);
  if (not_inherited(file)) return file;
  close(file);
  return -1;
}

std::span<const std::byte> code_of_symbol(void*) { return {}; }

int64_t release_library_code(void*) { return 0; }

}  // namespace tg::os
