// Data sets as tensors: nn/data finds, reads and draws them.
#include "tg/datasets.h"

#include "nn/data/cifar10.h"
#include "nn/data/digits.h"
#include "nn/data/loader.h"
#include "nn/data/mnist.h"
#include "support/check.h"
#include "support/text.h"

namespace tg::datasets {
namespace {

constexpr int64_t kSide = 28;
constexpr uint64_t kTrainSeed = 1, kTestSeed = 2;

ImageSet on_device(const nn::DigitImages& d, const std::string& device) {
  return {.images = Tensor(d.images, {d.count(), kSide, kSide}, {.device = device}),
          .labels = Tensor(d.labels, {d.count()}, {.device = device}),
          .count = d.count()};
}

}  // namespace

Digits drawn_digits(const MnistOptions& o) {
  const auto train = nn::drawn_digits(o.drawn_train, kTrainSeed);
  const auto test = nn::drawn_digits(o.drawn_test, kTestSeed);
  return {.train = on_device(train, o.device),
          .test = on_device(test, o.device),
          .name = "drawn digits",
          .source = "drawn by the library",
          .tried = {}};
}

Digits mnist(const MnistOptions& o) {
  nn::MnistSearch search;
  search.allow_download = o.download;
  search.on_progress = o.on_progress;
  nn::MnistResult found = nn::find_mnist(search);
  if (!found.data) {
    Digits drawn = drawn_digits(o);
    drawn.tried = std::move(found.tried);
    return drawn;
  }
  return {.train = on_device(found.data->train, o.device),
          .test = on_device(found.data->test, o.device),
          .name = "MNIST",
          .source = found.data->train.source,
          .tried = std::move(found.tried)};
}

Pictures fashion_mnist(const PictureOptions& o) {
  nn::MnistSearch search = nn::fashion_mnist_search();
  search.allow_download = o.download;
  search.on_progress = o.on_progress;
  const nn::MnistResult found = nn::find_mnist(search);
  if (!found.data)
    user_error<FileError>("fashion_mnist", "no place has the files", join(found.tried, " "));
  return {.train = on_device(found.data->train, o.device),
          .test = on_device(found.data->test, o.device),
          .source = found.data->train.source};
}

Pictures cifar10(const PictureOptions& o) {
  nn::Cifar10Search search;
  search.allow_download = o.download;
  search.on_progress = o.on_progress;
  const nn::Cifar10 found = nn::find_cifar10(search);
  const auto set = [&](const nn::ColourImages& d) {
    return ImageSet{.images = Tensor(d.images, {d.count(), 3, 32, 32}, {.device = o.device}),
                    .labels = Tensor(d.labels, {d.count()}, {.device = o.device}),
                    .count = d.count()};
  };
  return {.train = set(found.train), .test = set(found.test), .source = found.source};
}

struct Batches::State {
  nn::BatchIndices indices;
  int64_t step = 0;
};

Batches::Batches(int64_t count, int64_t batch, uint64_t seed)
    : state_(new State{.indices = nn::BatchIndices(count, {.batch = batch, .seed = seed})}) {}
Batches::~Batches() = default;
Batches::Batches(Batches&&) noexcept = default;
Batches& Batches::operator=(Batches&&) noexcept = default;

Tensor Batches::next(const std::string& device) {
  const auto batch = state_->indices.batch(state_->step++);
  return Tensor(batch, {static_cast<int64_t>(batch.size())}, {.device = device});
}

}  // namespace tg::datasets
