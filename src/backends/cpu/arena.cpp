// See arena.h.
#include "backends/cpu/arena.h"

#include <memory>

#include "support/check.h"
#include "support/os/os.h"

namespace tg::cpu {
namespace {

constexpr int64_t kPage = 4096;
constexpr int64_t kHugePage = int64_t{2} << 20;
/// From here on scratch lies in huge pages: copies are walked with strides of a page, and the first
/// level of the translation cache has room for some 64 pages.
constexpr int64_t kManyPages = int64_t{64} << 10;

struct Arena {
  std::unique_ptr<char, decltype(&os::free_aligned)> block{nullptr, &os::free_aligned};
  int64_t bytes = 0;
};

void grow(Arena& arena, int64_t bytes) {
  const int64_t page = bytes >= kManyPages ? kHugePage : kPage;
  TG_CHECK(bytes <= INT64_MAX - page, "{} bytes of scratch memory", bytes);
  const int64_t size = (bytes + page - 1) / page * page;
  arena.block.reset();
  arena.bytes = 0;
  arena.block.reset(static_cast<char*>(
      os::allocate_aligned(static_cast<size_t>(page), static_cast<size_t>(size))));
  if (arena.block == nullptr) {
    user_error<DeviceError>("launch",
                            fmt::format("no memory for {} bytes of a thread's scratch", size),
                            "Hint: lower THREADS.");
  }
  if (page == kHugePage) os::prefer_huge_pages(arena.block.get(), static_cast<size_t>(size));
  arena.bytes = size;
}

}  // namespace

char* thread_arena(int64_t bytes) {
  thread_local Arena arena;
  if (arena.bytes < bytes) grow(arena, bytes);
  return arena.block.get();
}

}  // namespace tg::cpu
