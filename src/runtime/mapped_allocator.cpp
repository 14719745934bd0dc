// See mapped_allocator.h.
#include "runtime/mapped_allocator.h"

#include <cstring>

namespace tg {

void MappedAllocator::write(const BlockPlace& to, const void* from, int64_t bytes) {
  wait();
  std::memcpy(mapped(to.handle) + to.offset, from, static_cast<size_t>(bytes));
}

void MappedAllocator::read(void* to, const BlockPlace& from, int64_t bytes) {
  wait();
  std::memcpy(to, mapped(from.handle) + from.offset, static_cast<size_t>(bytes));
}

}  // namespace tg
