// A variational autoencoder (Kingma and Welling, 2014) of MNIST: digits are squeezed into a few
// numbers, and new ones are made of random numbers. One command trains it and draws what it has
// learned: PNG files of digits, and the loss as an SVG file. The command line: options.h.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../support/loss_curve.h"
#include "options.h"
#include "tg/jit.h"
#include "tg/models/image.h"
#include "tg/tg.h"

namespace {

using tg::Tensor;
using vae::Options;

constexpr int64_t kSide = 28, kPixels = kSide * kSide, kHidden = 400;

/// What the encoder says of a digit: a normal distribution of each code number.
struct Code {
  Tensor mean, log_variance;  ///< [batch, codes] each

  Tensor drawn() const { return mean + (log_variance * 0.5).exp() * mean.randn_like(); }
  /// The Kullback–Leibler divergence from standard normal numbers, summed over the batch.
  Tensor divergence() const {
    return (log_variance.exp() + mean.square() - log_variance - 1).sum() * 0.5;
  }
};

struct Net {
  explicit Net(int64_t codes)
      : mean(kHidden, codes), log_variance(kHidden, codes), widen(codes, kHidden) {}

  /// [batch, 784] → [batch, codes]
  Code encode(const Tensor& digits) const {
    const Tensor h = squeeze(digits).relu();
    return {mean(h), log_variance(h)};
  }
  /// [batch, codes] → [batch, 784], before the sigmoid.
  Tensor decode(const Tensor& code) const { return draw(widen(code).relu()); }

  template <typename F>
  void visit(F&& f) {
    f("squeeze", squeeze), f("mean", mean), f("log_variance", log_variance);
    f("widen", widen), f("draw", draw);
  }

  tg::nn::Linear squeeze{kPixels, kHidden};
  tg::nn::Linear mean, log_variance, widen;
  tg::nn::Linear draw{kHidden, kPixels};
};

Tensor as_input(const Tensor& bytes) {
  return bytes.cast(tg::dtypes::float32).reshape({-1, kPixels}) / 255.0;
}

/// The bound on the negative log likelihood of a digit, in nats.
Tensor loss_of(const Net& net, const Tensor& digits) {
  const Code code = net.encode(digits);
  const Tensor missed = net.decode(code.drawn())
                            .binary_crossentropy_logits(digits, {.reduction = tg::Reduction::Sum});
  return (missed + code.divergence()) / static_cast<double>(digits.size(0));
}

std::vector<double> train(Net& net, const tg::datasets::ImageSet& data, const Options& o) {
  tg::nn::Adam adam(net, {.lr = o.lr});
  tg::datasets::Batches batches(data.count, o.batch, o.seed);
  const tg::TrainingScope training;
  tg::TinyJit step([&](const Tensor& index) {
    const Tensor loss = loss_of(net, as_input(data.images[index]).contiguous());
    adam.step(loss);
    return loss;
  });
  const int64_t shown = std::max<int64_t>(1, o.steps / 10);
  std::vector<double> losses;
  for (int64_t i = 1; i <= o.steps; ++i) {
    losses.push_back(step(batches.next()).item<double>());
    if (i == 1 || i % shown == 0)
      std::fprintf(stderr, "step %lld/%lld  loss %.2f\n", static_cast<long long>(i),
                   static_cast<long long>(o.steps), losses.back());
  }
  return losses;
}

/// Digits [n, 784] as one picture.
void write_digits(const Tensor& digits, int64_t columns, const std::filesystem::path& file) {
  tg::images::write_png(
      tg::images::grid(digits.reshape({-1, 1, kSide, kSide}), {.columns = columns}), file);
  std::printf("wrote %s\n", file.string().c_str());
}

/// Rows of test digits, and under each what the network makes of it.
void write_reconstructions(const Net& net, const Tensor& images,
                           const std::filesystem::path& file) {
  constexpr int64_t kRows = 4, kColumns = 10;
  const Tensor digits = as_input(images.shrink({{0, kRows * kColumns}, {0, kSide}, {0, kSide}}));
  const Tensor again = net.decode(net.encode(digits).mean).sigmoid();
  const Tensor rows = Tensor::stack(
      {digits.reshape({kRows, kColumns, kPixels}), again.reshape({kRows, kColumns, kPixels})}, 1);
  write_digits(rows.reshape({2 * kRows * kColumns, kPixels}), kColumns, file);
}

void run(const Options& o) {
  tg::manual_seed(o.seed);
  const std::filesystem::path folder = o.out;
  std::filesystem::create_directories(folder);
  const auto digits = o.drawn ? tg::datasets::drawn_digits() : tg::datasets::mnist();
  std::printf("%s: %lld training images (%s)\n", digits.name.c_str(),
              static_cast<long long>(digits.train.count), digits.source.c_str());
  Net net(o.codes);
  const std::vector<double> losses = train(net, digits.train, o);
  write_reconstructions(net, digits.test.images, folder / "reconstructions.png");
  constexpr int64_t kSamples = 100;
  write_digits(net.decode(Tensor::randn({kSamples, o.codes})).sigmoid(), 10,
               folder / "samples.png");
  examples::write_loss_curves({{"training", losses}}, "loss, nats a digit", folder / "loss.svg");
  std::printf("wrote %s\n", (folder / "loss.svg").string().c_str());
  tg::nn::save(net, folder / "vae.safetensors");
  const double test_loss =
      loss_of(net, as_input(digits.test.images.shrink({{0, 1000}, {0, kSide}, {0, kSide}})))
          .item<double>();
  std::printf("test loss: %.2f nats a digit, first training loss: %.2f\n", test_loss,
              losses.front());
}

}  // namespace

int main(int argc, char** argv) {
  std::string mistake;
  const std::optional<Options> options = vae::parse_options(argc, argv, mistake);
  if (!options) {
    std::fprintf(stderr, "vae: %s\nTry vae --help.\n", mistake.c_str());
    return 2;
  }
  if (options->help) {
    std::fputs(vae::help_text().c_str(), stdout);
    return 0;
  }
  try {
    run(*options);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "vae: %s\n", e.what());
    return 1;
  }
  return 0;
}
