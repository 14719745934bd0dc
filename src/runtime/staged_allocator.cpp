// See staged_allocator.h.
#include "runtime/staged_allocator.h"

#include <algorithm>
#include <cstring>

namespace tg {
namespace {

// The bytes of the piece of a copy that begins at `at`.
int64_t piece(int64_t bytes, int64_t at) { return std::min(bytes - at, StagedAllocator::kHalf); }

uint64_t address(const BlockPlace& place, int64_t at) {
  return reinterpret_cast<uint64_t>(place.handle) + static_cast<uint64_t>(place.offset + at);
}

}  // namespace

void StagedAllocator::write(const BlockPlace& to, const void* from, int64_t bytes) {
  const std::lock_guard guard(lock_);
  size_t half = 0;
  for (int64_t at = 0; at < bytes; at += kHalf, half = 1 - half) {
    char* const memory = take(half);
    std::memcpy(memory, static_cast<const char*>(from) + at, static_cast<size_t>(piece(bytes, at)));
    queue_write(address(to, at), half, memory, piece(bytes, at));
  }
}

// The device copies a piece while the one before it is taken out of the other half.
void StagedAllocator::read(void* to, const BlockPlace& from, int64_t bytes) {
  const std::lock_guard guard(lock_);
  const auto queue = [&](int64_t at, size_t half) {
    if (at < bytes) queue_read(take(half), half, address(from, at), piece(bytes, at));
  };
  queue(0, 0);
  size_t half = 0;
  for (int64_t at = 0; at < bytes; at += kHalf, half = 1 - half) {
    queue(at + kHalf, 1 - half);
    std::memcpy(static_cast<char*>(to) + at, take(half), static_cast<size_t>(piece(bytes, at)));
  }
}

}  // namespace tg
