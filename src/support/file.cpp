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

}  // namespace tg
