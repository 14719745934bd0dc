// Files by descriptors, where atomicity and the reasons of failures matter: Linux and macOS.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <utility>

#include "support/file.h"
#include "support/os/os.h"

namespace tg {

void FileDescriptor::close() {
  if (value_ >= 0) ::close(std::exchange(value_, -1));
}

}  // namespace tg

namespace tg::os {
namespace {

namespace fs = std::filesystem;

// Reads until the end; false with errno on failure, EFBIG beyond `max_bytes`. Does not trust the
// size that the system reports: files of /proc say 0, and a file may grow.
bool read_all(int fd, uint64_t max_bytes, std::string& bytes) {
  constexpr size_t kChunk = 1 << 16;
  struct stat info {};
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

constexpr mode_t kModeBits = 0777;

// A new file called as `path` with a dot and six characters behind; errno where there is none.
FileDescriptor create_beside(const fs::path& path, mode_t mode, std::string& name) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz0123456789";
  constexpr int kTries = 100;
  std::random_device random;
  for (int i = 0; i < kTries; ++i) {
    name = path.string() + ".";
    for (int k = 0; k < 6; ++k) name += kLetters[random() % kLetters.size()];
    FileDescriptor file(
        open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
    if (file || errno != EEXIST) return file;
  }
  return {};
}

// Whether the bytes are on the disk, not only on their way.
bool reach_disk(int fd) {
#ifdef F_FULLFSYNC
  if (fcntl(fd, F_FULLFSYNC) == 0) return true;
#endif
  return fsync(fd) == 0 || errno == EINVAL;  // EINVAL: nothing of the kind here, as of a pipe
}

// The new name reaches the disk. The file is there and whole whether or not that works, so a folder
// that cannot be opened for reading is none the worse.
void sync_folder_of(const fs::path& path) {
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  const FileDescriptor opened(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (opened) reach_disk(opened.get());
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

// `exactly`: the umask does not take from the mode.
int replace_with_mode(const fs::path& path, std::string_view bytes, Sync sync, mode_t mode,
                      bool exactly) {
  std::string temporary;
  FileDescriptor file = create_beside(path, mode, temporary);
  if (!file) return errno;
  const bool written = (!exactly || fchmod(file.get(), mode) == 0) &&
                       write_all(file.get(), bytes) && (sync == Sync::No || reach_disk(file.get()));
  int error = written ? 0 : errno;
  file.close();
  if (error == 0 && rename(temporary.c_str(), path.c_str()) != 0) error = errno;
  if (error != 0) unlink(temporary.c_str());
  if (error == 0 && sync == Sync::Yes) sync_folder_of(path);
  return error;
}

bool is_of_this_user(const struct stat& info) {
  return info.st_uid == geteuid() || info.st_uid == 0;
}

// Lists of rights beyond the mode show in the bits of the group.
bool others_may_write(const struct stat& info) { return (info.st_mode & (S_IWGRP | S_IWOTH)) != 0; }

}  // namespace

std::optional<FileFacts> file_facts(const fs::path& path) {
  struct stat info {};
  if (lstat(path.c_str(), &info) != 0) return std::nullopt;
  return FileFacts{S_ISREG(info.st_mode), static_cast<uint64_t>(info.st_size), info.st_mtime};
}

void touch_file(const fs::path& path) { utimensat(AT_FDCWD, path.c_str(), nullptr, 0); }

int read_file(const fs::path& path, uint64_t max_bytes, std::string& bytes) {
  const FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return errno;
  return read_all(file.get(), max_bytes, bytes) ? 0 : errno;
}

int open_file(const fs::path& path, FileDescriptor& file, uint64_t& bytes) {
  // A pipe is not opened: closing it again would end who writes to it.
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) return errno;
  if (!S_ISREG(info.st_mode)) return S_ISDIR(info.st_mode) ? EISDIR : ESPIPE;
  FileDescriptor opened(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (!opened || fstat(opened.get(), &info) != 0) return errno;
  if (S_ISDIR(info.st_mode)) return EISDIR;
  if (!S_ISREG(info.st_mode)) return ESPIPE;
  file = std::move(opened);
  bytes = static_cast<uint64_t>(std::max<off_t>(0, info.st_size));
  return 0;
}

int read_at(const FileDescriptor& file, uint64_t offset, std::span<char> out, size_t& got) {
  constexpr size_t kMost = 1 << 30;
  got = 0;
  while (got < out.size()) {
    const ssize_t count = pread(file.get(), out.data() + got, std::min(out.size() - got, kMost),
                                static_cast<off_t>(offset + got));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno;
    if (count == 0) return 0;
    got += static_cast<size_t>(count);
  }
  return 0;
}

// What is checked is what was opened: neither a link nor an exchange of names comes between.
// Opening a pipe does not wait.
int read_own_file(const fs::path& path, uint64_t max_bytes, std::string& bytes) {
  const FileDescriptor file(open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat info {};
  if (!file || fstat(file.get(), &info) != 0) return errno;
  if (!S_ISREG(info.st_mode) || !is_of_this_user(info) || others_may_write(info)) return EPERM;
  return read_all(file.get(), max_bytes, bytes) ? 0 : errno;
}

int replace_file(const fs::path& path, std::string_view bytes, Sync sync) {
  struct stat old {};
  const bool replaces = lstat(path.c_str(), &old) == 0 && S_ISREG(old.st_mode);
  return replaces ? replace_with_mode(path, bytes, sync, old.st_mode & kModeBits, true)
                  : replace_with_mode(path, bytes, sync, 0666, false);
}

int replace_own_file(const fs::path& path, std::string_view bytes) {
  return replace_with_mode(path, bytes, Sync::No, 0600, true);
}

int make_private_folder(const fs::path& path) {
  return mkdir(path.c_str(), 0700) == 0 || errno == EEXIST ? 0 : errno;
}

FolderFault folder_fault(const fs::path& path) {
  struct stat info {};
  if (lstat(path.c_str(), &info) != 0) return FolderFault::Missing;
  if (!S_ISDIR(info.st_mode)) return FolderFault::NoFolder;
  if (!is_of_this_user(info)) return FolderFault::OfAnother;
  return others_may_write(info) ? FolderFault::OthersWrite : FolderFault::None;
}

bool may_write_folder(const fs::path& path) { return access(path.c_str(), W_OK | X_OK) == 0; }

int make_temporary_folder(std::string& path) { return mkdtemp(path.data()) != nullptr ? 0 : errno; }

}  // namespace tg::os
