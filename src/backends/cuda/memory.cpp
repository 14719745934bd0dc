// See memory.h.
#include "backends/cuda/memory.h"

#include <fmt/format.h>

namespace tg::cuda {

// Errors of what was queued have nobody left to hear them.
DeviceMemory::~DeviceMemory() {
  session_.enter_quietly();
  session_.driver().StreamSynchronize(session_.stream());
  release_cached();
  for (const Half& h : halves_) {
    if (h.memory != nullptr) session_.driver().MemFreeHost(h.memory);
  }
}

// ---- blocks
void* DeviceMemory::create(int64_t bytes) {
  session_.enter();
  uint64_t address = 0;
  const Status s = session_.driver().MemAlloc(&address, static_cast<size_t>(bytes));
  if (s == kOutOfMemory) return nullptr;
  session_.check(s, fmt::format("cuMemAlloc of {} bytes", bytes));
  return reinterpret_cast<void*>(address);
}

// The driver waits until nothing uses the block. On a lost device there is nothing to free.
void DeviceMemory::destroy(void* handle) {
  session_.enter_quietly();
  session_.driver().MemFree(address_of(handle));
}

// ---- copies
char* DeviceMemory::take(size_t half) {
  session_.enter();
  Half& h = halves_[half];
  if (h.memory == nullptr) {
    void* memory = nullptr;
    session_.check(session_.driver().MemHostAlloc(&memory, kHalf, 0), "cuMemHostAlloc");
    h.memory = static_cast<char*>(memory);
  }
  if (!h.copied) h.copied = session_.make_event(kNoTiming);
  session_.check(session_.driver().EventSynchronize(h.copied.get()), "cuEventSynchronize");
  return h.memory;
}

void DeviceMemory::queue_write(uint64_t to, size_t half, const char* memory, int64_t bytes) {
  queued(
      session_.driver().MemcpyHtoDAsync(to, memory, static_cast<size_t>(bytes), session_.stream()),
      "cuMemcpyHtoDAsync", half, bytes);
}

void DeviceMemory::queue_read(char* memory, size_t half, uint64_t from, int64_t bytes) {
  queued(session_.driver().MemcpyDtoHAsync(memory, from, static_cast<size_t>(bytes),
                                           session_.stream()),
         "cuMemcpyDtoHAsync", half, bytes);
}

void DeviceMemory::queued(Status copy, const char* what, size_t half, int64_t bytes) {
  session_.check(copy, fmt::format("{} of {} bytes", what, bytes));
  session_.record(halves_[half].copied.get());
}

}  // namespace tg::cuda
