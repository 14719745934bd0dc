// Size classes, the cache, and the two ways to get memory from the system; see host_allocator.h.
#include "runtime/host_allocator.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "runtime/memory_use.h"
#include "support/check.h"
#include "support/os/os.h"

namespace tg {
namespace {

constexpr int64_t kAlignment = 64;
constexpr int64_t kHugePage = int64_t{2} << 20;
constexpr int64_t kLargestRequest = int64_t{1} << 60;
constexpr int kPoison = 0xA5;

void* system_allocate(int64_t size) {
  const auto bytes = static_cast<size_t>(size);
  return size >= kHugePage ? os::map_huge_pages(bytes) : os::allocate_aligned(kAlignment, bytes);
}

void system_free(void* block, int64_t size) {
  if (size >= kHugePage) {
    os::unmap_pages(block, static_cast<size_t>(size));
  } else {
    os::free_aligned(block);
  }
}

}  // namespace

int64_t host_memory_bytes() { return os::physical_memory(); }

HostAllocator::HostAllocator(std::string device, HostAllocatorOptions options)
    : device_(std::move(device)), options_(options) {}

// Blocks still in use belong to buffers that outlive the device, which happens only at process
// exit: they are left alone.
HostAllocator::~HostAllocator() { release_locked(); }

// Four classes to a power of two; large blocks are whole huge pages.
int64_t HostAllocator::block_size(int64_t bytes) {
  if (bytes <= kAlignment) return kAlignment;
  const int64_t octave = static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(bytes - 1)));
  const int64_t unit = bytes > kHugePage - kHugePage / 8 ? kHugePage : kAlignment;
  const int64_t step = std::max(unit, octave / 4);
  return (bytes + step - 1) / step * step;
}

Allocation HostAllocator::allocate(int64_t bytes) {
  std::lock_guard guard(lock_);
  if (bytes < 0 || bytes > kLargestRequest) out_of_memory(bytes);
  const int64_t size = block_size(bytes);
  void* block = take_cached(size);
  if (block == nullptr) block = system_allocate(size);
  if (block == nullptr && release_locked() > 0) block = system_allocate(size);
  if (block == nullptr) out_of_memory(bytes);
  in_use_.emplace(block, size);
  bytes_in_use_ += size;
  count_memory(size);
  if (options_.poison) std::memset(block, kPoison, static_cast<size_t>(size));
  return {block, bytes};
}

void HostAllocator::free(Allocation a) {
  if (a.data == nullptr) return;
  std::lock_guard guard(lock_);
  auto it = in_use_.find(a.data);
  TG_CHECK(it != in_use_.end(), "{} frees a block that it did not hand out, or frees one twice",
           device_);
  const int64_t size = it->second;
  in_use_.erase(it);
  if (options_.poison) std::memset(a.data, kPoison, static_cast<size_t>(size));
  cached_[size].push_back(a.data);
  bytes_in_use_ -= size;
  count_memory(-size);
  bytes_cached_ += size;
}

// Exact classes only: a block never serves a smaller request, so the slack stays bounded. Last in,
// first out: the block that was touched last is still in the processor's caches.
void* HostAllocator::take_cached(int64_t size) {
  auto it = cached_.find(size);
  if (it == cached_.end() || it->second.empty()) return nullptr;
  void* block = it->second.back();
  it->second.pop_back();
  bytes_cached_ -= size;
  return block;
}

int64_t HostAllocator::release_locked() {
  const int64_t released = bytes_cached_;
  for (auto& [size, blocks] : cached_) {
    for (void* block : blocks) system_free(block, size);
  }
  cached_.clear();
  bytes_cached_ = 0;
  return released;
}

int64_t HostAllocator::release_cached() {
  std::lock_guard guard(lock_);
  return release_locked();
}

void HostAllocator::copy_in(Allocation to, const void* from, int64_t bytes) {
  TG_CHECK(bytes >= 0 && bytes <= to.bytes, "{} bytes copied into a block of {}", bytes, to.bytes);
  if (bytes != 0) std::memcpy(to.data, from, static_cast<size_t>(bytes));
}

void HostAllocator::copy_out(void* to, Allocation from, int64_t bytes) {
  TG_CHECK(bytes >= 0 && bytes <= from.bytes, "{} bytes copied out of a block of {}", bytes,
           from.bytes);
  if (bytes != 0) std::memcpy(to, from.data, static_cast<size_t>(bytes));
}

int64_t HostAllocator::bytes_in_use() const {
  std::lock_guard guard(lock_);
  return bytes_in_use_;
}

int64_t HostAllocator::bytes_cached() const {
  std::lock_guard guard(lock_);
  return bytes_cached_;
}

void HostAllocator::out_of_memory(int64_t bytes) const {
  user_error<DeviceError>(
      "allocate",
      fmt::format("{} has no memory left: {} bytes asked for, {} in use, {} cached", device_, bytes,
                  bytes_in_use_, bytes_cached_),
      "Hint: use a smaller batch, or free tensors that are no longer needed.");
}

}  // namespace tg
