// Compiled code on disk: one file an entry, written beside its name and renamed, so that a crash or
// another process leaves whole entries or none, and checked when read. What is in an entry is its
// writer's business; nothing here can fail, for a program works without a cache.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace tg {

/// The folder of compiled kernels, whoever compiled them.
inline constexpr const char* kKernelCache = "kernels";

struct CacheUsage {
  int64_t entries = 0;
  uint64_t bytes = 0;
};

class DiskCache {
 public:
  /// Entries live in the folder `name` of the cache (option TG_CACHE).
  explicit DiskCache(std::string name) : name_(std::move(name)) {}

  /// The bytes stored under `key`, a file name. Empty if there are none, or if the entry is
  /// damaged, of another key or of another version. A hit counts as use. Costs one small file read.
  std::optional<std::string> find(const std::string& key) const;
  /// Keeps `bytes` under `key`, replacing what is there; does nothing where nothing can be written.
  /// When the folder outgrows option TG_CACHE_MB, the entries unused for longest are deleted until
  /// a tenth is free. Thread-safe, and safe beside other processes.
  void store(const std::string& key, std::string_view bytes) const;

  /// What is in the folder now, without files that are no entries. O(files).
  CacheUsage usage() const;
  /// Deletes all entries, and temporary files that a killed process left; what was deleted.
  CacheUsage clear() const;
  /// The folder, which need not exist; empty without a cache.
  std::filesystem::path folder() const;

 private:
  void shrink(uint64_t limit) const;

  std::string name_;
  mutable std::atomic<int64_t> estimate_{-1};  // bytes in the folder; −1 until it was read
};

}  // namespace tg
