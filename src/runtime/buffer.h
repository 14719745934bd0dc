// The storage behind a BUFFER node: counted, allocated when first needed, given back to its device's allocator when the last
// node or handle lets go.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "runtime/device.h"
#include "support/resource.h"

namespace tg {

/// Storage of a fixed size on one device. Not thread-safe but for counting: one thread realises a graph at a time.
class Buffer : public Resource {
 public:
  Buffer(Device& device, int64_t bytes) : device_(device), bytes_(bytes) {}
  ~Buffer() override;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  Device& device() const { return device_; }
  int64_t bytes() const { return bytes_; }
  bool allocated() const { return allocation_.data != nullptr; }
  /// Allocates on first use. Zero-size buffers have a valid, never dereferenced address.
  void* data();
  Allocation allocation() { return data(), allocation_; }
  void copy_in(const void* from, int64_t bytes);
  void copy_out(void* to, int64_t bytes);

  /// How many in-place writes have been executed; a graph that refers to an older version must not read (see engine).
  int64_t executed_version = 0;

 private:
  Device& device_;
  int64_t bytes_;
  Allocation allocation_;
};

}  // namespace tg
