// The cache of compiled code: entries are whole or not there, whatever the folder holds.
#include "runtime/disk_cache.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <fstream>
#include <thread>
#include <vector>

#include "support/file.h"
#include "support/options.h"

namespace tg {
namespace {

namespace fs = std::filesystem;

std::string key(int i) { return "compiler\nsource " + std::to_string(i); }

class DiskCacheTest : public testing::Test {
 protected:
  DiskCacheTest() : scope_(with_folder(folder_.path(), 1)) {}
  static Options with_folder(const fs::path& folder, int megabytes) {
    Options o = options();
    o.cache_dir = folder.string();
    o.cache_megabytes = megabytes;
    return o;
  }
  fs::path entry(int i) const { return cache_.file_of(key(i)); }
  // As if it was last used so many hours ago.
  void age(int i, int hours) const {
    fs::last_write_time(entry(i), fs::file_time_type::clock::now() - std::chrono::hours(hours));
  }

  TempDir folder_{"tg-test"};
  OptionsScope scope_;
  DiskCache cache_{"code"};
};

TEST_F(DiskCacheTest, GivesBackWhatWasStored) {
  const std::string bytes("a\0b", 3);
  cache_.store(key(1), bytes);
  EXPECT_EQ(cache_.find(key(1)), bytes);
  EXPECT_EQ(cache_.find(key(2)), std::nullopt);
}

TEST_F(DiskCacheTest, KeepsEmptyEntries) {
  cache_.store(key(1), "");
  EXPECT_EQ(cache_.find(key(1)), "");
}

TEST_F(DiskCacheTest, ReplacesAnEntry) {
  cache_.store(key(1), "old");
  cache_.store(key(1), "new");
  EXPECT_EQ(cache_.find(key(1)), "new");
  EXPECT_EQ(cache_.usage().entries, 1);
}

TEST_F(DiskCacheTest, IsSharedByObjectsOfOneName) {
  cache_.store(key(1), "code");
  EXPECT_EQ(DiskCache("code").find(key(1)), "code");
  EXPECT_EQ(DiskCache("other").find(key(1)), std::nullopt);
}

TEST_F(DiskCacheTest, RefusesAnEntryUnderAnotherKey) {
  cache_.store(key(1), "code");
  fs::copy_file(entry(1), entry(2));
  EXPECT_EQ(cache_.find(key(2)), std::nullopt);
}

// Two keys of one hash would be no accident: who can choose a source can look for them.
TEST(DiskCacheEntry, HoldsItsWholeKey) {
  const std::string entry = disk_cache_entry("key", "code");
  EXPECT_EQ(disk_cache_code(entry, "key"), "code");
  EXPECT_EQ(disk_cache_code(entry, "kez"), std::nullopt);
  EXPECT_EQ(disk_cache_code(entry, "ke"), std::nullopt) << "bytes of the key are no code";
  EXPECT_EQ(disk_cache_code(entry, "keyc"), std::nullopt);
  EXPECT_EQ(disk_cache_code(entry, ""), std::nullopt);
}

TEST_F(DiskCacheTest, TakesNothingFromAFolderThatOthersMayWrite) {
  cache_.store(key(1), "code");
  fs::permissions(folder_.path() / "code", fs::perms(0777));
  EXPECT_EQ(cache_.find(key(1)), std::nullopt);
  cache_.store(key(2), "code");
  EXPECT_EQ(cache_.clear().entries, 0);
  fs::permissions(folder_.path() / "code", fs::perms(0700));
  EXPECT_EQ(cache_.find(key(1)), "code");
  EXPECT_EQ(cache_.find(key(2)), std::nullopt) << "nothing is stored there either";
}

TEST_F(DiskCacheTest, TakesNoEntryThatOthersMayWrite) {
  cache_.store(key(1), "code");
  fs::permissions(entry(1), fs::perms(0666));
  EXPECT_EQ(cache_.find(key(1)), std::nullopt);
}

TEST_F(DiskCacheTest, TakesNoEntryBehindALink) {
  cache_.store(key(1), "code");
  fs::rename(entry(1), folder_.path() / "moved");
  fs::create_symlink(folder_.path() / "moved", entry(1));
  EXPECT_EQ(cache_.find(key(1)), std::nullopt);
}

TEST_F(DiskCacheTest, ItsFilesAreForTheUserAloneToWriteWhateverTheUmask) {
  const mode_t before = umask(0);
  cache_.store(key(1), "code");
  umask(before);
  EXPECT_EQ(cache_.find(key(1)), "code");
}

TEST_F(DiskCacheTest, LeavesAFolderBehindALinkAlone) {
  cache_.store(key(1), "code");
  fs::rename(folder_.path() / "code", folder_.path() / "moved");
  fs::create_directory_symlink("moved", folder_.path() / "code");
  EXPECT_EQ(cache_.find(key(1)), std::nullopt);
  EXPECT_EQ(cache_.clear().entries, 0);
}

class DamagedByte : public DiskCacheTest, public testing::WithParamInterface<int> {};
TEST_P(DamagedByte, MakesAnEntryMissing) {
  cache_.store(key(1), "0123456789");
  std::string bytes = read_file(entry(1));
  ASSERT_EQ(bytes.size(), 64u + key(1).size() + 10u);
  bytes[static_cast<size_t>(GetParam())] ^= 0x10;
  write_file(entry(1), bytes);
  EXPECT_EQ(cache_.find(key(1)), std::nullopt);
  cache_.store(key(1), "fresh");
  EXPECT_EQ(cache_.find(key(1)), "fresh");
}
INSTANTIATE_TEST_SUITE_P(Everywhere, DamagedByte, testing::Range(0, 90, 3));

class CutEntry : public DiskCacheTest, public testing::WithParamInterface<int> {};
TEST_P(CutEntry, IsMissing) {
  cache_.store(key(1), "0123456789");
  const std::string whole = read_file(entry(1));
  write_file(entry(1), whole.substr(0, static_cast<size_t>(GetParam())));
  EXPECT_EQ(cache_.find(key(1)), std::nullopt);
}
INSTANTIATE_TEST_SUITE_P(Everywhere, CutEntry, testing::Values(0, 1, 63, 64, 65, 79, 80, 89, 90));

TEST_F(DiskCacheTest, RefusesAnEntryWithMoreBehindIt) {
  cache_.store(key(1), "code");
  write_file(entry(1), read_file(entry(1)) + "x");
  EXPECT_EQ(cache_.find(key(1)), std::nullopt);
}

TEST_F(DiskCacheTest, DoesNotOpenAPipe) {
  fs::create_directories(entry(1).parent_path());
  ASSERT_EQ(mkfifo(entry(1).c_str(), 0600), 0);
  EXPECT_EQ(cache_.find(key(1)), std::nullopt);  // opening it would block
  cache_.store(key(1), "code");
  EXPECT_EQ(cache_.find(key(1)), "code");
}

TEST_F(DiskCacheTest, LivesWithAFolderInPlaceOfAnEntry) {
  fs::create_directories(entry(1) / "inside");
  cache_.store(key(1), "code");
  EXPECT_EQ(cache_.find(key(1)), std::nullopt);
  EXPECT_EQ(cache_.usage().entries, 0);
  cache_.clear();
  EXPECT_TRUE(fs::exists(entry(1)));
}

TEST_F(DiskCacheTest, CountsAndDeletesOnlyItsOwnFiles) {
  cache_.store(key(1), "code");
  write_file(folder_.path() / "code" / "notes.txt", "mine");
  write_file(entry(2).string() + ".abcdef", "left by a killed process");
  EXPECT_EQ(cache_.usage().entries, 1);
  EXPECT_EQ(cache_.clear().entries, 1);
  EXPECT_TRUE(fs::exists(folder_.path() / "code" / "notes.txt"));
  EXPECT_FALSE(fs::exists(entry(2).string() + ".abcdef"));
}

TEST_F(DiskCacheTest, DeletesTheLeastRecentlyUsedWhenItIsFull) {
  const std::string large(300 << 10, 'x');
  for (int i = 1; i <= 3; ++i) {
    cache_.store(key(i), large);
    age(i, 10 - i);
  }
  EXPECT_TRUE(cache_.find(key(1)));  // a use
  cache_.store(key(4), large);
  EXPECT_TRUE(cache_.find(key(1)));
  EXPECT_FALSE(cache_.find(key(2)));
  EXPECT_TRUE(cache_.find(key(4)));
  EXPECT_LE(cache_.usage().bytes, 1u << 20);
}

TEST_F(DiskCacheTest, NeverOutgrowsItsLimit) {
  const std::string bytes(50 << 10, 'y');
  for (int i = 0; i < 60; ++i) {
    DiskCache("code").store(key(i), bytes);
    EXPECT_LE(cache_.usage().bytes, 1u << 20);
  }
  EXPECT_GE(cache_.usage().entries, 15);
}

TEST_F(DiskCacheTest, DeletesOldTemporaryFilesWhenItIsFull) {
  const fs::path left = entry(9).string() + ".abcdef";
  const fs::path fresh = entry(8).string() + ".abcdef";
  cache_.store(key(1), "code");
  write_file(left, "killed");
  write_file(fresh, "being written");
  fs::last_write_time(left, fs::file_time_type::clock::now() - std::chrono::hours(2));
  for (int i = 2; i < 6; ++i) DiskCache("code").store(key(i), std::string(400 << 10, 'z'));
  EXPECT_FALSE(fs::exists(left));
  EXPECT_TRUE(fs::exists(fresh));
}

TEST_F(DiskCacheTest, DoesNothingWhereItCannotWrite) {
  for (const char* place : {"/proc/no/such/place", "/dev/null", "/dev/null/x"}) {
    const OptionsScope scope(with_folder(place, 1));
    cache_.store(key(1), "code");
    EXPECT_EQ(cache_.find(key(1)), std::nullopt) << place;
    EXPECT_EQ(cache_.usage().entries, 0) << place;
    EXPECT_EQ(cache_.clear().entries, 0) << place;
  }
}

TEST_F(DiskCacheTest, DoesNothingWithoutAFolder) {
  const OptionsScope scope(with_folder("", 1));
  cache_.store(key(1), "code");
  EXPECT_EQ(cache_.find(key(1)), std::nullopt);
  EXPECT_TRUE(cache_.folder().empty());
}

TEST_F(DiskCacheTest, ServesThreadsThatReadAndWriteTheSameKeys) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, o = options()] {
      const OptionsScope scope(o);
      for (int i = 0; i < 100; ++i) {
        cache_.store(key(i % 7), std::string(1000, static_cast<char>('a' + i % 7)));
        const auto found = cache_.find(key((i + 3) % 7));
        if (found) {
          EXPECT_EQ(*found, std::string(1000, static_cast<char>('a' + (i + 3) % 7)));
        }
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(cache_.usage().entries, 7);
}

}  // namespace
}  // namespace tg
