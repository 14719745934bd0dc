// Device memory, and copies through page-locked memory of the host (staged_allocator.h). Blocks are
// kept and handed out again by the library and not by the driver, which knows neither how much is
// in use nor what could be given back; one stream in order makes that safe.
#pragma once

#include <array>

#include "backends/cuda/session.h"
#include "runtime/staged_allocator.h"

namespace tg::cuda {

class DeviceMemory final : public StagedAllocator {
 public:
  DeviceMemory(const Session& session, int64_t max_bytes)
      : StagedAllocator("CUDA", max_bytes), session_(session) {}
  /// Waits for the stream. Blocks that are still in use belong to objects that live until the end
  /// of the process.
  ~DeviceMemory() override;

 protected:
  void* create(int64_t bytes) override;
  void destroy(void* handle) override;
  char* take(size_t half) override;
  void queue_write(uint64_t to, size_t half, const char* memory, int64_t bytes) override;
  void queue_read(char* memory, size_t half, uint64_t from, int64_t bytes) override;

 private:
  struct Half {
    char* memory = nullptr;
    OwnedEvent copied;
  };
  void queued(Status copy, const char* what, size_t half, int64_t bytes);

  const Session& session_;
  std::array<Half, 2> halves_;
};

}  // namespace tg::cuda
