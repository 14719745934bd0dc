// See memory.h.
#include "backends/cuda/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace tg::cuda {
namespace {

constexpr uint32_t kNoTiming = 2;

uint64_t number_of(const void* handle) { return reinterpret_cast<uint64_t>(handle); }

}  // namespace

// ---- copies
Staging::~Staging() {
  session_.enter_quietly();
  for (const Half& h : halves_) {
    if (h.copied != nullptr) session_.driver().EventDestroy(h.copied);
    if (h.memory != nullptr) session_.driver().MemFreeHost(h.memory);
  }
}

Staging::Half& Staging::take(size_t i) {
  Half& h = halves_[i % 2];
  const Driver& d = session_.driver();
  if (h.memory == nullptr) {
    void* memory = nullptr;
    session_.check(d.MemHostAlloc(&memory, kHalf, 0), "cuMemHostAlloc");
    h.memory = static_cast<char*>(memory);
  }
  if (h.copied == nullptr) session_.check(d.EventCreate(&h.copied, kNoTiming), "cuEventCreate");
  session_.check(d.EventSynchronize(h.copied), "cuEventSynchronize");
  return h;
}

void Staging::queued(Half& half) {
  session_.check(session_.driver().EventRecord(half.copied, session_.stream()), "cuEventRecord");
}

void Staging::write(uint64_t to, const char* from, int64_t bytes) {
  const std::lock_guard guard(lock_);
  for (int64_t done = 0, i = 0; done < bytes; done += kHalf, ++i) {
    const auto n = static_cast<size_t>(std::min(bytes - done, kHalf));
    Half& h = take(static_cast<size_t>(i));
    std::memcpy(h.memory, from + done, n);
    session_.check(session_.driver().MemcpyHtoDAsync(to + static_cast<uint64_t>(done), h.memory, n,
                                                     session_.stream()),
                   fmt::format("cuMemcpyHtoDAsync of {} bytes", n));
    queued(h);
  }
}

// The device copies a piece while the one before it is taken out of the other half.
void Staging::read(char* to, uint64_t from, int64_t bytes) {
  const std::lock_guard guard(lock_);
  const int64_t pieces = (bytes + kHalf - 1) / kHalf;
  for (int64_t i = 0; i <= pieces; ++i) {
    if (i < pieces) {
      Half& h = take(static_cast<size_t>(i));
      const auto n = static_cast<size_t>(std::min(bytes - i * kHalf, kHalf));
      session_.check(session_.driver().MemcpyDtoHAsync(
                         h.memory, from + static_cast<uint64_t>(i * kHalf), n, session_.stream()),
                     fmt::format("cuMemcpyDtoHAsync of {} bytes", n));
      queued(h);
    }
    if (i == 0) continue;
    const int64_t at = (i - 1) * kHalf;
    std::memcpy(to + at, take(static_cast<size_t>(i - 1)).memory,
                static_cast<size_t>(std::min(bytes - at, kHalf)));
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
  session_.driver().MemFree(number_of(handle));
}

uint64_t DeviceMemory::address_of(void* handle) const { return number_of(handle); }

void DeviceMemory::write(const BlockPlace& to, const void* from, int64_t bytes) {
  session_.enter();
  staging_.write(number_of(to.handle) + static_cast<uint64_t>(to.offset),
                 static_cast<const char*>(from), bytes);
}

void DeviceMemory::read(void* to, const BlockPlace& from, int64_t bytes) {
  session_.enter();
  staging_.read(static_cast<char*>(to), number_of(from.handle) + static_cast<uint64_t>(from.offset),
                bytes);
}

}  // namespace tg::cuda
