// Files and the disk below them: what is waited for, and a disk that is full. What files are for
// readers: file_test.cpp.
#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <string>

#include "support/file.h"
#include "tg/error.h"

namespace {
int synced_files = 0, synced_folders = 0;
}  // namespace

// In place of the C library's, so that calls can be counted.
extern "C" int fsync(int fd) {
  struct stat info {};
  if (fstat(fd, &info) == 0) ++(S_ISDIR(info.st_mode) ? synced_folders : synced_files);
  return static_cast<int>(syscall(SYS_fsync, fd));
}

namespace tg {
namespace {

namespace fs = std::filesystem;

TEST(FileOnDisk, WhatIsSavedIsWaitedForAndItsNameToo) {
  const TempDir dir;
  synced_files = synced_folders = 0;
  write_file(dir.path() / "f", "saved");
  EXPECT_EQ(synced_files, 1);
  EXPECT_EQ(synced_folders, 1);
}

TEST(FileOnDisk, CachesDoNotWait) {
  const TempDir dir;
  synced_files = synced_folders = 0;
  EXPECT_TRUE(try_write_file(dir.path() / "f", "cached"));
  write_file(dir.path() / "f", "made again", Sync::No);
  EXPECT_EQ(synced_files + synced_folders, 0);
}

// In a child: 64 KiB of disk at `folder`, which nobody else sees.
bool mount_small_disk(const fs::path& folder) {
  if (unshare(CLONE_NEWNS) != 0) {
    const std::string id = fmt::format("0 {} 1", getuid());
    if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
    const FileDescriptor map(open("/proc/self/uid_map", O_WRONLY | O_CLOEXEC));
    if (!map || write(map.get(), id.data(), id.size()) < 0) return false;
  }
  return mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         mount("none", folder.c_str(), "tmpfs", 0, "size=64k") == 0;
}

// What a person sees who saves more than fits over a small file, and what is there afterwards.
std::string save_too_much(const fs::path& folder) {
  const fs::path file = folder / "model";
  write_file(file, "old");
  try {
    write_file(file, std::string(1 << 20, 'x'));
  } catch (const FileError& error) {
    const auto entries = std::distance(fs::directory_iterator(folder), fs::directory_iterator());
    return fmt::format("{} {} file: {}", error.what(), entries, read_file(file));
  }
  return "no error";
}

TEST(FileOnDisk, AFullDiskIsAnErrorAndKeepsTheOldFile) {
  const TempDir dir;
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  FileDescriptor from(ends[0]), to(ends[1]);
  const pid_t child = fork();
  ASSERT_NE(child, -1);
  if (child == 0) {
    const std::string said =
        mount_small_disk(dir.path()) ? save_too_much(dir.path()) : std::string("no mounts");
    const bool told = write(to.get(), said.data(), said.size()) >= 0;
    _exit(told ? 0 : 1);
  }
  to.close();
  std::string said(4096, '\0');
  said.resize(
      static_cast<size_t>(std::max<ssize_t>(0, read(from.get(), said.data(), said.size()))));
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0);
  if (said == "no mounts") GTEST_SKIP() << "a disk cannot be mounted here";
  EXPECT_EQ(said,
            fmt::format("write_file: cannot write \"{}\": No space left on device. 1 file: old",
                        (dir.path() / "model").string()));
}

}  // namespace
}  // namespace tg
