// Data sets as tensors, and batches drawn from them. The tensors stay on the device as bytes; a
// batch is `images[batches.next()]`, which reads only its rows. Files, formats and where they are
// searched: src/nn/data.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tg/export.h"
#include "tg/tensor.h"

namespace tg::datasets {

/// Labelled images.
struct ImageSet {
  Tensor images;      ///< uint8 [count, height, width], or [count, 3, height, width] in colour
  Tensor labels;      ///< uint8 [count]
  int64_t count = 0;  ///< number of images
};

/// Digits of 28 x 28 in two parts that share no image.
struct Digits {
  ImageSet train;
  ImageSet test;
  std::string name;    ///< "MNIST" for data of the MNIST files only, else "drawn digits"
  std::string source;  ///< for people: which files, or that they are drawn
  std::vector<std::string> tried;  ///< a line for each place that had no data, with the reason
};

/// Of `mnist`.
struct MnistOptions {
  bool download = true;          ///< fetch the files (with checksums) if no folder has them
  int64_t drawn_train = 10'000;  ///< training images to draw if there are no files
  int64_t drawn_test = 2'000;    ///< test images to draw if there are no files
  std::string device = {};       ///< where the tensors live; empty: the default device
  /// Called during a download: file, bytes received, bytes in all (0 while unknown).
  std::function<void(std::string_view file, uint64_t received, uint64_t total)> on_progress = {};
};

/// MNIST from the folder of option TG_DATASETS, ../shared/datasets/mnist relative to this folder
/// and to every one above, the cache, or the network; otherwise digits that the library draws
/// itself, and `name` says so. Throws FileError if a folder has the files but they are damaged.
TG_API Digits mnist(const MnistOptions& options = {});

/// Digits that the library draws itself. They depend only on the numbers of images.
TG_API Digits drawn_digits(const MnistOptions& options = {});

/// Pictures in two parts that share none.
struct Pictures {
  ImageSet train;
  ImageSet test;
  std::string source;  ///< for people: which files
};

/// Of `fashion_mnist` and `cifar10`.
struct PictureOptions {
  bool download = true;     ///< fetch the files (with checksums) if no folder has them
  std::string device = {};  ///< where the tensors live; empty: the default device
  /// Called during a download: file, bytes received, bytes in all (0 while unknown).
  std::function<void(std::string_view file, uint64_t received, uint64_t total)> on_progress = {};
};

/// Fashion-MNIST, clothes of ten kinds in the form of MNIST: 60,000 and 10,000 grey images of 28
/// x 28. From folders called fashion-mnist where `mnist` looks for mnist, the cache, or the net.
/// Throws FileError with every place and reason if there is none, or if the files are damaged.
TG_API Pictures fashion_mnist(const PictureOptions& options = {});

/// CIFAR-10, pictures of ten kinds: 50,000 and 10,000 of 3 x 32 x 32. The archive
/// cifar-10-binary.tar.gz of the folder of option TG_DATASETS or its subfolder cifar10, of the
/// cache, or of the net. Throws FileError if there is none, or if it is damaged.
TG_API Pictures cifar10(const PictureOptions& options = {});

/// Indices of shuffled batches, without end: every epoch has all samples once, in an order that
/// depends on seed and epoch; an incomplete last batch is left out.
class TG_API Batches {
 public:
  /// Throws ArgumentError if `batch` is not in 1…count.
  Batches(int64_t count, int64_t batch, uint64_t seed);
  ~Batches();
  Batches(Batches&&) noexcept;
  Batches& operator=(Batches&&) noexcept;

  /// The next batch's indices as data: int32 [batch].
  Tensor next(const std::string& device = {});

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tg::datasets
