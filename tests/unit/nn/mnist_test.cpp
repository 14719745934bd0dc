// Finding and reading MNIST: every place of the search in its order, every way that a folder can be
// damaged, and the cache filled from a server inside the test. The small files here have MNIST's
// form only; the real ones are read where present.
#include "nn/data/mnist.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "http_server.h"
#include "nn/data/download.h"
#include "nn_test_util.h"
#include "support/file.h"
#include "support/options.h"
#include "support/sha256.h"
#include "support/source_dir.h"

namespace tg::nn {
namespace {

namespace fs = std::filesystem;

std::string images_idx(uint32_t count, char fill = '\x10') {
  return idx({count, 28, 28}, std::string(count * 784, fill));
}

std::string labels_idx(uint32_t count) {
  std::string labels;
  for (uint32_t i = 0; i < count; ++i) labels.push_back(static_cast<char>(i % 10));
  return idx({count}, labels);
}

// The four files of a folder; `part` is train or train10k, `suffix` .gz or nothing.
void write_set(const fs::path& folder, const std::string& part = "train",
               const std::string& suffix = ".gz", uint32_t train = 3, uint32_t test = 2) {
  fs::create_directories(folder);
  const auto pack = [&](const std::string& bytes) { return suffix.empty() ? bytes : gzip(bytes); };
  write_file(folder / (part + "-images-idx3-ubyte" + suffix), pack(images_idx(train)));
  write_file(folder / (part + "-labels-idx1-ubyte" + suffix), pack(labels_idx(train)));
  write_file(folder / ("t10k-images-idx3-ubyte" + suffix), pack(images_idx(test)));
  write_file(folder / ("t10k-labels-idx1-ubyte" + suffix), pack(labels_idx(test)));
}

class MnistFolder : public testing::Test {
 protected:
  fs::path path(const std::string& file) const { return dir_.path() / file; }
  std::string error() const {
    return file_error_of([&] { load_mnist(dir_.path()); });
  }
  TempDir dir_;
};

TEST_F(MnistFolder, IsReadGzipped) {
  write_set(dir_.path());
  const auto m = load_mnist(dir_.path());
  ASSERT_TRUE(m);
  EXPECT_EQ(m->train.count(), 3);
  EXPECT_EQ(m->test.count(), 2);
  EXPECT_EQ(m->train.images.size(), 3u * 784);
  EXPECT_EQ(m->train.labels, (std::vector<uint8_t>{0, 1, 2}));
  EXPECT_TRUE(m->train.real && m->test.real);
  EXPECT_EQ(m->train.source, path("train-images-idx3-ubyte.gz").string());
}

TEST_F(MnistFolder, IsReadPlain) {
  write_set(dir_.path(), "train", "");
  EXPECT_EQ(load_mnist(dir_.path())->train.count(), 3);
}

TEST_F(MnistFolder, MayHoldTheReducedTrainingSet) {
  write_set(dir_.path(), "train10k");
  const auto m = load_mnist(dir_.path());
  ASSERT_TRUE(m);
  EXPECT_EQ(m->train.source, path("train10k-images-idx3-ubyte.gz").string());
}

TEST_F(MnistFolder, PrefersTheFullTrainingSet) {
  write_set(dir_.path(), "train10k", ".gz", 3);
  write_set(dir_.path(), "train", ".gz", 5);
  EXPECT_EQ(load_mnist(dir_.path())->train.count(), 5);
}

TEST_F(MnistFolder, MayMixPlainAndGzipped) {
  write_set(dir_.path());
  fs::remove(path("t10k-images-idx3-ubyte.gz"));
  write_file(path("t10k-images-idx3-ubyte"), images_idx(2));
  EXPECT_EQ(load_mnist(dir_.path())->test.count(), 2);
}

TEST_F(MnistFolder, IsPassedOverWhenAFileIsMissing) {
  write_set(dir_.path());
  for (const char* file : {"train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz",
                           "t10k-images-idx3-ubyte.gz", "t10k-labels-idx1-ubyte.gz"}) {
    const std::string bytes = read_file(path(file));
    fs::remove(path(file));
    EXPECT_FALSE(load_mnist(dir_.path())) << file;
    write_file(path(file), bytes);
  }
  EXPECT_FALSE(load_mnist("/nowhere"));
}

TEST_F(MnistFolder, WithATruncatedFileIsAnError) {
  write_set(dir_.path());
  const std::string file = path("train-images-idx3-ubyte.gz").string();
  const std::string bytes = read_file(file);
  write_file(file, std::string_view(bytes).substr(0, bytes.size() - 5));
  EXPECT_EQ(error(), "gunzip: \"" + file + "\" is truncated: the stream does not end within its " +
                         std::to_string(bytes.size() - 5) + " bytes.");
}

TEST_F(MnistFolder, WithACorruptFileIsAnError) {
  write_set(dir_.path());
  const std::string file = path("t10k-labels-idx1-ubyte.gz").string();
  std::string bytes = read_file(file);
  bytes[bytes.size() - 8] ^= 1;
  write_file(file, bytes);
  EXPECT_EQ(error(), "gunzip: \"" + file + "\" is corrupt near byte " +
                         std::to_string(bytes.size() - 4) + ": incorrect data check.");
}

TEST_F(MnistFolder, WithImagesOfAnotherSizeIsAnError) {
  write_set(dir_.path());
  const std::string file = path("train-images-idx3-ubyte.gz").string();
  write_file(file, gzip(idx({3, 28, 27}, std::string(3 * 28 * 27, 'x'))));
  EXPECT_EQ(error(),
            "load_mnist: \"" + file + "\" has shape [3, 28, 27], expected [count, 28, 28].");
  write_file(file, gzip(idx({2352}, std::string(2352, 'x'))));
  EXPECT_EQ(error(), "load_mnist: \"" + file + "\" has shape [2352], expected [count, 28, 28].");
}

TEST_F(MnistFolder, WithLabelsOfAnotherRankIsAnError) {
  write_set(dir_.path());
  const std::string file = path("train-labels-idx1-ubyte.gz").string();
  write_file(file, gzip(idx({3, 1}, std::string(3, '\1'))));
  EXPECT_EQ(error(), "load_mnist: \"" + file + "\" has shape [3, 1], expected [count].");
}

TEST_F(MnistFolder, WithTooFewLabelsIsAnError) {
  write_set(dir_.path());
  const std::string file = path("train-labels-idx1-ubyte.gz").string();
  write_file(file, gzip(labels_idx(2)));
  EXPECT_EQ(error(), "load_mnist: \"" + file + "\" has 2 labels for 3 images.");
}

TEST_F(MnistFolder, WithALabelAboveNineIsAnError) {
  write_set(dir_.path());
  const std::string file = path("t10k-labels-idx1-ubyte.gz").string();
  write_file(file, gzip(idx({2}, std::string("\x03\x0a"))));
  EXPECT_EQ(error(), "load_mnist: \"" + file + "\" has label 10 at position 1, expected 0 to 9.");
}

TEST_F(MnistFolder, WithoutImagesIsAnError) {
  write_set(dir_.path(), "train", ".gz", 0, 2);
  EXPECT_EQ(error(),
            "load_mnist: \"" + path("train-images-idx3-ubyte.gz").string() + "\" has no images.");
}

// --- the search

// Options with a cache and, if given, TG_DATASETS inside one temporary folder; a search that stays
// inside it too.
class MnistSearching : public testing::Test {
 protected:
  MnistSearching() {
    values_ = options();
    values_.cache_dir = (dir_.path() / "cache").string();
    values_.datasets_dir.clear();
    search_.start = dir_.path() / "house" / "checkout" / "build";
    search_.allow_download = false;
    search_.use_proxy = false;
    search_.mirrors.clear();
    fs::create_directories(search_.start);
  }
  MnistResult find() {
    const OptionsScope scope(values_);
    return find_mnist(search_);
  }

