// Zip archives: what is written is read, what others write is read, and every lie of a directory is
// found out.
#include "nn/format/zip.h"

#include <gtest/gtest.h>

#include <random>

#include "file_builders.h"
#include "nn_test_util.h"

namespace tg::nn {
namespace {

ZipArchive open(std::string bytes, const ArchiveLimits& limits = {}) {
  return ZipArchive(ByteSource::of(std::move(bytes), "x.zip"), limits);
}
std::string content(std::string bytes, const std::string& name) {
  const ZipArchive archive = open(std::move(bytes));
  const ZipMember* m = archive.find(name);
  return m == nullptr ? "not there" : archive.read(*m);
}
std::string error_of_first(const std::string& bytes) {
  return file_error_of([&] {
    const ZipArchive archive = open(bytes);
    archive.read(archive.members().at(0));
  });
}

TEST(Zip, GivesBackWhatWasWritten) {
  const std::string file = zip_bytes({{"a/b.txt", "hello"}, {"empty", ""}});
  EXPECT_EQ(content(file, "a/b.txt"), "hello");
  EXPECT_EQ(content(file, "empty"), "");
  EXPECT_EQ(open(file).find("c"), nullptr);
  EXPECT_TRUE(open(zip_bytes({})).members().empty());
}

TEST(Zip, IsTheSameForTheSameContents) {
  EXPECT_EQ(zip_bytes({{"a", "1"}, {"b", "2"}}), zip_bytes({{"a", "1"}, {"b", "2"}}));
}

TEST(Zip, MembersMayBeDeflated) {
  const std::string text = sample_text(200'000);
  EXPECT_EQ(content(raw_zip({deflated_member("t", text)}), "t"), text);
}

TEST(Zip, MayStandBehindOtherBytes) {
  EXPECT_EQ(content("#!/bin/sh\n" + raw_zip({deflated_member("t", "hello")}), "t"), "hello");
}

TEST(Zip, NamesThatLeadOutOfAFolderAreNotWritten) {
  for (const char* name : {"", "/a", "../a", "a/../b", "a\\b", "c:a"})
    EXPECT_THROW(zip_bytes({{name, "x"}}), ArgumentError) << name;
  EXPECT_EQ(argument_error_of([] {
              zip_bytes({{"a", "x"}, {"a", "y"}});
            }),
            "write_zip: \"a\" is given twice.");
}

TEST(Zip, OtherFilesAreRefused) {
  EXPECT_EQ(file_error_of([] { open("hello"); }),
            "read_zip: \"x.zip\" is no zip archive: it has 5 bytes.");
  EXPECT_EQ(file_error_of([] { open(std::string(100, 'x')); }),
            "read_zip: \"x.zip\" is no zip archive, or truncated: the record of its directory is "
            "missing.");
}

TEST(Zip, ADamagedMemberIsAnError) {
  std::string file = zip_bytes({{"a", "hello"}});
  file[file.find("hello")] = 'j';
  EXPECT_EQ(error_of_first(file),
            "read_zip: \"x.zip\" has a bad member \"a\": its checksum is 4cd0f5e6, expected "
            "3610a686.");
}

TEST(Zip, MembersThatOverlapAreRefused) {
  // Two names for one header, and a header within another member: a few bytes that unpack to many.
  const RawMember m = deflated_member("a", "hello");
  RawMember other = m;
  other.name = "b";
  EXPECT_NE(file_error_of([&] {
              open(raw_zip({m, other}, {0, 0}));
            }).find("overlap"),
            std::string::npos);
  EXPECT_NE(file_error_of([&] {
              open(raw_zip({m, other}, {0, 3}));
            }).find("overlap"),
            std::string::npos);
  EXPECT_NE(file_error_of([&] { open(raw_zip({m}, {4'000'000})); }).find("overlap"),
            std::string::npos);
}

TEST(Zip, WrongSizesAreErrors) {
  RawMember m = deflated_member("a", sample_text(1000));
  m.unpacked = 999;
  EXPECT_EQ(error_of_first(raw_zip({m})),
            "read_zip: \"x.zip\" has a bad member \"a\": its data do not unpack to 999 bytes.");
  m.unpacked = 1001;
  EXPECT_EQ(error_of_first(raw_zip({m})),
            "read_zip: \"x.zip\" has a bad member \"a\": its data do not unpack to 1001 bytes.");
  m.method = 0;
  EXPECT_NE(error_of_first(raw_zip({m})).find("it is stored in"), std::string::npos);
}

TEST(Zip, WhatIsNotReadIsNamed) {
  RawMember m = deflated_member("a", "hello");
  m.method = 12;
  EXPECT_EQ(error_of_first(raw_zip({m})),
            "read_zip: \"x.zip\" has a bad member \"a\": its compression 12 is neither none (0) "
            "nor deflate (8).");
  m.flags = 1;
  EXPECT_EQ(error_of_first(raw_zip({m})),
            "read_zip: \"x.zip\" has a bad member \"a\": it is encrypted.");
}

TEST(Zip, TheSameNameTwiceIsRefused) {
  const RawMember m = deflated_member("a", "hello");
  EXPECT_EQ(file_error_of([&] {
              open(raw_zip({m, m}));
            }),
            "read_zip: \"x.zip\" has a bad member \"a\": it is there twice.");
}

TEST(Zip, LimitsHoldBeforeAnythingIsUnpacked) {
  const std::string file = raw_zip({deflated_member("a", std::string(100'000, 'x'))});
  EXPECT_EQ(file_error_of([&] { open(file, {.max_bytes = 99'999}); }),
            "read_zip: \"x.zip\" is too large: it unpacks to 100000 bytes, more than 99999.");
  EXPECT_NE(file_error_of([&] {
              open(file, {.max_ratio = 10, .harmless_bytes = 1000});
            }).find("more than 10 times its"),
            std::string::npos);
  EXPECT_EQ(file_error_of([&] { open(file, {.max_members = 0}); }),
            "read_zip: \"x.zip\" has more than 0 members.");
  EXPECT_EQ(open(file, {.max_bytes = 100'000}).members().size(), 1u);
}

TEST(Zip, EveryTruncationIsAnError) {
  const std::string file = zip_bytes({{"a", "hello"}, {"b", sample_text(50)}});
  for (size_t size = 0; size < file.size(); ++size)
    EXPECT_THROW(open(file.substr(0, size)), FileError) << size;
}

TEST(Zip, DamageIsAnErrorOrHarmless) {
  const std::string file =
      raw_zip({deflated_member("a", sample_text(300)), deflated_member("b", "hello")});
  for (size_t bit = 0; bit < file.size() * 8; ++bit) {
    try {
      const ZipArchive archive = open(with_flipped_bit(file, bit));
      for (const ZipMember& m : archive.members()) archive.read(m);
    } catch (const FileError&) {
    }
  }
}

TEST(HarmlessPath, StaysBelowItsFolder) {
  for (const char* name : {"a", "a/b.c", ".a", "a/", "..a/b..", "ü"})
    EXPECT_TRUE(is_harmless_path(name)) << name;
  for (const char* name :
       {"", "/", "/a", "..", "a/..", "../a", "a\nb", "a\\..\\b", "c:\\x", "\xff"})
    EXPECT_FALSE(is_harmless_path(name)) << name;
}

}  // namespace
}  // namespace tg::nn
