// Reading one folder, and the order of the search. A folder counts when it has all four files; from
// then on any fault in it is an error and not a reason to look elsewhere, except in the cache,
// which is ours and can be rebuilt.
#include "nn/data/mnist.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <system_error>

#include "nn/data/download.h"
#include "nn/format/gzip.h"
#include "nn/format/idx.h"
#include "support/check.h"
#include "support/file.h"
#include "support/options.h"
#include "support/sha256.h"
#include "support/text.h"

namespace tg::nn {

namespace {

namespace fs = std::filesystem;

constexpr int64_t kImageSide = 28;
constexpr uint64_t kMaxFileBytes = uint64_t{1} << 28;  // the largest true file has 47 MB unpacked

// The four files of one folder; empty paths where there is none.
struct FileSet {
  fs::path train_images, train_labels, test_images, test_labels;
  bool complete() const {
    return !train_images.empty() && !train_labels.empty() && !test_images.empty() &&
           !test_labels.empty();
  }
};

fs::path present(const fs::path& folder, const std::string& stem) {
  for (const char* suffix : {".gz", ""}) {
    std::error_code ignored;
    fs::path path = folder / (stem + suffix);
    if (fs::exists(path, ignored)) return path;
  }
  return {};
}

FileSet find_files(const fs::path& folder) {
  FileSet files;
  files.test_images = present(folder, "t10k-images-idx3-ubyte");
  files.test_labels = present(folder, "t10k-labels-idx1-ubyte");
  for (const char* part : {"train", "train10k"}) {
    files.train_images = present(folder, fmt::format("{}-images-idx3-ubyte", part));
    files.train_labels = present(folder, fmt::format("{}-labels-idx1-ubyte", part));
    if (files.complete()) break;
  }
  return files;
}

[[noreturn]] void fail_mnist(const std::string& name, std::string_view problem) {
  user_error<FileError>("load_mnist", fmt::format("\"{}\" {}", name, problem));
}

// Checks that images and labels belong together and takes their bytes.
DigitImages combine(IdxArray images, const std::string& images_name, IdxArray labels,
                    const std::string& labels_name) {
  if (images.shape.size() != 3 || images.shape[1] != kImageSide || images.shape[2] != kImageSide)
    fail_mnist(images_name, fmt::format("has shape [{}], expected [count, 28, 28]",
                                        fmt::join(images.shape, ", ")));
  if (labels.shape.size() != 1)
    fail_mnist(labels_name,
               fmt::format("has shape [{}], expected [count]", fmt::join(labels.shape, ", ")));
  if (images.shape[0] == 0) fail_mnist(images_name, "has no images");
  if (images.shape[0] != labels.shape[0])
    fail_mnist(labels_name,
               fmt::format("has {} labels for {} images", labels.shape[0], images.shape[0]));
  const auto bad =
      std::find_if(labels.data.begin(), labels.data.end(), [](uint8_t label) { return label > 9; });
  if (bad != labels.data.end())
    fail_mnist(labels_name, fmt::format("has label {} at position {}, expected 0 to 9", *bad,
                                        bad - labels.data.begin()));
  DigitImages out;
  out.images = std::move(images.data);
  out.labels = std::move(labels.data);
  out.real = true;
  return out;
}

DigitImages load_part(const fs::path& images, const fs::path& labels) {
  DigitImages out = combine(read_idx(images, kMaxFileBytes), images.string(),
                            read_idx(labels, kMaxFileBytes), labels.string());
  out.source = images.string();
  return out;
}

void look_in(const fs::path& folder, std::string_view why, MnistResult& result) {
  if (result.data) return;
  result.data = load_mnist(folder);
  if (!result.data) result.tried.push_back(fmt::format("{} ({}): not there", folder.string(), why));
}

void look_beside(const MnistSearch& search, MnistResult& result) {
  std::error_code error;
  fs::path at = fs::weakly_canonical(search.start, error);
  if (error) return;
  while (!result.data && at.has_relative_path()) {
    result.data = load_mnist(at.parent_path() / "shared" / "datasets" / search.folder);
    at = at.parent_path();
  }
  if (!result.data)
    result.tried.push_back(
        fmt::format("../shared/datasets/{} (seen from {} and the folders above): not there",
                    search.folder, search.start.string()));
}

DigitImages published_part(const PublishedFile& images, const PublishedFile& labels,
                           const std::optional<fs::path>& cache, const MnistSearch& search) {
  const auto read = [&](const PublishedFile& file) {
    return parse_idx(
        gunzip(cached_or_fetched("find_mnist", file, cache, search), file.name, kMaxFileBytes),
        file.name);
  };
  IdxArray label_array = read(labels);  // the small file first: without a net it fails at once
  DigitImages out = combine(read(images), images.name, std::move(label_array), labels.name);
  out.source = cache ? (*cache / images.name).string() : images.name;
  return out;
}

void look_in_cache_and_net(const MnistSearch& search, MnistResult& result) {
  const std::optional<fs::path> cache = cache_folder(search.folder);
  const std::vector<PublishedFile>& files = search.files;
  TG_CHECK(files.size() == 4, "{} files instead of 4", files.size());
  try {
    DigitImages test = published_part(files[2], files[3], cache, search);
    DigitImages train = published_part(files[0], files[1], cache, search);
    result.data = Mnist{std::move(train), std::move(test)};
  } catch (const FileError& e) {
    result.tried.push_back(
        fmt::format("{}: {}", cache ? cache->string() : "no cache folder", e.what()));
  }
}

}  // namespace

const std::vector<PublishedFile>& published_mnist() {
  static const std::vector<PublishedFile> files = {
      {"train-images-idx3-ubyte.gz",
       "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609"},
      {"train-labels-idx1-ubyte.gz",
       "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c"},
      {"t10k-images-idx3-ubyte.gz",
       "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6"},
      {"t10k-labels-idx1-ubyte.gz",
       "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6"},
  };
  return files;
}

const std::vector<PublishedFile>& published_fashion_mnist() {
  static const std::vector<PublishedFile> files = {
      {"train-images-idx3-ubyte.gz",
       "3aede38d61863908ad78613f6a32ed271626dd12800ba2636569512369268a84"},
      {"train-labels-idx1-ubyte.gz",
       "a04f17134ac03560a47e3764e11b92fc97de4d1bfaf8ba1a3aa29af54cc90845"},
      {"t10k-images-idx3-ubyte.gz",
       "346e55b948d973a97e58d2351dde16a484bd415d4595297633bb08f03db6a073"},
      {"t10k-labels-idx1-ubyte.gz",
       "67da17c76eaffca5446c3361aaab5c3cd6d1c2608764d35dfb1850b086bf8dd5"},
  };
  return files;
}

MnistSearch::MnistSearch() {
  mirrors = {"https://storage.googleapis.com/cvdf-datasets/mnist/",
             "https://ossci-datasets.s3.amazonaws.com/mnist/"};
  fetcher = "fetch_mnist_file";
}

MnistSearch fashion_mnist_search() {
  MnistSearch search;
  search.folder = "fashion-mnist";
  search.files = published_fashion_mnist();
  search.mirrors = {
      "https://raw.githubusercontent.com/zalandoresearch/fashion-mnist/master/data/fashion/"};
  return search;
}

std::optional<Mnist> load_mnist(const fs::path& folder) {
  const FileSet files = find_files(folder);
  if (!files.complete()) return std::nullopt;
  return Mnist{.train = load_part(files.train_images, files.train_labels),
               .test = load_part(files.test_images, files.test_labels)};
}

MnistResult find_mnist(const MnistSearch& search) {
  MnistResult result;
  if (const fs::path named = options().datasets_dir; !named.empty()) {
    look_in(named / search.folder, "TG_DATASETS", result);
    // Files of other data sets have the names of MNIST's, so only these may lie there.
    if (search.folder == "mnist") look_in(named, "TG_DATASETS", result);
  }
  if (!result.data && search.look_beside) look_beside(search, result);
  if (!result.data) look_in_cache_and_net(search, result);
  return result;
}

}  // namespace tg::nn