  TempDir dir_;
  Options values_;
  MnistSearch search_;
};

TEST_F(MnistSearching, TakesTheFolderOfTheOption) {
  values_.datasets_dir = (dir_.path() / "sets").string();
  write_set(dir_.path() / "sets");
  EXPECT_EQ(find().data->train.source,
            (dir_.path() / "sets" / "train-images-idx3-ubyte.gz").string());
}

TEST_F(MnistSearching, PrefersItsSubfolderMnist) {
  values_.datasets_dir = (dir_.path() / "sets").string();
  write_set(dir_.path() / "sets");
  write_set(dir_.path() / "sets" / "mnist");
  EXPECT_EQ(find().data->train.source,
            (dir_.path() / "sets" / "mnist" / "train-images-idx3-ubyte.gz").string());
}

TEST_F(MnistSearching, PrefersTheOptionToTheFolderBeside) {
  values_.datasets_dir = (dir_.path() / "sets").string();
  write_set(dir_.path() / "sets", "train", ".gz", 7);
  write_set(dir_.path() / "house" / "shared" / "datasets" / "mnist");
  EXPECT_EQ(find().data->train.count(), 7);
}

TEST_F(MnistSearching, FindsSharedBesideAnyFolderAbove) {
  for (const char* beside : {"house/checkout", "house", "."}) {
    const fs::path shared = dir_.path() / beside / "shared";
    write_set(shared / "datasets" / "mnist");
    EXPECT_TRUE(find().data) << beside;
    fs::remove_all(shared);
    EXPECT_FALSE(find().data) << beside;
  }
}

TEST_F(MnistSearching, DoesNotLookBesideWhenToldSo) {
  write_set(dir_.path() / "house" / "shared" / "datasets" / "mnist");
  search_.look_beside = false;
  EXPECT_FALSE(find().data);
}

TEST_F(MnistSearching, TellsWhereItLooked) {
  values_.datasets_dir = "/nowhere";
  const MnistResult result = find();
  EXPECT_FALSE(result.data);
  ASSERT_EQ(result.tried.size(), 4u);
  EXPECT_EQ(result.tried[0], "/nowhere/mnist (TG_DATASETS): not there");
  EXPECT_EQ(result.tried[1], "/nowhere (TG_DATASETS): not there");
  EXPECT_EQ(result.tried[2], "../shared/datasets/mnist (seen from " + search_.start.string() +
                                 " and the folders above): not there");
  EXPECT_EQ(
      result.tried[3],
      (dir_.path() / "cache" / "mnist").string() +
          ": find_mnist: t10k-labels-idx1-ubyte.gz is not in the cache, and downloads are off.");
}

TEST_F(MnistSearching, ThrowsForADamagedFolder) {
  values_.datasets_dir = dir_.path().string();
  write_set(dir_.path());
  write_file(dir_.path() / "train-labels-idx1-ubyte.gz", "");
  EXPECT_EQ(file_error_of([&] { find(); }),
            "parse_idx: \"" + (dir_.path() / "train-labels-idx1-ubyte.gz").string() +
                "\" is truncated: it has 0 bytes, an IDX header at least 4.");
}

// --- downloads into the cache

class MnistDownload : public MnistSearching {
 protected:
  void SetUp() override {
    if (!can_download()) GTEST_SKIP() << "no libcurl on this machine";
    const std::string bytes[4] = {gzip(images_idx(3)), gzip(labels_idx(3)), gzip(images_idx(2)),
                                  gzip(labels_idx(2))};
    for (size_t i = 0; i < 4; ++i) {
      search_.files[i].sha256 = sha256_hex(bytes[i]);
      answers_[search_.files[i].name].body = bytes[i];
    }
    search_.allow_download = true;
  }
  fs::path cached(size_t i) const {
    return dir_.path() / "cache" / "mnist" / search_.files[i].name;
  }

