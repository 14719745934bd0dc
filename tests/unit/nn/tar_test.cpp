// Tar archives: old and new headers, long names, and damage.
#include "nn/format/tar.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "file_builders.h"
#include "nn_test_util.h"

namespace tg::nn {
namespace {

ByteSource source(std::string bytes) { return ByteSource::of(std::move(bytes), "x.tar"); }
Contents files_of(const std::string& bytes, const ArchiveLimits& limits = {}) {
  const ByteSource s = source(bytes);
  Contents out;
  for (const TarMember& m : read_tar(s, limits)) out.emplace_back(m.name, s.read(m.begin, m.size));
  return out;
}
std::string tar_error(const std::string& bytes) {
  return file_error_of([&] { read_tar(source(bytes)); });
}
std::string without_end(std::string archive) {
  archive.resize(archive.size() - 1024);
  return archive;
}

TEST(Tar, GivesFilesInTheirOrder) {
  const Contents files = {{"b", "hello"}, {"a/c", std::string(513, 'x')}, {"empty", ""}};
  EXPECT_EQ(files_of(tar(files)), files);
  EXPECT_EQ(files_of(without_end(tar(files))), files);
  EXPECT_TRUE(files_of(std::string(1024, '\0')).empty());
}

TEST(Tar, FoldersAndLinksArePassedOver) {
  EXPECT_EQ(files_of(without_end(tar({{"d/", ""}}, '5')) + without_end(tar({{"l", ""}}, '2')) +
                     tar({{"f", "1"}}))
                .size(),
            1u);
}

TEST(Tar, LongNamesAreRead) {
  const std::string name(300, 'n');
  const std::string gnu = without_end(tar({{"././@LongLink", name + '\0'}}, 'L'));
  EXPECT_EQ(files_of(gnu + tar({{"short", "1"}})), (Contents{{name, "1"}}));
  const std::string fact = fmt::format("310 path={}\n", name);
  EXPECT_EQ(fact.size(), 310u);
  const std::string posix = without_end(tar({{"pax", fact}}, 'x'));
  EXPECT_EQ(files_of(posix + tar({{"short", "1"}, {"next", "2"}})),
            (Contents{{name, "1"}, {"next", "2"}}));
}

TEST(Tar, BadExtendedHeadersAreErrors) {
  for (const char* fact :
       {"x", "99 path=a\n", "9 path\n", "0 a=b\n", "10 size=x\n", "20 GNU.sparse.a=bc\n"})
    EXPECT_NE(tar_error(without_end(tar({{"pax", fact}}, 'x')) + tar({{"f", "1"}})),
              "nothing was thrown")
        << fact;
}

TEST(Tar, DamageIsNamed) {
  std::string file = tar({{"a", "hello"}});
  file[0] = 'b';
  EXPECT_EQ(tar_error(file),
            "read_tar: \"x.tar\" is no tar archive, or damaged: it does not begin with a header.");
  const std::string cut = without_end(tar({{"a", std::string(600, 'x')}})).substr(0, 1000);
  EXPECT_EQ(tar_error(cut),
            "read_tar: \"x.tar\" is truncated: a member of 600 bytes begins at 512 of 1000.");
  EXPECT_EQ(tar_error(without_end(tar({{"a", ""}})) + "x"),
            "read_tar: \"x.tar\" is truncated: a header at 512 has 1 of 512 bytes.");
}

TEST(Tar, LimitsHold) {
  EXPECT_THROW(files_of(tar({{"a", ""}, {"b", ""}}), {.max_members = 1}), FileError);
  const std::string packed = gzip(std::string(1 << 20, '\0'));
  EXPECT_THROW(unpacked_tar(source(packed), {.max_bytes = 1000}), FileError);
  EXPECT_THROW(unpacked_tar(source(packed), {.max_ratio = 2, .harmless_bytes = 100}), FileError);
}

TEST(Tar, GzipIsUnpackedAndOtherCompressionsAreNamed) {
  EXPECT_EQ(unpacked_tar(source(gzip(tar({{"a", "1"}})))).read_all(), tar({{"a", "1"}}));
  EXPECT_EQ(file_error_of([] { unpacked_tar(source("BZh91AY")); }),
            "read_tar: \"x.tar\" is compressed by bzip2: only gzip is read.");
}

TEST(Tar, DamageIsAnErrorOrHarmless) {
  const std::string file = tar({{"a", "hello"}, {"b", "x"}});
  for (size_t bit = 0; bit < 512 * 8; ++bit) {
    try {
      read_tar(source(with_flipped_bit(file, bit)));
    } catch (const FileError&) {
    }
  }
}

}  // namespace
}  // namespace tg::nn
