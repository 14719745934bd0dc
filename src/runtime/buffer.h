// The storage behind a BUFFER node: counted, allocated when first needed, given back to its
// device's allocator when the last node or handle lets go.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/device.h"
#include "tg/ir/resource.h"

namespace tg {

/// What replaced the contents of a storage last.
enum class Overwriter : uint8_t { None, Assignment, CapturedCall };

/// Storage of a fixed size on one device, or on several. Not thread-safe but for counting: one
/// thread realises a graph at a time.
class Buffer : public Resource {
 public:
  Buffer(Device& device, int64_t bytes) : device_(device), bytes_(bytes) {}
  /// On memory that somebody else owns, as the device's programs address it; `release` is called
  /// instead of the allocator.
  Buffer(Device& device, void* data, int64_t bytes, std::function<void()> release)
      : device_(device), bytes_(bytes), allocation_{data, bytes}, release_(std::move(release)) {}
  /// Over several devices, at least one: storage of each, no part of another Buffer's, which holds
  /// its part along `axis` of an array, or all of it if `axis` is negative. Has no memory of its
  /// own.
  Buffer(std::vector<Ref<Buffer>> parts, int axis);
  ~Buffer() override;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  /// The first, if there are several.
  Device& device() const { return device_; }
  /// By device, if it lies on several; else empty.
  std::span<const Ref<Buffer>> parts() const { return parts_; }
  /// Along which the parts are parts; negative: each is all.
  int axis() const { return axis_; }
  /// What this is a part of, or itself.
  Buffer& whole() { return whole_ != nullptr ? *whole_ : *this; }
  int64_t bytes() const { return bytes_; }
  bool allocated() const { return allocation_.data != nullptr; }
  /// Allocates on first use. Zero-size buffers have a valid, never dereferenced address.
  void* data();
  Allocation allocation() { return data(), allocation_; }
  /// Into all parts, if each is all.
  void copy_in(const void* from, int64_t bytes);
  void copy_out(void* to, int64_t bytes);

  /// The BUFFER node, by its id, that names the present contents; 0 as long as nothing was
  /// overwritten in place. A graph that names another one asks for contents that are gone, and must
  /// not read.
  int64_t executed_version() const { return version_.load(std::memory_order_relaxed); }
  Overwriter overwritten_by() const { return by_.load(std::memory_order_relaxed); }
  /// Of the parts too.
  void set_version(int64_t node_id, Overwriter by) {
    version_.store(node_id, std::memory_order_relaxed);
    by_.store(by, std::memory_order_relaxed);
    for (const Ref<Buffer>& part : parts_) part->set_version(node_id, by);
  }

 private:
  Device& device_;
  int64_t bytes_;
  Allocation allocation_;
  std::function<void()> release_;  // of memory that is not the allocator's
  const std::vector<Ref<Buffer>> parts_;
  const int axis_ = -1;
  Buffer* whole_ = nullptr;  // outlived by its parts, which it takes back
  std::atomic<int64_t> version_{0};
  std::atomic<Overwriter> by_{Overwriter::None};
};

/// "an assignment", "a captured call": for messages.
const char* overwriter_name(Overwriter by);

}  // namespace tg
