// What Linux does in its own way: huge pages, the processors of a process, /proc, nameless files,
// and the segments of loaded libraries.
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <thread>

#include "support/file.h"
#include "support/os/os.h"
#include "support/os/posix.h"
#include "support/text.h"

extern char** environ;

namespace tg::os {
namespace {

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

}  // namespace

int64_t physical_memory() {
  const int64_t pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  return pages > 0 && page > 0 ? pages * page : 0;
}

// A kernel without huge pages serves small ones.
void prefer_huge_pages(void* at, size_t bytes) { madvise(at, bytes, MADV_HUGEPAGE); }

bool may_have_graphics_processor() {
  // Of kernel drivers with a renderer, of NVIDIA's, of AMD's computing, of Windows below, of
  // phones.
  constexpr std::array kNodes = {"/dev/dri", "/dev/nvidiactl", "/dev/kfd",
                                 "/dev/dxg", "/dev/mali0",     "/dev/kgsl-3d0"};
  return std::ranges::any_of(kNodes, [](const char* node) { return access(node, F_OK) == 0; });
}

int usable_cores() {
  // A machine may have more cores than a fixed cpu_set_t holds, so the set grows until the kernel
  // accepts it.
  for (int cores = 1024; cores <= (1 << 18); cores *= 4) {
    cpu_set_t* set = CPU_ALLOC(cores);
    if (!set) break;
    const size_t bytes = CPU_ALLOC_SIZE(cores);
    const bool known = sched_getaffinity(0, bytes, set) == 0;
    const int count = known ? CPU_COUNT_S(bytes, set) : 0;
    CPU_FREE(set);
    if (count > 0) return count;
  }
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

// Of the first processor: "vendor_id", "cpu family", "model" and "flags" of x86, "Features" and
// "CPU part" of Arm.
std::string processor_facts() {
  constexpr std::string_view kStarts[] = {"vendor_id", "model", "flags", "Features"};
  constexpr std::string_view kSecondWords[] = {" family", " part"};
  std::string facts;
  const auto text = try_read_file("/proc/cpuinfo");
  if (!text) return facts;
  for (std::string_view line : split(*text, '\n')) {
    if (trim(line).empty()) break;
    const std::string_view rest = line.substr(std::min<size_t>(3, line.size()));
    const auto starts = [&](std::string_view start) { return line.starts_with(start); };
    const auto goes_on = [&](std::string_view word) { return rest.starts_with(word); };
    if (std::ranges::any_of(kStarts, starts) || std::ranges::any_of(kSecondWords, goes_on))
      facts += line;
  }
  return facts;
}

// arch_prctl(ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA): Linux' Documentation/arch/x86/xstate.rst.
bool allow_tile_registers() {
#if defined(__x86_64__)
  constexpr long kAskForState = 0x1023, kTileData = 18;
  return syscall(SYS_arch_prctl, kAskForState, kTileData) == 0;
#else
  return false;
#endif
}

bool make_pipe(int (&ends)[2]) { return pipe2(ends, O_CLOEXEC) == 0; }

char** environment() { return environ; }

int nameless_file() { return memfd_create("input", MFD_CLOEXEC); }

std::span<const std::byte> code_of_symbol(void* symbol) {
  Dl_info info{};
  void* entry = nullptr;
  if (dladdr1(symbol, &info, &entry, RTLD_DL_SYMENT) == 0 || entry == nullptr) return {};
  return {static_cast<const std::byte*>(symbol), static_cast<const ElfW(Sym)*>(entry)->st_size};
}

int64_t release_library_code(void* library) {
  link_map* map = nullptr;
  if (dlinfo(library, RTLD_DI_LINKMAP, &map) != 0 || has_relocated_code(*map)) return 0;
  Release release{map->l_addr};
  dl_iterate_phdr(release_segments, &release);
  return release.bytes;
}

}  // namespace tg::os
