// Memory of devices that compute in the host's address space: an allocator that keeps what is given
// back, because a fresh page costs a fault of about 0.25 us per 4 KiB, more than most kernels spend
// on it. Not a general heap: blocks are tensors.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "runtime/device.h"

namespace tg {

/// The machine's memory; 0 if the system does not tell.
int64_t host_memory_bytes();

struct HostAllocatorOptions {
  /// Fill blocks with 0xA5 when they are handed out and when they come back: tests find reads of
  /// stale or unwritten memory.
  bool poison = false;
};

/// Caching allocator in four size classes to a power of two, thread-safe. Blocks are aligned to 64
/// bytes, from 2 MiB on to 2 MiB and then advised to use huge pages. A fresh large block is
/// untouched: it costs address space until it is written.
class HostAllocator final : public Allocator {
 public:
  explicit HostAllocator(std::string device, HostAllocatorOptions options = {});
  ~HostAllocator() override;

  /// Throws DeviceError naming the bytes asked for, in use and cached, after the cache was released
  /// in vain.
  Allocation allocate(int64_t bytes) override;
  void free(Allocation a) override;
  bool host_visible() const override { return true; }
  void copy_in(Allocation to, const void* from, int64_t bytes) override;
  void copy_out(void* to, Allocation from, int64_t bytes) override;
  int64_t release_cached() override;
  int64_t bytes_in_use() const override;
  int64_t bytes_cached() const override;

  /// The size of the block that a request for `bytes` gets.
  static int64_t block_size(int64_t bytes);

 private:
  void* take_cached(int64_t size);
  int64_t release_locked();
  [[noreturn]] void out_of_memory(int64_t bytes) const;

  const std::string device_;
  const HostAllocatorOptions options_;
  mutable std::mutex lock_;
  std::map<int64_t, std::vector<void*>> cached_;  // by block size
  std::unordered_map<void*, int64_t> in_use_;     // block sizes
  int64_t bytes_in_use_ = 0;
  int64_t bytes_cached_ = 0;
};

}  // namespace tg
