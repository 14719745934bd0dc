// Whole files, parts of files and temporary folders: read, write so that no reader ever sees half a
// file, and clean up. Formats (safetensors, IDX, gzip) are in src/nn.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tg {

/// The bytes of a file. Throws FileError naming path and reason (missing, a folder, unreadable,
/// more than `max_bytes`).
std::string read_file(const std::filesystem::path& path, uint64_t max_bytes = UINT64_MAX);

/// The bytes of a file, or empty if it cannot be read for any reason. For caches.
std::optional<std::string> try_read_file(const std::filesystem::path& path);

/// Whether a write waits until the disk has it: what a person saved is to survive a power failure,
/// what can be made again need not wait. Waiting takes some 8 ms on a virtual disk.
enum class Sync : uint8_t { No, Yes };

/// Writes a temporary file beside `path` and renames it over it: a reader, or a crash, sees the old
/// bytes or the new ones; with Sync::Yes also a power failure. The folder must exist. Keeps the
/// mode of the file that was there. Throws FileError and leaves nothing behind on failure.
void write_file(const std::filesystem::path& path, std::string_view bytes, Sync sync = Sync::Yes);

/// Like write_file, but without waiting for the disk, and returns false on failure. For caches,
/// which work without a disk.
bool try_write_file(const std::filesystem::path& path, std::string_view bytes);

/// Reads and writes files of code that will be run: only what nobody besides this user and the
/// administrator can have written is read, and what is written nobody else may change. Links are
/// not followed. Empty and false on failure, as for a file of more than `max_bytes`.
std::optional<std::string> try_read_own_file(const std::filesystem::path& path, uint64_t max_bytes);
bool try_write_own_file(const std::filesystem::path& path, std::string_view bytes);

/// Whether the folder is there, belongs to this user or the administrator, and nobody else may
/// write to it. If another reason than its absence speaks against it, a warning says so once for
/// each folder.
bool is_own_folder(const std::filesystem::path& path);

/// The folder `name` inside the cache (option TG_CACHE), made if needed for this user alone. Empty
/// when there is no cache, when it cannot be made, for example in a read-only home, or when it is
/// not is_own_folder.
std::optional<std::filesystem::path> cache_folder(std::string_view name);

/// A new empty folder in the system's temporary folder, deleted with its contents at the end of the
/// scope.
class TempDir {
 public:
  /// Throws FileError if it cannot be made.
  explicit TempDir(std::string_view prefix = "tg");
  ~TempDir();
  TempDir(TempDir&& other) noexcept;
  TempDir& operator=(TempDir&&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// A file descriptor that closes itself.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int value) : value_(value) {}
  ~FileDescriptor();
  FileDescriptor(FileDescriptor&& other) noexcept;
  FileDescriptor& operator=(FileDescriptor&& other) noexcept;

  int get() const { return value_; }
  explicit operator bool() const { return value_ >= 0; }
  void close();

 private:
  int value_ = -1;
};

/// The bytes of a file, or of the memory, read a part at a time: formats whose parts say where
/// others lie need not be in memory as a whole. Files are read, not mapped, so that one that
/// another process cuts off is an error and no signal. Copies share the file.
class ByteSource {
 public:
  /// Opens a file; one that has no places, a pipe, is read to its end at once. Throws FileError
  /// naming path and reason.
  static ByteSource open(const std::filesystem::path& path);
  /// Bytes that the source keeps, or that the caller keeps; `name` stands for them in messages.
  static ByteSource of(std::string bytes, std::string name);
  static ByteSource view(std::string_view bytes, std::string name);

  uint64_t size() const { return size_; }
  const std::string& name() const { return name_; }
  /// The bytes from `offset` on that fill `out`. Throws FileError naming file and place if they end
  /// before.
  void read(uint64_t offset, std::span<char> out) const;
  /// `count` bytes from `offset` on; nothing is allocated if the source has not as many.
  std::string read(uint64_t offset, uint64_t count) const;
  /// All of them.
  std::string read_all() const { return read(0, size_); }

 private:
  ByteSource() = default;
  void check_range(uint64_t offset, uint64_t count) const;

  std::string name_;
  uint64_t size_ = 0;
  std::shared_ptr<const FileDescriptor> file_;  ///< empty: in memory
  std::shared_ptr<const std::string> kept_;
  std::string_view bytes_;
};

}  // namespace tg
