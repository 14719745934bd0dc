// Device memory, and copies through page-locked memory of the host: those to the device do not
// wait for it. Blocks are kept and handed out again here, without the driver, which knows neither
// how much is in use nor what could be given back; one stream in order makes that safe.
#pragma once

#include <array>
#include <mutex>

#include "backends/cuda/session.h"
#include "runtime/handle_allocator.h"

namespace tg::cuda {

/// Page-locked memory in two halves: one is filled or emptied while the device copies the other.
/// Thread-safe.
class Staging {
 public:
  explicit Staging(const Session& session) : session_(session) {}
  ~Staging();
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  /// Queued; `from` may change when it returns.
  void write(uint64_t to, const char* from, int64_t bytes);
  /// Waits for what was queued before.
  void read(char* to, uint64_t from, int64_t bytes);

  static constexpr int64_t kHalf = int64_t{4} << 20;

 private:
  struct Half {
    char* memory = nullptr;
    Event* copied = nullptr;
  };
  Half& take(size_t i);  // waits until its last copy is done
  void queued(Half& half);

  const Session& session_;
  std::mutex lock_;
  std::array<Half, 2> halves_;  // made at the first copy
};

class DeviceMemory final : public HandleAllocator {
 public:
  DeviceMemory(const Session& session, int64_t max_bytes)
      : HandleAllocator("CUDA", max_bytes), session_(session), staging_(session) {}
  /// Blocks that are still in use belong to objects that live until the end of the process.
  ~DeviceMemory() override { release_cached(); }

 protected:
  void* create(int64_t bytes) override;
  void destroy(void* handle) override;
  uint64_t address_of(void* handle) const override;
  void write(const BlockPlace& to, const void* from, int64_t bytes) override;
  void read(void* to, const BlockPlace& from, int64_t bytes) override;

 private:
  const Session& session_;
  Staging staging_;
};

}  // namespace tg::cuda
