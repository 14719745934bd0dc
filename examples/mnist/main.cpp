// Trains a convolutional network on MNIST: the net and the optimiser of tinygrad's
// beautiful_mnist. The training set stays on the device as bytes; each step gathers a batch of it
// by an index tensor and moves every image by a few pixels. The test images are used for the final
// figure and for nothing else.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "../support/interrupt.h"
#include "../support/progress.h"
#include "options.h"
#include "tg/jit.h"
#include "tg/tg.h"

namespace {

using examples::kInterrupted;
using examples::stop_requested;
using mnist::Options;
using tg::Tensor;

struct Net {
  tg::nn::Conv2d conv1{1, 32, 5}, conv2{32, 32, 5};
  tg::nn::BatchNorm norm1{32};
  tg::nn::Conv2d conv3{32, 64, 3}, conv4{64, 64, 3};
  tg::nn::BatchNorm norm2{64};
  tg::nn::Linear out{576, 10};

  /// [batch, 1, 28, 28] → [batch, 10]
  Tensor operator()(const Tensor& images) const {
    Tensor x = conv2(conv1(images).relu());
    x = norm1(x).relu().max_pool2d();
    x = conv4(conv3(x).relu());
    x = norm2(x).relu().max_pool2d();
    return out(x.flatten(1));
  }

  template <typename F>
  void visit(F&& f) {
    f("conv1", conv1), f("conv2", conv2), f("norm1", norm1);
    f("conv3", conv3), f("conv4", conv4), f("norm2", norm2);
    f("out", out);
  }
};

Tensor as_input(const Tensor& bytes) {
  return (bytes.cast(tg::dtypes::float32) / 255.0).unsqueeze(1).contiguous();
}

// Images with a margin of zeros, cut out of which is a batch of shifted ones.
class ShiftedImages {
 public:
  ShiftedImages(const Tensor& images, int64_t shift) : shift_(shift), images_(images) {
    if (shift > 0) images_ = images.pad({{0, 0}, {shift, shift}, {shift, shift}});
    images_.realize();
  }

  /// The images at `index`, each moved by its own random distance: float [batch, 1, 28, 28].
  Tensor batch(const Tensor& index) const {
    if (shift_ == 0) return as_input(images_[index]);
    const int64_t n = index.size(0), side = images_.size(1) - 2 * shift_;
    const Tensor rows = offsets(n) + Tensor::arange(static_cast<double>(side)).reshape({1, -1, 1});
    const Tensor columns =
        offsets(n) + Tensor::arange(static_cast<double>(side)).reshape({1, 1, -1});
    return as_input(images_[{index.reshape({-1, 1, 1}), rows, columns}]);
  }

 private:
  Tensor offsets(int64_t n) const {
    return Tensor::randint({n, 1, 1}, {.low = 0, .high = 2 * shift_ + 1}).contiguous();
  }

