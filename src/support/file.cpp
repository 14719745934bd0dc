// Whole files with errors that say why, folders of the cache and temporary ones. How files are read
// and replaced: os/files_*.cpp.
#include "support/file.h"

#include <fmt/format.h>

#include <cerrno>
#include <mutex>
#include <set>
#include <system_error>
#include <utility>

#include "support/check.h"
#include "support/log.h"
#include "support/options.h"
#include "support/os/os.h"

namespace tg {
namespace {

namespace fs = std::filesystem;

std::string reason_of(int error) { return std::generic_category().message(error); }

// Empty where there is nothing to say.
std::string_view reason_of(os::FolderFault fault) {
  switch (fault) {
    case os::FolderFault::None:
    case os::FolderFault::Missing:
      break;
    case os::FolderFault::NoFolder:
      return "it is no folder, perhaps a link to one";
    case os::FolderFault::OfAnother:
      return "it belongs to another user";
    case os::FolderFault::OthersWrite:
      return "others may write to it";
  }
  return {};
}

bool is_said_first(const fs::path& folder) {
  static std::mutex mutex;
  static std::set<fs::path> said;
  const std::lock_guard lock(mutex);
  return said.insert(folder).second;
}

}  // namespace

std::string read_file(const fs::path& path, uint64_t max_bytes) {
  std::string bytes;
  const int error = os::read_file(path, max_bytes, bytes);
  if (error == EFBIG) {
    user_error<FileError>("read_file",
                          fmt::format("\"{}\" has more than {} bytes", path.string(), max_bytes));
  }
  if (error != 0) {
    user_error<FileError>("read_file",
                          fmt::format("cannot read \"{}\": {}", path.string(), reason_of(error)));
  }
  return bytes;
}

std::optional<std::string> try_read_file(const fs::path& path) {
  std::string bytes;
  if (os::read_file(path, UINT64_MAX, bytes) != 0) return std::nullopt;
  return bytes;
}

void write_file(const fs::path& path, std::string_view bytes, Sync sync) {
  if (const int error = os::replace_file(path, bytes, sync); error != 0) {
    user_error<FileError>("write_file",
                          fmt::format("cannot write \"{}\": {}", path.string(), reason_of(error)));
  }
}

bool try_write_file(const fs::path& path, std::string_view bytes) {
  return os::replace_file(path, bytes, Sync::No) == 0;
}

std::optional<std::string> try_read_own_file(const fs::path& path, uint64_t max_bytes) {
  std::string bytes;
  if (os::read_own_file(path, max_bytes, bytes) != 0) return std::nullopt;
  return bytes;
}

bool try_write_own_file(const fs::path& path, std::string_view bytes) {
  return os::replace_own_file(path, bytes) == 0;
}

bool is_own_folder(const fs::path& path) {
  const os::FolderFault fault = os::folder_fault(path);
  const std::string_view reason = reason_of(fault);
  if (!reason.empty() && is_said_first(path)) {
    log_text(fmt::format(
        "cache_folder: \"{}\" is not used: {}. Hint: {}set TG_CACHE to a folder of your own.",
        path.string(), reason, fault == os::FolderFault::OthersWrite ? "chmod go-w, or " : ""));
  }
  return fault == os::FolderFault::None;
}

std::optional<fs::path> cache_folder(std::string_view name) {
  if (options().cache_dir.empty()) return std::nullopt;
  const fs::path root = options().cache_dir;
  fs::path folder = name.empty() ? root : root / name;
  std::error_code error;
  fs::create_directories(root, error);
  if (error) return std::nullopt;
  if (!name.empty() && os::make_private_folder(folder) != 0) return std::nullopt;
  if (!name.empty() && !is_own_folder(folder)) return std::nullopt;
  if (!os::may_write_folder(folder)) return std::nullopt;
  return folder;
}

TempDir::TempDir(std::string_view prefix) {
  std::string path = fmt::format("{}/{}-XXXXXX", options().temp_dir, prefix);
  if (const int error = os::make_temporary_folder(path); error != 0) {
    user_error<FileError>(
        "TempDir",
        fmt::format("cannot make a folder in \"{}\": {}", options().temp_dir, reason_of(error)),
        "Hint: set TMPDIR to a folder that can be written.");
  }
  path_ = path;
}

TempDir::~TempDir() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

TempDir::TempDir(TempDir&& other) noexcept : path_(std::exchange(other.path_, {})) {}

FileDescriptor::~FileDescriptor() { close(); }

FileDescriptor::FileDescriptor(FileDescriptor&& other) noexcept
    : value_(std::exchange(other.value_, -1)) {}

FileDescriptor& FileDescriptor::operator=(FileDescriptor&& other) noexcept {
  if (this != &other) {
    close();
    value_ = std::exchange(other.value_, -1);
  }
  return *this;
}

ByteSource ByteSource::open(const fs::path& path) {
  FileDescriptor file;
  uint64_t size = 0;
  const int error = os::open_file(path, file, size);
  // A size of 0 may be that of a file that is made while it is read.
  if (error == ESPIPE || (error == 0 && size == 0)) return of(read_file(path), path.string());
  if (error != 0)
    user_error<FileError>("read_file",
                          fmt::format("cannot read \"{}\": {}", path.string(), reason_of(error)));
  ByteSource source;
  source.name_ = path.string();
  source.size_ = size;
  source.file_ = std::make_shared<const FileDescriptor>(std::move(file));
  return source;
}

ByteSource ByteSource::of(std::string bytes, std::string name) {
  const auto kept = std::make_shared<const std::string>(std::move(bytes));
  ByteSource source = view(*kept, std::move(name));
  source.kept_ = kept;
  return source;
}

ByteSource ByteSource::view(std::string_view bytes, std::string name) {
  ByteSource source;
  source.name_ = std::move(name);
  source.size_ = bytes.size();
  source.bytes_ = bytes;
  return source;
}

void ByteSource::check_range(uint64_t offset, uint64_t count) const {
  if (offset <= size_ && count <= size_ - offset) return;
  user_error<FileError>(
      "read_file", fmt::format("\"{}\" is truncated: it has {} bytes, {} are needed at {}", name_,
                               size_, count, offset));
}

void ByteSource::read(uint64_t offset, std::span<char> out) const {
  check_range(offset, out.size());
  if (!file_) {
    bytes_.copy(out.data(), out.size(), offset);
    return;
  }
  size_t got = 0;
  const int error = os::read_at(*file_, offset, out, got);
  if (error != 0)
    user_error<FileError>("read_file",
                          fmt::format("cannot read \"{}\": {}", name_, reason_of(error)));
  if (got != out.size())
    user_error<FileError>(
        "read_file", fmt::format("\"{}\" has become shorter: it ends at {} while it is read", name_,
                                 offset + got));
}

std::string ByteSource::read(uint64_t offset, uint64_t count) const {
  check_range(offset, count);
  std::string bytes(count, '\0');
  read(offset, std::span<char>(bytes));
  return bytes;
}

}  // namespace tg
