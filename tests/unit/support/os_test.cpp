// What the systems are asked for, as far as it is the same everywhere.
#include "support/os/os.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <map>

#include "support/file.h"

namespace tg::os {
namespace {

namespace fs = std::filesystem;

TEST(Pages, AreZeroAndChangeTheirUse) {
  constexpr size_t kBytes = 1 << 16;
  auto* const at = static_cast<char*>(map_pages(kBytes, Access::ReadWrite));
  ASSERT_NE(at, nullptr);
  EXPECT_EQ(at[kBytes - 1], 0);
  at[7] = 'x';
  EXPECT_TRUE(protect_pages(at, kBytes, Access::Read));
  EXPECT_EQ(at[7], 'x');
  EXPECT_TRUE(protect_pages(at, kBytes, Access::Execute));
  EXPECT_EQ(at[7], 'x');
  EXPECT_TRUE(protect_pages(at, kBytes, Access::ReadWrite));
  at[7] = 'y';
  unmap_pages(at, kBytes);
}

TEST(Pages, ThatNobodyUsesAreRefusedOnlyWhenThereIsNoRoom) {
  void* const some = map_pages(1 << 20, Access::Nothing);
  EXPECT_NE(some, nullptr);
  unmap_pages(some, 1 << 20);
  EXPECT_EQ(map_pages(SIZE_MAX >> 1 & ~size_t{0xffff}, Access::ReadWrite), nullptr);
}

TEST(Pages, HugeOnesAreAligned) {
  constexpr size_t kBytes = size_t{4} << 20;
  auto* const at = static_cast<char*>(map_huge_pages(kBytes));
  ASSERT_NE(at, nullptr);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(at) % (size_t{64} << 10), 0u);
  at[0] = at[kBytes - 1] = 1;
  unmap_pages(at, kBytes);
}

TEST(Pages, SmallBlocksAreAlignedToo) {
  void* const block = allocate_aligned(4096, 8192);
  ASSERT_NE(block, nullptr);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % 4096, 0u);
  prefer_huge_pages(block, 8192);
  std::memset(block, 1, 8192);
  free_aligned(block);
}

TEST(Machine, HasProcessorsAndMemory) {
  EXPECT_GE(usable_cores(), 1);
  EXPECT_GT(physical_memory(), int64_t{1} << 24);
  EXPECT_EQ(processor_facts(), processor_facts());
}

TEST(Facts, TellFilesFromFoldersAndLinks) {
  const TempDir folder;
  const fs::path file = folder.path() / "f", link = folder.path() / "l";
  ASSERT_EQ(replace_file(file, "12345", Sync::No), 0);
  fs::create_symlink(file, link);
  const auto facts = file_facts(file);
  ASSERT_TRUE(facts);
  EXPECT_TRUE(facts->regular);
  EXPECT_EQ(facts->bytes, 5u);
  EXPECT_LE(std::abs(facts->changed - static_cast<int64_t>(std::time(nullptr))), 60);
  EXPECT_FALSE(file_facts(link)->regular);
  EXPECT_FALSE(file_facts(folder.path())->regular);
  EXPECT_FALSE(file_facts(folder.path() / "none"));
}

TEST(Facts, KnowWhenAFileWasTouched) {
  const TempDir folder;
  const fs::path file = folder.path() / "f";
  ASSERT_EQ(replace_file(file, "", Sync::No), 0);
  fs::last_write_time(file, fs::file_time_type::clock::now() - std::chrono::hours(5));
  const int64_t before = file_facts(file)->changed;
  touch_file(file);
  EXPECT_GE(file_facts(file)->changed, before + 4 * 3600);
  touch_file(folder.path() / "none");
}

TEST(Files, FailWithReasons) {
  const TempDir folder;
  std::string bytes;
  EXPECT_EQ(read_file(folder.path() / "none", 10, bytes), ENOENT);
  EXPECT_EQ(read_file(folder.path(), 10, bytes), EISDIR);
  ASSERT_EQ(replace_file(folder.path() / "f", "12345", Sync::No), 0);
  EXPECT_EQ(read_file(folder.path() / "f", 4, bytes), EFBIG);
  EXPECT_NE(replace_file(folder.path() / "none" / "f", "1", Sync::No), 0);
  EXPECT_EQ(make_private_folder(folder.path()), 0) << "it is there";
  EXPECT_NE(make_private_folder(folder.path() / "none" / "g"), 0);
  EXPECT_TRUE(may_write_folder(folder.path()));
  EXPECT_FALSE(may_write_folder(folder.path() / "none"));
}

TEST(Places, FollowTheEnvironment) {
  std::map<std::string, std::string> variables;
  const auto lookup = [&](const char* name) -> const char* {
    const auto it = variables.find(name);
    return it == variables.end() ? nullptr : it->second.c_str();
  };
  EXPECT_TRUE(usual_places(lookup).cache_dir.empty());
  EXPECT_FALSE(usual_places(lookup).temp_dir.empty());
  EXPECT_FALSE(usual_places(lookup).search_path.empty());
  variables = {{"TMPDIR", "/elsewhere"}, {"PATH", "/p"}};
  EXPECT_EQ(usual_places(lookup).temp_dir, "/elsewhere");
  EXPECT_EQ(usual_places(lookup).search_path, "/p");
}

TEST(Libraries, GiveReasonsWhenTheyCannotBeOpened) {
  std::string reason;
  EXPECT_EQ(open_library("/nowhere/lib", false, reason), nullptr);
  EXPECT_FALSE(reason.empty());
}

}  // namespace
}  // namespace tg::os
