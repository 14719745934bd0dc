// Memory of devices that the host cannot see. Keeps what is given back, by size. Blocks that are
// handles without addresses get numbers that look like an address, where no host has memory, so
// that views are sums as everywhere else; a launch looks up which block and byte is meant. Blocks
// that the device knows by address keep it. How blocks are made and copied is the backend's
// business.
#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/device.h"

namespace tg {

/// A block and the byte in it that an address means.
struct BlockPlace {
  void* handle = nullptr;
  int64_t offset = 0;
  bool operator==(const BlockPlace&) const = default;
};

/// Thread-safe. A block may be handed out again while queued work still uses it, so all work must
/// go through one queue that runs in order.
class HandleAllocator : public Allocator {
 public:
  /// `device` in messages; `max_bytes` of one block.
  HandleAllocator(std::string device, int64_t max_bytes)
      : device_(std::move(device)), max_bytes_(max_bytes) {}

  Allocation allocate(int64_t bytes) override;
  void free(Allocation a) override;
  bool host_visible() const override { return false; }
  void copy_in(Allocation to, const void* from, int64_t bytes) override;
  void copy_out(void* to, Allocation from, int64_t bytes) override;
  int64_t release_cached() override;
  int64_t bytes_in_use() const override;
  int64_t bytes_cached() const override;

  /// What `address` means; nothing for nullptr. Throws InternalError for an address in no block.
  /// O(log blocks).
  BlockPlace place(const void* address) const;
  /// Blocks that were given back to the device. As long as it stays the same, equal handles are
  /// equal blocks.
  uint64_t destroyed() const { return destroyed_; }

 protected:
  /// A new block; nullptr if there is no memory.
  virtual void* create(int64_t bytes) = 0;
  virtual void destroy(void* handle) = 0;
  /// Where the device has the block, on devices with addresses; 0: it has none.
  virtual uint64_t address_of(void* /*handle*/) const { return 0; }
  virtual void write(const BlockPlace& to, const void* from, int64_t bytes) = 0;
  virtual void read(void* to, const BlockPlace& from, int64_t bytes) = 0;

 private:
  struct Block {
    void* handle;
    int64_t bytes;
  };
  void* take_cached(int64_t size);
  [[noreturn]] void out_of_memory(int64_t bytes) const;

  const std::string device_;
  const int64_t max_bytes_;
  mutable std::mutex lock_;
  std::map<uint64_t, Block> in_use_;              // by address
  std::map<int64_t, std::vector<void*>> cached_;  // by size
  uint64_t next_address_ = uint64_t{1} << 56;     // no processor maps these
  int64_t bytes_in_use_ = 0;
  int64_t bytes_cached_ = 0;
  std::atomic<uint64_t> destroyed_ = 0;
};

}  // namespace tg
