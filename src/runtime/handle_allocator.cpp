// See handle_allocator.h.
#include "runtime/handle_allocator.h"

#include <algorithm>
#include <utility>

#include "runtime/host_allocator.h"
#include "runtime/memory_use.h"
#include "support/check.h"

namespace tg {
namespace {

static_assert(sizeof(void*) == 8, "addresses are numbers of 64 bits");

/// Between the addresses of two blocks, so that none begins where another ends.
constexpr uint64_t kGap = 1 << 12;

uint64_t number_of(const void* address) { return reinterpret_cast<uint64_t>(address); }

}  // namespace

void* HandleAllocator::take_cached(int64_t size) {
  const std::lock_guard guard(lock_);
  const auto same = cached_.find(size);
  if (same == cached_.end() || same->second.empty()) return nullptr;
  void* handle = same->second.back();
  same->second.pop_back();
  bytes_cached_ -= size;
  return handle;
}

Allocation HandleAllocator::allocate(int64_t bytes) {
  if (bytes < 0 || bytes > max_bytes_) out_of_memory(bytes);
  const int64_t size = std::min(HostAllocator::block_size(bytes), max_bytes_);
  void* handle = take_cached(size);
  if (handle == nullptr) handle = create(size);
  if (handle == nullptr && release_cached() > 0) handle = create(size);
  if (handle == nullptr) out_of_memory(bytes);
  const std::lock_guard guard(lock_);
  uint64_t address = address_of(handle);
  if (address == 0) {
    address = next_address_;
    next_address_ += (static_cast<uint64_t>(size) + 2 * kGap - 1) / kGap * kGap;
  }
  in_use_.emplace(address, Block{handle, size});
  bytes_in_use_ += size;
  count_memory(size);
  return {reinterpret_cast<void*>(address), bytes};
}

void HandleAllocator::free(Allocation a) {
  if (a.data == nullptr) return;
  const std::lock_guard guard(lock_);
  const auto it = in_use_.find(number_of(a.data));
  TG_CHECK(it != in_use_.end(), "{} frees a block that it did not hand out, or frees one twice",
           device_);
  const Block block = it->second;
  in_use_.erase(it);
  cached_[block.bytes].push_back(block.handle);
  bytes_in_use_ -= block.bytes;
  count_memory(-block.bytes);
  bytes_cached_ += block.bytes;
}

int64_t HandleAllocator::release_cached() {
  const std::lock_guard guard(lock_);
  for (const auto& [size, handles] : cached_) {
    for (void* h : handles) destroy(h);
    destroyed_ += handles.size();
  }
  cached_.clear();
  return std::exchange(bytes_cached_, 0);
}

BlockPlace HandleAllocator::place(const void* address) const {
  if (address == nullptr) return {};
  const std::lock_guard guard(lock_);
  auto it = in_use_.upper_bound(number_of(address));
  TG_CHECK(it != in_use_.begin(), "{} is in no block of {}", address, device_);
  --it;
  const auto offset = static_cast<int64_t>(number_of(address) - it->first);
  TG_CHECK(offset <= it->second.bytes, "{} is in no block of {}", address, device_);
  return {it->second.handle, offset};
}

void HandleAllocator::copy_in(Allocation to, const void* from, int64_t bytes) {
  TG_CHECK(bytes >= 0 && bytes <= to.bytes, "{} bytes copied into a block of {}", bytes, to.bytes);
  if (bytes != 0) write(place(to.data), from, bytes);
}

void HandleAllocator::copy_out(void* to, Allocation from, int64_t bytes) {
  TG_CHECK(bytes >= 0 && bytes <= from.bytes, "{} bytes copied out of a block of {}", bytes,
           from.bytes);
  if (bytes != 0) read(to, place(from.data), bytes);
}

int64_t HandleAllocator::bytes_in_use() const {
  const std::lock_guard guard(lock_);
  return bytes_in_use_;
}

int64_t HandleAllocator::bytes_cached() const {
  const std::lock_guard guard(lock_);
  return bytes_cached_;
}

void HandleAllocator::out_of_memory(int64_t bytes) const {
  user_error<DeviceError>(
      "allocate",
      fmt::format("{} has no memory left: {} bytes asked for, {} in use, {} cached, at most {} in "
                  "one block",
                  device_, bytes, bytes_in_use(), bytes_cached(), max_bytes_),
      "Hint: use a smaller batch, or free tensors that are no longer needed.");
}

}  // namespace tg
