// CIFAR-10: records of small archives in its form, every way that they can be damaged, and the
// cache filled from a server inside the test.
#include "nn/data/cifar10.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "file_builders.h"
#include "http_server.h"
#include "nn/data/download.h"
#include "nn_test_util.h"
#include "support/file.h"
#include "support/options.h"
#include "support/sha256.h"

namespace tg::nn {
namespace {

namespace fs = std::filesystem;

// A record of a picture whose bytes are all `fill`.
std::string record(int label, char fill) {
  return std::string(1, static_cast<char>(label)) + std::string(3 * 32 * 32, fill);
}
Contents files() {
  Contents out;
  for (int i = 1; i <= 5; ++i)
    out.emplace_back("cifar-10-batches-bin/data_batch_" + std::to_string(i) + ".bin",
                     record(i, static_cast<char>('a' + i)) + record(9, 'z'));
  out.emplace_back("cifar-10-batches-bin/test_batch.bin", record(0, 't'));
  return out;
}
std::string cifar10_error(const std::string& bytes) {
  return file_error_of([&] { parse_cifar10(bytes, "c"); });
}

TEST(Cifar10, RecordsAreReadInTheirOrder) {
  const Cifar10 c = parse_cifar10(gzip(tar(files())), "c");
  EXPECT_EQ(c.train.labels, (std::vector<uint8_t>{1, 9, 2, 9, 3, 9, 4, 9, 5, 9}));
  EXPECT_EQ(c.test.labels, (std::vector<uint8_t>{0}));
  ASSERT_EQ(c.train.images.size(), 10u * 3072);
  EXPECT_EQ(c.train.images[0], 'b');
  EXPECT_EQ(c.train.images[3072], 'z');
  EXPECT_EQ(c.test.images[3071], 't');
}

TEST(Cifar10, DamagedArchivesAreErrors) {
  Contents some = files();
  some.pop_back();
  EXPECT_EQ(cifar10_error(gzip(tar(some))), "read_cifar10: \"c\" lacks test_batch.bin.");
  some.emplace_back("test_batch.bin", record(0, 't') + "x");
  EXPECT_EQ(cifar10_error(gzip(tar(some))),
            "read_cifar10: \"c:test_batch.bin\" has 3074 bytes, expected a multiple of 3073.");
  some.back().second = record(10, 't');
  EXPECT_EQ(cifar10_error(gzip(tar(some))),
            "read_cifar10: \"c:test_batch.bin\" has label 10 at position 0, expected 0 to 9.");
  some.back().second = "";
  EXPECT_EQ(cifar10_error(gzip(tar(some))),
            "read_cifar10: \"c:test_batch.bin\" has 0 bytes, expected a multiple of 3073.");
  EXPECT_NE(cifar10_error("hello").find("is no tar archive"), std::string::npos);
}

class FindCifar10 : public testing::Test {
 protected:
  FindCifar10() {
    values_ = options();
    values_.cache_dir = (dir_.path() / "cache").string();
    values_.datasets_dir.clear();
    search_.use_proxy = false;
    search_.mirrors.clear();
    search_.file.sha256 = sha256_hex(bytes_);
  }
  Cifar10 find() {
    const OptionsScope scope(values_);
    return find_cifar10(search_);
  }

  TempDir dir_;
  Options values_;
  Cifar10Search search_;
  std::string bytes_ = gzip(tar(files()));
};

TEST_F(FindCifar10, TakesTheFolderOfTheOption) {
  values_.datasets_dir = dir_.path().string();
  fs::create_directories(dir_.path() / "cifar10");
  write_file(dir_.path() / "cifar10" / "cifar-10-binary.tar.gz", bytes_);
  EXPECT_EQ(find().source, (dir_.path() / "cifar10" / "cifar-10-binary.tar.gz").string());
}

TEST_F(FindCifar10, FillsTheCacheAndReadsItNextTime) {
  if (!can_download()) GTEST_SKIP() << "no libcurl on this machine";
  std::map<std::string, Answer> answers;
  answers[search_.file.name].body = bytes_;
  const HttpServer server(answers);
  search_.mirrors = {server.url()};
  EXPECT_EQ(find().train.count(), 10);
  search_.allow_download = false;
  EXPECT_EQ(find().test.count(), 1);
  EXPECT_EQ(server.requests().size(), 1u);
}

TEST_F(FindCifar10, WithoutDataSaysWhy) {
  EXPECT_EQ(file_error_of([&] { find(); }),
            "fetch_published: no mirror gave cifar-10-binary.tar.gz. there are no mirrors");
  search_.allow_download = false;
  EXPECT_EQ(file_error_of([&] { find(); }),
            "find_cifar10: cifar-10-binary.tar.gz is not in the cache, and downloads are off.");
}

TEST(PublishedCifar10, HasItsDigest) { EXPECT_EQ(Cifar10Search().file.sha256.size(), 64u); }

}  // namespace
}  // namespace tg::nn
