// Files: whole reads, atomic writes, temporary folders, the cache folder, and their errors.
#include "support/file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "support/options.h"
#include "tg/error.h"
#include "tg/log.h"

namespace tg {
namespace {

namespace fs = std::filesystem;

size_t entries(const fs::path& folder) {
  return static_cast<size_t>(
      std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

std::string read_error(const fs::path& path, uint64_t max_bytes = UINT64_MAX) {
  try {
    read_file(path, max_bytes);
  } catch (const FileError& error) {
    return error.what();
  }
  return "no error";
}

TEST(File, WhatWasWrittenIsRead) {
  const TempDir dir;
  const std::string bytes("a\0b\n\xff", 5);
  write_file(dir.path() / "f", bytes);
  EXPECT_EQ(read_file(dir.path() / "f"), bytes);
  EXPECT_EQ(try_read_file(dir.path() / "f"), bytes);
}

TEST(File, EmptyAndLargeFilesAreRead) {
  const TempDir dir;
  write_file(dir.path() / "empty", "");
  EXPECT_EQ(read_file(dir.path() / "empty"), "");
  const std::string large(3'000'001, 'q');
  write_file(dir.path() / "large", large);
  EXPECT_EQ(read_file(dir.path() / "large"), large);
}

TEST(File, FilesWithoutASizeAreRead) { EXPECT_GT(read_file("/proc/self/status").size(), 100u); }

std::string source_error(const std::function<void()>& f) {
  try {
    f();
  } catch (const FileError& error) {
    return error.what();
  }
  return "no error";
}

TEST(ByteSource, PartsAreRead) {
  const TempDir dir;
  const fs::path path = dir.path() / "f";
  write_file(path, "0123456789");
  for (const ByteSource& s : {ByteSource::open(path), ByteSource::of("0123456789", path.string()),
                              ByteSource::view("0123456789", path.string())}) {
    EXPECT_EQ(s.size(), 10u);
    EXPECT_EQ(s.name(), path.string());
    EXPECT_EQ(s.read(7, 3), "789");
    EXPECT_EQ(s.read(10, 0), "");
    EXPECT_EQ(s.read_all(), "0123456789");
    for (const auto& [offset, count] :
         {std::pair<uint64_t, uint64_t>{8, 3}, {11, 0}, {1, UINT64_MAX}, {UINT64_MAX, 2}})
      EXPECT_EQ(source_error([&] { s.read(offset, count); }),
                "read_file: \"" + path.string() + "\" is truncated: it has 10 bytes, " +
                    std::to_string(count) + " are needed at " + std::to_string(offset) + ".");
  }
}

TEST(ByteSource, AFileThatBecomesShorterIsAnError) {
  const TempDir dir;
  const fs::path path = dir.path() / "f";
  write_file(path, "0123456789");
  const ByteSource s = ByteSource::open(path);
  fs::resize_file(path, 5);
  EXPECT_EQ(s.read(0, 5), "01234");
  EXPECT_EQ(
      source_error([&] { s.read(3, 4); }),
      "read_file: \"" + path.string() + "\" has become shorter: it ends at 5 while it is read.");
}

TEST(ByteSource, FoldersAndMissingFilesAreNamed) {
  const TempDir dir;
  EXPECT_EQ(source_error([&] { ByteSource::open(dir.path()); }),
            "read_file: cannot read \"" + dir.path().string() + "\": Is a directory.");
  EXPECT_EQ(source_error([&] { ByteSource::open("/no/such/file"); }),
            "read_file: cannot read \"/no/such/file\": No such file or directory.");
}

TEST(ByteSource, PipesAndFilesWithoutASizeAreReadToTheirEnd) {
  EXPECT_GT(ByteSource::open("/proc/self/status").size(), 100u);
  const TempDir dir;
  const fs::path path = dir.path() / "pipe";
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  std::thread writer([&] {
    const FileDescriptor out(open(path.c_str(), O_WRONLY));
    EXPECT_EQ(write(out.get(), "hello", 5), 5);
  });
  EXPECT_EQ(ByteSource::open(path).read_all(), "hello");
  writer.join();
}

TEST(File, AMissingFileIsNamed) {
  EXPECT_EQ(read_error("/no/such/file"),
            "read_file: cannot read \"/no/such/file\": No such file or directory.");
  EXPECT_EQ(try_read_file("/no/such/file"), std::nullopt);
}

TEST(File, AFolderIsNoFile) {
  const TempDir dir;
  EXPECT_NE(read_error(dir.path()).find("Is a directory"), std::string::npos);
}

TEST(File, TheByteLimitHolds) {
  const TempDir dir;
  write_file(dir.path() / "f", "12345");
  EXPECT_EQ(read_file(dir.path() / "f", 5), "12345");
  EXPECT_EQ(read_error(dir.path() / "f", 4),
            "read_file: \"" + (dir.path() / "f").string() + "\" has more than 4 bytes.");
  EXPECT_NE(read_error("/dev/zero", 100'000).find("more than 100000 bytes"), std::string::npos);
}

TEST(File, WritingReplacesAndLeavesNothingBeside) {
  const TempDir dir;
  write_file(dir.path() / "f", "old");
  write_file(dir.path() / "f", "new");
  EXPECT_EQ(read_file(dir.path() / "f"), "new");
  EXPECT_EQ(entries(dir.path()), 1u);
}

TEST(File, AFailedWriteKeepsTheTargetAndLeavesNothingBeside) {
  const TempDir dir;
  fs::create_directory(dir.path() / "target");
  EXPECT_THROW(write_file(dir.path() / "target", "x"), FileError);
  EXPECT_FALSE(try_write_file(dir.path() / "target", "x"));
  EXPECT_FALSE(try_write_file(dir.path() / "no" / "folder", "x"));
  EXPECT_EQ(entries(dir.path()), 1u);
}

fs::perms mode_of(const fs::path& path) { return fs::status(path).permissions(); }

TEST(File, ANewFileHasTheModeThatTheUmaskLeaves) {
  const TempDir dir;
  const mode_t before = umask(027);
  write_file(dir.path() / "f", "x");
  umask(0);
  write_file(dir.path() / "g", "x");
  umask(before);
  EXPECT_EQ(mode_of(dir.path() / "f"), fs::perms(0640));
  EXPECT_EQ(mode_of(dir.path() / "g"), fs::perms(0666));
}

TEST(File, AReplacedFileKeepsItsMode) {
  const TempDir dir;
  const fs::path path = dir.path() / "f";
  write_file(path, "old");
  for (const unsigned mode : {0600u, 0664u, 0444u, 0755u}) {
    fs::permissions(path, fs::perms(mode));
    write_file(path, "new");
    EXPECT_EQ(mode_of(path), fs::perms(mode));
    EXPECT_TRUE(try_write_file(path, "newer"));
    EXPECT_EQ(mode_of(path), fs::perms(mode));
  }
}

TEST(File, ALinkIsReplacedByAFileWithTheModeOfANewOne) {
  const TempDir dir;
  write_file(dir.path() / "target", "old");
  fs::permissions(dir.path() / "target", fs::perms(0600));
  fs::create_symlink("target", dir.path() / "link");
  const mode_t before = umask(022);
  write_file(dir.path() / "link", "new");
  umask(before);
  EXPECT_EQ(mode_of(dir.path() / "link"), fs::perms(0644));
  EXPECT_EQ(read_file(dir.path() / "target"), "old");
}

TEST(File, ReadersNeverSeeHalfAFile) {
  const TempDir dir;
  const fs::path path = dir.path() / "f";
  write_file(path, std::string(100'000, 'a'));
  std::thread writer([&] {
    for (int i = 0; i < 50; ++i) write_file(path, std::string(100'000, i % 2 ? 'a' : 'b'));
  });
  for (int i = 0; i < 50; ++i) {
    const std::string seen = read_file(path);
    ASSERT_EQ(seen.size(), 100'000u);
    ASSERT_EQ(seen.find_first_not_of(seen[0]), std::string::npos);
  }
  writer.join();
}

TEST(TempDir, IsDeletedWithItsContents) {
  fs::path path;
  {
    const TempDir dir("name");
    path = dir.path();
    EXPECT_TRUE(path.filename().string().starts_with("name-"));
    fs::create_directory(path / "sub");
    write_file(path / "sub" / "f", "x");
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST(TempDir, MovingKeepsTheFolder) {
  TempDir first;
  const fs::path path = first.path();
  {
    const TempDir second(std::move(first));
    EXPECT_TRUE(fs::exists(path));
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST(TempDir, AnUnusableFolderIsAnErrorThatNamesTmpdir) {
  Options o = options();
  o.temp_dir = "/no/such/folder";
  const OptionsScope scope(o);
  try {
    const TempDir dir;
    FAIL() << "no error";
  } catch (const FileError& error) {
    EXPECT_NE(std::string(error.what()).find("TMPDIR"), std::string::npos) << error.what();
  }
}

TEST(CacheFolder, IsMadeOnDemandForTheUserAlone) {
  const TempDir dir;
  Options o = options();
  o.cache_dir = dir.path() / "a" / "b";
  const OptionsScope scope(o);
  const auto folder = cache_folder("kernels");
  ASSERT_TRUE(folder.has_value());
  EXPECT_EQ(*folder, dir.path() / "a" / "b" / "kernels");
  EXPECT_EQ(fs::status(*folder).permissions() & fs::perms::others_all, fs::perms::none);
  EXPECT_EQ(cache_folder("kernels"), folder);
}

TEST(CacheFolder, IsEmptyWithoutACache) {
  Options o = options();
  o.cache_dir = "";
  const OptionsScope scope(o);
  EXPECT_EQ(cache_folder("kernels"), std::nullopt);
}

TEST(CacheFolder, IsEmptyWhereItCannotBeMade) {
  const TempDir dir;
  write_file(dir.path() / "file", "x");
  Options o = options();
  o.cache_dir = dir.path() / "file" / "below";
  {
    const OptionsScope scope(o);
    EXPECT_EQ(cache_folder("kernels"), std::nullopt);
  }
  o.cache_dir = dir.path();
  const OptionsScope scope(o);
  EXPECT_EQ(cache_folder("file"), std::nullopt) << "a file stands where the folder should be";
}

// A cache in a folder of the test, and what is said meanwhile.
class ForeignCacheFolder : public testing::Test {
 protected:
  ForeignCacheFolder() : scope_(with_cache(dir_.path())) {
    before_ = set_log_sink([this](std::string_view line) { said_ += line; });
  }
  ~ForeignCacheFolder() override { set_log_sink(before_); }
  static Options with_cache(const fs::path& path) {
    Options o = options();
    o.cache_dir = path.string();
    return o;
  }
  fs::path folder() const { return dir_.path() / "kernels"; }

  TempDir dir_;
  OptionsScope scope_;
  std::string said_;
  LogSink before_;
};

TEST_F(ForeignCacheFolder, ThatOthersMayWriteIsNotUsedAndSaidOnce) {
  for (const unsigned mode : {0777u, 0770u, 0722u, 01777u}) {
    said_.clear();
    fs::create_directory(folder());
    fs::permissions(folder(), fs::perms(mode));
    EXPECT_EQ(cache_folder("kernels"), std::nullopt) << mode;
    EXPECT_EQ(cache_folder("kernels"), std::nullopt) << mode;
    fs::remove(folder());
  }
  fs::create_directory(dir_.path() / "said");
  fs::permissions(dir_.path() / "said", fs::perms(0777));
  said_.clear();
  EXPECT_EQ(cache_folder("said"), std::nullopt);
  EXPECT_EQ(cache_folder("said"), std::nullopt);
  EXPECT_EQ(said_, "cache_folder: \"" + (dir_.path() / "said").string() +
                       "\" is not used: others may write to it. Hint: chmod go-w, or set TG_CACHE "
                       "to a folder of your own.");
}

TEST_F(ForeignCacheFolder, OfAnotherUserIsNotUsed) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a folder to another user";
  fs::create_directory(folder());
  fs::permissions(folder(), fs::perms(0755));
  ASSERT_EQ(chown(folder().c_str(), 4242, 4242), 0);
  EXPECT_EQ(cache_folder("kernels"), std::nullopt);
  EXPECT_EQ(said_, "cache_folder: \"" + folder().string() +
                       "\" is not used: it belongs to another user. Hint: set TG_CACHE to a folder "
                       "of your own.");
}

TEST_F(ForeignCacheFolder, BehindALinkIsNotUsed) {
  fs::create_directory(dir_.path() / "elsewhere");
  fs::permissions(dir_.path() / "elsewhere", fs::perms(0700));
  fs::create_directory_symlink("elsewhere", folder());
  EXPECT_EQ(cache_folder("kernels"), std::nullopt);
  EXPECT_EQ(said_, "cache_folder: \"" + folder().string() +
                       "\" is not used: it is no folder, perhaps a link to one. Hint: set TG_CACHE "
                       "to a folder of your own.");
}

TEST_F(ForeignCacheFolder, BelowASharedOneIsUsedWhereItIsOnesOwn) {
  fs::permissions(dir_.path(), fs::perms(01777));
  EXPECT_EQ(cache_folder("kernels"), folder());
  EXPECT_EQ(said_, "");
}

TEST(OwnFile, IsReadOnlyWhereNobodyElseCanHaveWrittenIt) {
  const TempDir dir;
  const fs::path path = dir.path() / "f";
  write_file(path, "code");
  for (const unsigned mode : {0600u, 0644u, 0755u}) {
    fs::permissions(path, fs::perms(mode));
    EXPECT_EQ(try_read_own_file(path, 4), "code");
  }
  EXPECT_EQ(try_read_own_file(path, 3), std::nullopt);
  fs::create_symlink("f", dir.path() / "link");
  EXPECT_EQ(try_read_own_file(dir.path() / "link", 4), std::nullopt);
  EXPECT_EQ(try_read_own_file(dir.path() / "none", 4), std::nullopt);
  ASSERT_EQ(mkfifo((dir.path() / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(try_read_own_file(dir.path() / "pipe", 4), std::nullopt);
  for (const unsigned mode : {0620u, 0602u, 0666u}) {
    fs::permissions(path, fs::perms(mode));
    EXPECT_EQ(try_read_own_file(path, 4), std::nullopt) << mode;
  }
  fs::permissions(path, fs::perms(0600));
  if (geteuid() == 0) {
    ASSERT_EQ(chown(path.c_str(), 4242, 4242), 0);
    EXPECT_EQ(try_read_own_file(path, 4), std::nullopt);
  }
}

TEST(FileDescriptor, ClosesOnceAndMoves) {
  FileDescriptor first(open("/dev/null", O_RDONLY | O_CLOEXEC));
  ASSERT_TRUE(first);
  const int number = first.get();
  FileDescriptor second(std::move(first));
  EXPECT_EQ(second.get(), number);
  EXPECT_NE(fcntl(number, F_GETFD), -1);
  second.close();
  EXPECT_FALSE(second);
  EXPECT_EQ(fcntl(number, F_GETFD), -1);
}

}  // namespace
}  // namespace tg
