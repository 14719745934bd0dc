// Memory of a plug-in's device: its blocks are checked, counted, and kept for the next request of
// the same size.
#pragma once

#include <map>
#include <mutex>
#include <vector>

#include "backends/plugin/plugin.h"
#include "runtime/device.h"

namespace tg::plugin {

class PluginMemory final : public Allocator {
 public:
  /// `max_bytes` of one block; 0: unknown.
  PluginMemory(const Plugin& plugin, void* device, int64_t max_bytes)
      : plugin_(plugin), device_(device), max_bytes_(max_bytes) {}
  /// Blocks still in use belong to buffers that outlive the device, only at the end of the process:
  /// they are left alone.
  ~PluginMemory() override { release_locked(); }

  /// Throws DeviceError for what the plug-in refuses, and for an address that is NULL, not aligned
  /// to 64 or inside another block.
  Allocation allocate(int64_t bytes) override;
  /// A release that the plug-in refuses is a line in the log: nobody can be thrown at here.
  void free(Allocation a) override;
  /// The library follows no address of a plug-in.
  bool host_visible() const override { return false; }
  void copy_in(Allocation to, const void* from, int64_t bytes) override;
  void copy_out(void* to, Allocation from, int64_t bytes) override;
  int64_t release_cached() override;
  int64_t bytes_in_use() const override;
  int64_t bytes_cached() const override;

 private:
  struct Block {
    int64_t bytes = 0;
    bool in_use = false;
  };
  using Blocks = std::map<uintptr_t, Block>;
  void* ask(int64_t bytes);
  void adopt(void* address, int64_t bytes);
  void give_back(uintptr_t address, int64_t bytes) noexcept;
  int64_t release_locked() noexcept;

  const Plugin& plugin_;
  void* const device_;
  const int64_t max_bytes_;
  mutable std::mutex lock_;
  Blocks blocks_;  // in use and cached, by address
  std::map<int64_t, std::vector<uintptr_t>> cached_;
  int64_t bytes_in_use_ = 0;
  int64_t bytes_cached_ = 0;
};

}  // namespace tg::plugin