  int64_t shift_;
  Tensor images_;
};

enum class Outcome { Finished, Stopped, Failed };

// Says what became of the model; false if it could not be written.
bool save_model(Net& net, const std::string& file) {
  try {
    tg::nn::save(net, file);
  } catch (const tg::Error& e) {
    std::fprintf(stderr, "mnist: the model was NOT saved: %s\n", e.what());
    return false;
  }
  std::printf("model saved to %s\n", file.c_str());
  return true;
}

// ", 34625 kernels on CPU, none elsewhere".
std::string where_kernels_ran(const std::string& device) {
  const int64_t here = tg::GlobalCounters::kernels_on(device),
                elsewhere = tg::GlobalCounters::read().kernels - here;
  return ", " + std::to_string(here) + " kernels on " + device + ", " +
         (elsewhere == 0 ? "none" : std::to_string(elsewhere)) + " elsewhere";
}

Outcome train(Net& net, const tg::datasets::ImageSet& data, const Options& o) {
  const ShiftedImages images(data.images, o.shift);
  tg::datasets::Batches batches(data.count, o.batch, o.seed);
  tg::nn::Adam adam(net, {.lr = o.lr});
  tg::nn::CosineAnnealingLR schedule(adam, o.steps);
  tg::TrainingScope training;
  examples::Progress progress(o.steps);
  // All of a step is one captured call: the batch is gathered and moved, the net runs forwards and
  // backwards, the optimiser and the running statistics are updated.
  const auto one_step = [&](const Tensor& index) {
    const Tensor labels = data.labels[index].cast(tg::dtypes::int32);
    const Tensor loss = net(images.batch(index)).cross_entropy(labels);
    adam.step(loss);
    return loss;
  };
  tg::TinyJit captured(one_step);
  int64_t done = 0;
  try {
    while (done < o.steps && !stop_requested()) {
      const Tensor index = batches.next();
      const Tensor loss = o.uncaptured ? one_step(index) : captured(index);
      schedule.step();
      char note[32];
      std::snprintf(note, sizeof note, "loss %.4f", loss.item<double>());
      progress.show(++done, note);
    }
  } catch (const tg::Error&) {
    // Ctrl-C also reaches a compiler that is at work, so that its kernel is missing.
    if (!stop_requested()) throw;
    std::fprintf(stderr, "\nmnist: interrupted within step %lld: the model was NOT saved\n",
                 static_cast<long long>(done + 1));
    return Outcome::Failed;
  }
  if (done < o.steps) {
    std::fprintf(stderr, "\nmnist: interrupted after step %lld of %lld\n",
                 static_cast<long long>(done), static_cast<long long>(o.steps));
    return Outcome::Stopped;
  }
  std::fprintf(stderr, "\ntrained %lld steps in %.1f s%s\n", static_cast<long long>(done),
               progress.seconds(), where_kernels_ran(net.out.weight.device()).c_str());
  return Outcome::Finished;
}

// The number of images that the net recognises, in batches of one size so that one program serves
// all; by the running statistics, for no TrainingScope is open.
int64_t count_correct(const Net& net, const tg::datasets::ImageSet& data) {
  constexpr int64_t kBatch = 500;
  int64_t correct = 0;
  for (int64_t begin = 0; begin < data.count && !stop_requested(); begin += kBatch) {
    std::vector<int32_t> rows;
    for (int64_t i = begin; i < std::min(data.count, begin + kBatch); ++i) {
      rows.push_back(static_cast<int32_t>(i));
    }
    const Tensor index(rows);
    const Tensor guess = net(as_input(data.images[index])).argmax({.axis = 1});
    const Tensor hits = guess == data.labels[index].cast(tg::dtypes::int32);
    correct += hits.cast(tg::dtypes::int32).sum().item<int64_t>();
  }
  return correct;
}

void print_accuracy(const Net& net, const tg::datasets::Digits& digits) {
  const int64_t correct = count_correct(net, digits.test);
  if (stop_requested()) {
    std::fprintf(stderr, "mnist: interrupted during the evaluation: no accuracy\n");
    return;
  }
  const double percent =
      100.0 * static_cast<double>(correct) / static_cast<double>(digits.test.count);
  std::printf("test accuracy: %.2f %% (%lld/%lld, %s, %s)\n", percent,
              static_cast<long long>(correct), static_cast<long long>(digits.test.count),
              digits.name.c_str(), net.out.weight.device().c_str());
}

void show_download(std::string_view file, uint64_t received, uint64_t) {
  std::fprintf(stderr, "\rdownloading %s: %llu KiB\x1b[K", std::string(file).c_str(),
               static_cast<unsigned long long>(received / 1024));
}

tg::datasets::Digits load_digits(const Options& o) {
  const auto digits =
      o.drawn ? tg::datasets::drawn_digits() : tg::datasets::mnist({.on_progress = show_download});
  if (digits.name != "MNIST" && !o.drawn) {
    std::printf("\nNo MNIST data could be had:\n");
    for (const std::string& place : digits.tried) std::printf("  %s\n", place.c_str());
    std::printf("Using drawn digits instead: the figure below is not one of MNIST.\n");
  }
  std::printf("%s: %lld training and %lld test images (%s)\n", digits.name.c_str(),
              static_cast<long long>(digits.train.count), static_cast<long long>(digits.test.count),
              digits.source.c_str());
  std::fflush(stdout);
  return digits;
}

int run(const Options& o) {
  const auto folder = std::filesystem::path(o.out).parent_path();
  if (o.eval.empty() && !folder.empty() && !std::filesystem::is_directory(folder)) {
    std::fprintf(stderr, "mnist: --out: there is no folder %s\n", folder.c_str());
    return 2;
  }
  tg::manual_seed(o.seed);
  Net net;
  if (!o.eval.empty()) tg::nn::load(net, o.eval);
  const auto digits = load_digits(o);
  bool saved = true;
  if (o.eval.empty()) {
    if (o.batch > digits.train.count) {
      std::fprintf(stderr, "mnist: --batch: there are only %lld training images\n",
                   static_cast<long long>(digits.train.count));
      return 2;
    }
    const Outcome outcome = train(net, digits.train, o);
    if (outcome == Outcome::Failed) return kInterrupted;
    saved = save_model(net, o.out);
    if (outcome == Outcome::Stopped) return kInterrupted;
  }
  std::fflush(stdout);
  print_accuracy(net, digits);
  return stop_requested() ? kInterrupted : saved ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  std::string mistake;
  const std::optional<Options> options = mnist::parse_options(argc, argv, mistake);
  if (!options) {
    std::fprintf(stderr, "mnist: %s\nTry mnist --help.\n", mistake.c_str());
    return 2;
  }
  if (options->help) {
    std::fputs(mnist::help_text().c_str(), stdout);
    return 0;
  }
  examples::catch_interrupts();
  try {
    return run(*options);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "\nmnist: %s\n", e.what());
    return 1;
  }
}