  std::map<std::string, Answer> answers_;
};

TEST_F(MnistDownload, FillsTheCacheAndReadsItNextTime) {
  const HttpServer server(answers_);
  search_.mirrors = {server.url()};
  const MnistResult first = find();
  ASSERT_TRUE(first.data) << first.tried.back();
  EXPECT_EQ(first.data->train.count(), 3);
  EXPECT_EQ(first.data->test.count(), 2);
  EXPECT_TRUE(first.data->train.real);
  EXPECT_EQ(server.requests().size(), 4u);
  search_.allow_download = false;
  EXPECT_TRUE(find().data);
  EXPECT_EQ(server.requests().size(), 4u);
}

TEST_F(MnistDownload, FetchesADamagedCacheEntryAgain) {
  const HttpServer server(answers_);
  search_.mirrors = {server.url()};
  ASSERT_TRUE(find().data);
  write_file(cached(1), "damaged");
  EXPECT_TRUE(find().data);
  EXPECT_EQ(server.requests().size(), 5u);
  EXPECT_EQ(sha256_hex(read_file(cached(1))), search_.files[1].sha256);
}

TEST_F(MnistDownload, WorksWithoutACache) {
  const HttpServer server(answers_);
  search_.mirrors = {server.url()};
  values_.cache_dir.clear();
  const MnistResult result = find();
  ASSERT_TRUE(result.data) << result.tried.back();
  EXPECT_EQ(result.data->train.source, "train-images-idx3-ubyte.gz");
}

TEST_F(MnistDownload, TriesTheNextMirror) {
  const HttpServer empty({}), server(answers_);
  search_.mirrors = {empty.url(), server.url()};
  EXPECT_TRUE(find().data);
  EXPECT_EQ(empty.requests().size(), 4u);
}

TEST_F(MnistDownload, TriesTheNextMirrorAfterAWrongChecksum) {
  auto wrong = answers_;
  for (auto& [path, answer] : wrong) answer.body += "x";
  const HttpServer bad(wrong), server(answers_);
  search_.mirrors = {bad.url(), server.url()};
  EXPECT_TRUE(find().data);
}

TEST_F(MnistDownload, KeepsNoFileWithAWrongChecksum) {
  search_.files[3].sha256 = std::string(64, '0');
  const HttpServer server(answers_);
  search_.mirrors = {server.url()};
  const MnistResult result = find();
  EXPECT_FALSE(result.data);
  EXPECT_FALSE(fs::exists(cached(3)));
  const std::string& body = answers_[search_.files[3].name].body;
  EXPECT_EQ(result.tried.back(),
            (dir_.path() / "cache" / "mnist").string() +
                ": fetch_mnist_file: no mirror gave t10k-labels-idx1-ubyte.gz. download: \"" +
                server.url("t10k-labels-idx1-ubyte.gz") +
                "\" has the wrong SHA-256: " + sha256_hex(body) + " of " +
                std::to_string(body.size()) + " bytes, expected " + std::string(64, '0') + ".");
}

TEST_F(MnistDownload, GivesEveryMirrorsReason) {
  const HttpServer first({}), second({});
  search_.mirrors = {first.url(), second.url()};
  const std::string reason = find().tried.back();
  EXPECT_NE(reason.find(first.url() + "t10k-labels"), std::string::npos) << reason;
  EXPECT_NE(reason.find(second.url() + "t10k-labels"), std::string::npos) << reason;
  EXPECT_NE(reason.find("status 404"), std::string::npos) << reason;
}

TEST_F(MnistDownload, WithoutMirrorsSaysSo) {
  search_.mirrors.clear();
  EXPECT_NE(find().tried.back().find("there are no mirrors"), std::string::npos);
}

TEST_F(MnistDownload, ReportsProgressByFile) {
  const HttpServer server(answers_);
  search_.mirrors = {server.url()};
  std::map<std::string, uint64_t> received;
  search_.on_progress = [&](std::string_view file, uint64_t bytes, uint64_t) {
    received[std::string(file)] = bytes;
  };
  ASSERT_TRUE(find().data);
  for (const auto& [path, answer] : answers_) EXPECT_EQ(received[path], answer.body.size()) << path;
}

TEST_F(MnistSearching, FindsClothesInFoldersOfTheirOwn) {
  values_.datasets_dir = (dir_.path() / "sets").string();
  write_set(dir_.path() / "sets");
  write_set(dir_.path() / "house" / "shared" / "datasets" / "mnist");
  const MnistSearch digits = search_;
  search_ = fashion_mnist_search();
  search_.start = digits.start;
  search_.allow_download = false;
  EXPECT_FALSE(find().data);
  write_set(dir_.path() / "house" / "shared" / "datasets" / "fashion-mnist", "train", ".gz", 5);
  EXPECT_EQ(find().data->train.count(), 5);
  write_set(dir_.path() / "sets" / "fashion-mnist", "train", ".gz", 7);
  EXPECT_EQ(find().data->train.count(), 7);
}

TEST(PublishedMnist, IsFourFilesWithTheirDigests) {
  ASSERT_EQ(published_mnist().size(), 4u);
  ASSERT_EQ(published_fashion_mnist().size(), 4u);
  for (const auto* files : {&published_mnist(), &published_fashion_mnist()})
    for (const PublishedFile& file : *files) EXPECT_EQ(file.sha256.size(), 64u) << file.name;
}

TEST(RealMnist, HasTheKnownLabels) {
  MnistSearch search;
  search.start = test::source_dir();
  search.allow_download = false;
  const MnistResult result = find_mnist(search);
  if (!result.data) GTEST_SKIP() << "no MNIST on this machine";
  EXPECT_EQ(result.data->test.count(), 10000);
  EXPECT_GE(result.data->train.count(), 10000);
  const auto& train = result.data->train.labels;
  const auto& test = result.data->test.labels;
  EXPECT_EQ(std::vector<uint8_t>(train.begin(), train.begin() + 8),
            (std::vector<uint8_t>{5, 0, 4, 1, 9, 2, 1, 3}));
  EXPECT_EQ(std::vector<uint8_t>(test.begin(), test.begin() + 8),
            (std::vector<uint8_t>{7, 2, 1, 0, 4, 1, 4, 9}));
}

}  // namespace
}  // namespace tg::nn
