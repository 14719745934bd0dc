// The pictures stay on the device as bytes. A step is one recorded call: it cuts a batch out of
// them, normalises it, runs the network forwards and backwards and updates the parameters.
#include "train.h"

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <vector>

#include "../support/interrupt.h"
#include "../support/progress.h"
#include "tg/jit.h"
#include "tg/models/image_classifier.h"
#include "tg/training.h"

namespace image_folder {
namespace {

using tg::Tensor;
using tg::models::ImageNetwork;

// Bytes [n, size, size, 3] as networks want them: float [n, 3, size, size].
Tensor as_input(const Tensor& bytes) {
  const tg::models::ImagePreprocessing usual;
  const auto row = [](const tg::images::PerChannel& c) {
    return Tensor(std::vector<float>(c.begin(), c.end()));
  };
  const Tensor colours = bytes.cast(tg::dtypes::float32) / 255.0;
  return ((colours - row(usual.mean)) / row(usual.std)).permute({0, 3, 1, 2}).contiguous();
}

// Whole numbers from 0 to `most`, one for each picture: int32 [n, 1, 1].
Tensor random_numbers(int64_t n, int64_t most) {
  return Tensor::randint({n, 1, 1}, {.low = 0, .high = most + 1}).contiguous();
}

// Parts of the pictures at `index`, each at a place of its own, half of them mirrored.
Tensor varied(const Tensor& pictures, const Tensor& index, int64_t size) {
  const int64_t n = index.size(0), margin = pictures.size(1) - size;
  const Tensor along = Tensor::arange(static_cast<double>(size));
  const Tensor mirrored = random_numbers(n, 1);
  const Tensor columns = along.reshape({1, 1, -1});
  return as_input(
      pictures[{index.reshape({-1, 1, 1}), random_numbers(n, margin) + along.reshape({1, -1, 1}),
                random_numbers(n, margin) + mirrored.eq(1).where(size - 1 - columns, columns)}]);
}

// Their middles.
Tensor middle(const Tensor& pictures, const Tensor& index, int64_t size) {
  const int64_t from = (pictures.size(1) - size) / 2;
  const Tensor along = Tensor::arange(static_cast<double>(size)) + from;
  return as_input(
      pictures[{index.reshape({-1, 1, 1}), along.reshape({1, -1, 1}), along.reshape({1, 1, -1})}]);
}

class Judge {
 public:
  Judge(const ImageNetwork& network, const PictureSet& set, int64_t size, int64_t batch)
      : count_(set.count),
        batch_(std::min(batch, set.count)),
        judge_([network, set, size](const Tensor& index) {
          const tg::NoGradScope no_gradients;
          const tg::TrainingScope as_used(false);
          const Tensor scores = network(middle(set.pictures, index, size));
          const Tensor wanted = set.classes[index];
          return std::vector<Tensor>{
              (scores.argmax({.axis = 1}) == wanted).cast(tg::dtypes::int32),
              scores.cross_entropy(wanted, {.reduction = tg::Reduction::None})};
        }) {}

  Score score() {
    Score out;
    for (int64_t begin = 0; begin < count_ && !examples::stop_requested(); begin += batch_) {
      // All batches have one size, so that one recording serves: the last is moved to the end.
      const int64_t from = std::min(begin, count_ - batch_);
      std::vector<int32_t> index(static_cast<size_t>(batch_));
      std::iota(index.begin(), index.end(), static_cast<int32_t>(from));
      const std::vector<Tensor> got = judge_(Tensor(index));
      const auto right = got[0].to_vector<int32_t>();
      const auto losses = got[1].to_vector<float>();
      for (auto i = static_cast<size_t>(begin - from); i < right.size(); ++i) {
        out.right += right[i];
        out.loss += losses[i];
        ++out.count;
      }
    }
    if (out.count > 0) out.loss /= static_cast<double>(out.count);
    return out;
  }

 private:
  int64_t count_, batch_;
  tg::TinyJit<std::function<std::vector<Tensor>(const Tensor&)>> judge_;
};

void print_epoch(int64_t epoch, double loss, const Score& now, const Score& best) {
  const auto percent = [](const Score& s) {
    return 100 * static_cast<double>(s.right) / static_cast<double>(s.count);
  };
  std::printf("epoch %2lld  loss %.3f  validation loss %.3f  accuracy %5.1f %% (%lld/%lld)%s\n",
              static_cast<long long>(epoch), loss, now.loss, percent(now),
              static_cast<long long>(now.right), static_cast<long long>(now.count),
              now.right == best.right ? "  best" : "");
  std::fflush(stdout);
}

}  // namespace

Training train(ImageNetwork& network, const Split& pictures, const TrainOptions& o,
               const std::function<void()>& on_best) {
  const PictureSet& set = pictures.training;
  const int64_t batch = std::min(o.batch, set.count), steps = set.count / batch;
  tg::nn::AdamW adam(network, {.lr = o.lr});
  tg::nn::CosineAnnealingLR schedule(adam, o.epochs * steps);
  tg::datasets::Batches batches(set.count, batch, o.seed);
  Judge judge(network, pictures.validation, o.size, batch);
  tg::TinyJit step([&](const Tensor& index) {
    const tg::TrainingScope training;
    const Tensor scores = network(varied(set.pictures, index, o.size));
    const Tensor loss = scores.cross_entropy(set.classes[index]);
    adam.step(loss);
    return loss;
  });
  Training out{.training = {"training", {}},
               .validation = {.name = "validation", .losses = {}, .interval = steps}};
  examples::Progress progress(o.epochs * steps);
  for (; out.epochs < o.epochs; ++out.epochs) {
    double sum = 0;
    for (int64_t i = 1; i <= steps; ++i) {
      if (examples::stop_requested()) return out;
      const double loss = step(batches.next()).item<double>();
      schedule.step();
      sum += loss;
      out.training.losses.push_back(loss);
      char note[48];
      std::snprintf(note, sizeof note, "epoch %lld  loss %.3f",
                    static_cast<long long>(out.epochs + 1), loss);
      progress.show(out.epochs * steps + i, note);
    }
    const Score now = judge.score();
    if (examples::stop_requested()) return out;
    out.validation.losses.push_back(now.loss);
    const bool is_best = now.right >= out.best.right;
    if (is_best) out.best = now;
    progress.clear();
    print_epoch(out.epochs + 1, sum / static_cast<double>(steps), now, out.best);
    if (is_best) on_best();
  }
  return out;
}

}  // namespace image_folder
