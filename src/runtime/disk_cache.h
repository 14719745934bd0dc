// Compiled code on disk: one file an entry, written beside its name and renamed, so that a crash or
// another process leaves whole entries or none, and checked when read: a hit is code for the whole
// key, and from nobody but the user. What is in an entry is its
// writer's business; nothing here can fail, for a program works without a cache.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace tg {

/// The folder of kernels compiled by any process.
inline constexpr const char* kKernelCache = "kernels";
/// The folder of schedules that searches have found.
inline constexpr const char* kFoundSchedules = "schedules";

struct CacheUsage {
  int64_t entries = 0;
  uint64_t bytes = 0;
};

/// An entry as a file: a header, the key, the bytes.
std::string disk_cache_entry(std::string_view key, std::string_view bytes);
/// The bytes in an entry; empty if it is damaged, of another version, or of another key.
std::optional<std::string> disk_cache_code(std::string entry, std::string_view key);

class DiskCache {
 public:
  /// Entries live in the folder `name` of the cache (option TG_CACHE).
  explicit DiskCache(std::string name) : name_(std::move(name)) {}

  /// The bytes stored under `key`, all that they were made from. Empty if there are none, if the
  /// entry is damaged, of another key or of another version, or if anybody else can have written it
  /// (is_own_folder, try_read_own_file). A hit counts as use. Costs one small file read.
  std::optional<std::string> find(std::string_view key) const;
  /// Keeps `bytes` under `key`, replacing what is there; does nothing where nothing can be written.
  /// When the folder outgrows option TG_CACHE_MB, the entries unused for longest are deleted until
  /// a tenth is free. Thread-safe, and safe beside other processes.
  void store(std::string_view key, std::string_view bytes) const;

  /// What is in the folder now, without files that are no entries. O(files).
  CacheUsage usage() const;
  /// Deletes all entries, and temporary files that a killed process left; what was deleted.
  CacheUsage clear() const;
  /// The folder, which need not exist; empty without a cache.
  std::filesystem::path folder() const;
  /// Where an entry lies: named by a hash of the key.
  std::filesystem::path file_of(std::string_view key) const;

 private:
  void shrink(uint64_t limit) const;

  std::string name_;
  mutable std::atomic<int64_t> estimate_{-1};  // bytes in the folder; −1 until it was read
};

}  // namespace tg
