// Where the MNIST digits come from: folders on this machine, else the net. Formats are in
// nn/format; digits drawn by the library itself, for machines without either, are in digits.h.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "nn/data/published.h"

namespace tg::nn {

/// Labelled images of 28 x 28 bytes, white on black.
struct DigitImages {
  std::vector<uint8_t> images;  ///< [count, 28, 28]
  std::vector<uint8_t> labels;  ///< [count], each 0…9
  std::string source;           ///< for people: which files, or that they are drawn
  bool real = false;            ///< true for data of the MNIST files only

  int64_t count() const { return static_cast<int64_t>(labels.size()); }
};

/// The data set in its two parts.
struct Mnist {
  DigitImages train;  ///< 60,000 images, or the first 10,000 of them
  DigitImages test;   ///< 10,000 images
};

/// What the search has found and where it looked.
struct MnistResult {
  std::optional<Mnist> data;
  std::vector<std::string> tried;  ///< a line for each place that did not serve, with the reason
};

/// The four files as published, in the order train images, train labels, test images, test labels.
const std::vector<PublishedFile>& published_mnist();

/// The same of Fashion-MNIST: clothes in the form of MNIST.
const std::vector<PublishedFile>& published_fashion_mnist();

/// How to search. The defaults are what programs want; tests narrow them.
struct MnistSearch : PublishedSearch {
  MnistSearch();
  std::filesystem::path start = ".";  ///< where the search for ../shared/datasets/mnist begins
  bool look_beside = true;            ///< look for it at all
  std::string folder = "mnist";       ///< of the data set in the folders that are looked into
  /// What to download and to expect in the cache.
  std::vector<PublishedFile> files = published_mnist();
};
/// The search for Fashion-MNIST, in folders called fashion-mnist.
MnistSearch fashion_mnist_search();

/// Looks for the files in the subfolder of option TG_DATASETS that is called as the data set
/// (MNIST: also in that folder itself), in ../shared/datasets seen from `start` and from each
/// folder above it, and in the cache; at last downloads the four files into the cache (into memory
/// if there is none). No data is no error: `data` is empty then. Throws FileError if a folder has
/// the files but they are damaged; a damaged cache is fetched again.
MnistResult find_mnist(const MnistSearch& search = {});

/// Reads the files of one folder: `train-images-idx3-ubyte` and `train-labels-idx1-ubyte`, or the
/// reduced training set `train10k-…`, with `t10k-…`, each with or without .gz. Empty if the folder
/// lacks one of them. Throws FileError if a file is unreadable, damaged, of another shape, or has
/// labels above 9.
std::optional<Mnist> load_mnist(const std::filesystem::path& folder);

}  // namespace tg::nn
