// File access by descriptors: std::filesystem for paths, POSIX where atomicity and error reasons
// matter.
#include "support/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "support/check.h"
#include "support/options.h"

namespace tg {
namespace {

namespace fs = std::filesystem;

std::string reason_of(int error) { return std::generic_category().message(error); }

// Reads until the end; false with errno on failure, EFBIG beyond `max_bytes`. Does not trust the
// size that the system reports: files of /proc say 0, and a file may grow.
bool read_all(int fd, uint64_t max_bytes, std::string& bytes) {
  constexpr size_t kChunk = 1 << 16;
  struct stat info{};
  if (fstat(fd, &info) != 0) return false;
  if (S_ISDIR(info.st_mode)) return errno = EISDIR, false;
  const auto expected = static_cast<uint64_t>(std::max<off_t>(0, info.st_size));
  if (S_ISREG(info.st_mode) && expected > max_bytes) return errno = EFBIG, false;
  if (S_ISREG(info.st_mode)) bytes.reserve(expected + 1);
  for (;;) {
    const size_t used = bytes.size();
    bytes.resize(std::max(bytes.capacity(), used + kChunk));
    const ssize_t got = read(fd, bytes.data() + used, bytes.size() - used);
    bytes.resize(used + static_cast<size_t>(std::max<ssize_t>(got, 0)));
    if (got < 0 && errno != EINTR) return false;
    if (bytes.size() > max_bytes) return errno = EFBIG, false;
    if (got == 0) return true;
  }
}

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

// 0 or the errno of the step that failed.
int read_into(const fs::path& path, uint64_t max_bytes, std::string& bytes) {
  const FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return errno;
  return read_all(file.get(), max_bytes, bytes) ? 0 : errno;
}

int write_atomically(const fs::path& path, std::string_view bytes) {
  std::string temporary = path.string() + ".XXXXXX";
  FileDescriptor file(mkostemp(temporary.data(), O_CLOEXEC));
  if (!file) return errno;
  // mkostemp makes private files; the mode of an ordinary new file depends on the umask, which only
  // umask() can tell. 0644 is what most systems give.
  const bool written = fchmod(file.get(), 0644) == 0 && write_all(file.get(), bytes);
  int error = written ? 0 : errno;
  file.close();
  if (error == 0 && rename(temporary.c_str(), path.c_str()) != 0) error = errno;
  if (error != 0) unlink(temporary.c_str());
  return error;
}

}  // namespace

std::string read_file(const fs::path& path, uint64_t max_bytes) {
  std::string bytes;
  const int error = read_into(path, max_bytes, bytes);
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
  if (read_into(path, UINT64_MAX, bytes) != 0) return std::nullopt;
  return bytes;
}

void write_file(const fs::path& path, std::string_view bytes) {
  if (const int error = write_atomically(path, bytes); error != 0) {
    user_error<FileError>("write_file",
                          fmt::format("cannot write \"{}\": {}", path.string(), reason_of(error)));
  }
}

bool try_write_file(const fs::path& path, std::string_view bytes) {
  return write_atomically(path, bytes) == 0;
}

std::optional<fs::path> cache_folder(std::string_view name) {
  if (options().cache_dir.empty()) return std::nullopt;
  const fs::path root = options().cache_dir;
  fs::path folder = name.empty() ? root : root / name;
  std::error_code error;
  fs::create_directories(root, error);
  if (error) return std::nullopt;
  if (!name.empty() && mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) return std::nullopt;
  if (access(folder.c_str(), W_OK | X_OK) != 0) return std::nullopt;
  return folder;
}

TempDir::TempDir(std::string_view prefix) {
  std::string path = fmt::format("{}/{}-XXXXXX", options().temp_dir, prefix);
  if (!mkdtemp(path.data())) {
    user_error<FileError>(
        "TempDir",
        fmt::format("cannot make a folder in \"{}\": {}", options().temp_dir, reason_of(errno)),
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

void FileDescriptor::close() {
  if (value_ >= 0) ::close(std::exchange(value_, -1));
}

}  // namespace tg
