// What a device's compiler made of a source, on disk, so that no process compiles it again. Files
// and their safety: disk_cache.h.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "runtime/disk_cache.h"

namespace tg {

/// Thread-safe.
class KernelCache {
 public:
  /// `compiler`: all that decides, besides the source, what is made of it: compiler, version,
  /// options, processor.
  explicit KernelCache(std::string compiler) : compiler_(std::move(compiler)) {}
  /// What store() kept for `source`, in any process; it may have been made by another driver than
  /// this machine has now, so that it does not load.
  std::optional<std::string> find(std::string_view source) const;
  void store(std::string_view source, std::string_view code) const;

 private:
  std::string key(std::string_view source) const;

  const std::string compiler_;
  const DiskCache files_{kKernelCache};
};

}  // namespace tg
