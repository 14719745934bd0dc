// A deep convolutional GAN that learns to draw digits: two networks, of which one draws and the
// other tells drawn from real, train against each other. The networks: networks.h.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>

#include "../support/interrupt.h"
#include "../support/loss_curve.h"
#include "../support/progress.h"
#include "networks.h"
#include "tg/jit.h"
#include "tg/models/image.h"

namespace {

using namespace dcgan;
using tg::Tensor;

struct Options {
  int64_t steps = 600, batch = 64, width = 32;
  double lr = 0.0004;
  uint64_t seed = 1;
  std::string out = "dcgan";
  bool drawn = false;
};

struct Losses {
  examples::LossCurve discriminator{"discriminator", {}}, generator{"generator", {}};
  int64_t steps() const { return static_cast<int64_t>(generator.losses.size()); }
};

Tensor as_input(const Tensor& bytes) {
  return (bytes.cast(tg::dtypes::float32).unsqueeze(1) / 127.5 - 1.0).contiguous();
}

Tensor codes(int64_t n) { return Tensor::randn({n, kCodes}).contiguous(); }

// How far the discriminator's opinion is from `real`, 1 or a little less, or 0.
Tensor error(const Tensor& opinion, double real) {
  return opinion.binary_crossentropy_logits(opinion.full_like(real));
}

// The weights that the paper starts from: normal with a deviation of 0.02.
template <typename Network>
void start_small(Network& network) {
  for (const Tensor& p : tg::nn::parameters(network))
    if (p.ndim() > 1) p.assign(p.randn_like() * 0.02);
}

Losses train(Generator& generator, Discriminator& discriminator, const tg::datasets::ImageSet& data,
             const Options& o) {
  constexpr double kReal = 0.9;  // not 1: a discriminator that is never sure teaches more
  tg::nn::Adam to_draw(generator, {.lr = o.lr, .beta1 = 0.5});
  tg::nn::Adam to_tell(discriminator, {.lr = o.lr, .beta1 = 0.5});
  tg::datasets::Batches batches(data.count, o.batch, o.seed);
  const tg::TrainingScope training;
  tg::TinyJit tell([&](const Tensor& index) {
    const Tensor drawn = generator(codes(o.batch)).detach();
    const Tensor loss =
        error(discriminator(as_input(data.images[index])), kReal) + error(discriminator(drawn), 0);
    to_tell.step(loss);
    return loss;
  });
  tg::TinyJit draw([&] {
    const Tensor loss = error(discriminator(generator(codes(o.batch))), 1);
    to_draw.step(loss);
    return loss;
  });
  Losses out;
  examples::Progress progress(o.steps);
  while (out.steps() < o.steps && !examples::stop_requested()) {
    out.discriminator.losses.push_back(tell(batches.next()).item<double>());
    out.generator.losses.push_back(draw().item<double>());
    char note[64];
    std::snprintf(note, sizeof note, "discriminator %.3f  generator %.3f",
                  out.discriminator.losses.back(), out.generator.losses.back());
    progress.show(out.steps(), note);
  }
  return out;
}

// The mean of each pixel over drawn digits and over real ones, and how much they differ on average:
// 0 to 1. Small where the pictures are digits, and of all kinds.
double difference_of_means(const Generator& generator, const Tensor& images) {
  constexpr int64_t kPictures = 500;
  const Tensor drawn = generator(codes(kPictures)).mean({.axis = {0}});
  const Tensor real = as_input(images).mean({.axis = {0}});
  return (drawn - real).abs().mean().item<double>() / 2;
}

void write_results(Generator& generator, const Losses& losses,
                   const std::filesystem::path& folder) {
  constexpr int64_t kPictures = 64;
  tg::images::write_png(tg::images::grid((generator(codes(kPictures)) + 1.0) / 2.0),
                        folder / "samples.png");
  tg::nn::save(generator, folder / "generator.safetensors");
  std::printf("wrote samples.png and generator.safetensors into %s\n", folder.string().c_str());
  if (losses.steps() == 0) return;
  examples::write_loss_curves({losses.discriminator, losses.generator}, "loss, nats",
                              folder / "loss.svg");
  std::printf("wrote loss.svg into %s\n", folder.string().c_str());
}

int run(const Options& o) {
  std::filesystem::create_directories(o.out);
  tg::manual_seed(o.seed);
  const auto digits = o.drawn ? tg::datasets::drawn_digits() : tg::datasets::mnist();
  std::printf("%s: %lld training images (%s)\n", digits.name.c_str(),
              static_cast<long long>(digits.train.count), digits.source.c_str());
  std::fflush(stdout);
  Generator generator(o.width);
  Discriminator discriminator(o.width);
  start_small(generator);
  start_small(discriminator);
  const double before = difference_of_means(generator, digits.test.images);
  const Losses losses = train(generator, discriminator, digits.train, o);
  write_results(generator, losses, o.out);
  if (examples::stop_requested()) {
    std::fprintf(stderr, "dcgan: interrupted after step %lld of %lld\n",
                 static_cast<long long>(losses.steps()), static_cast<long long>(o.steps));
    return examples::kInterrupted;
  }
  std::printf("mean of drawn digits beside mean of real ones: %.3f apart at the start, %.3f now\n",
              before, difference_of_means(generator, digits.test.images));
  return 0;
}

void add_options(CLI::App& app, Options& o) {
  app.add_option("--steps", o.steps, "training steps of both networks")
      ->capture_default_str()
      ->check(CLI::Range(1, 1'000'000));
  app.add_option("--batch", o.batch, "real and drawn pictures a step")
      ->capture_default_str()
      ->check(CLI::Range(2, 10'000));
  app.add_option("--width", o.width, "channels at half the resolution; twice as many at a quarter")
      ->capture_default_str()
      ->check(CLI::Range(1, 1024));
  app.add_option("--lr", o.lr, "learning rate")->capture_default_str()->check(CLI::Range(0.0, 1.0));
  app.add_option("--seed", o.seed, "of weights, order and pictures")->capture_default_str();
  app.add_option("--out", o.out, "folder for pictures, curve and weights")->capture_default_str();
  app.add_flag("--drawn", o.drawn, "use digits that the library draws itself instead of MNIST");
}

}  // namespace

int main(int argc, char** argv) {
  Options o;
  CLI::App app("Trains a generative adversarial network on MNIST, and draws digits with it.",
               "dcgan");
  add_options(app, o);
  CLI11_PARSE(app, argc, argv);
  examples::catch_interrupts();
  try {
    return run(o);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "\ndcgan: %s\n", e.what());
    // Ctrl-C also reaches a compiler that is at work, so that its kernel is missing.
    return examples::stop_requested() ? examples::kInterrupted : 1;
  }
}
