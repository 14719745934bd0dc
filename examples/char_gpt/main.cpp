// A language model of single characters: trained on one text, it writes more in its manner. The
// network is in gpt.h, the training in train.cpp; this file is the command line.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <string>

#include "../support/interrupt.h"
#include "../support/output.h"
#include "sample.h"
#include "train.h"

namespace {

using namespace char_gpt;

struct Options {
  // On every Debian system, and on many others.
  std::string text = "/usr/share/common-licenses/GPL-3";
  std::string load, save, curve = "char_gpt.svg";
  Sizes sizes;
  TrainOptions training;
  SampleOptions sample;
  double dropout = 0.1;
  uint64_t seed = 1;
};

void print_sample(const Speaker& speaker, const SampleOptions& options) {
  std::printf("--- %lld characters at temperature %.2g:\n", static_cast<long long>(options.length),
              options.temperature);
  std::fputs(options.prompt.c_str(), stdout);
  sample(speaker, options, [](char c) {
    std::putchar(c);
    std::fflush(stdout);
    return !examples::stop_requested();
  });
  std::printf("\n---\n");
}

Speaker new_speaker(const Options& o, const std::string& text) {
  Alphabet alphabet(text);
  Sizes sizes = o.sizes;
  sizes.characters = alphabet.size();
  return {Gpt(sizes, o.dropout), std::move(alphabet)};
}

// The exit status.
int train_and_sample(const Options& o) {
  examples::require_folder_of(o.curve);
  examples::require_folder_of(o.save);
  const std::string text = read_text(o.text);
  Speaker speaker = new_speaker(o, text);
  int64_t numbers = 0;
  for (const tg::Tensor& p : tg::nn::parameters(speaker.net)) numbers += p.numel();
  std::printf("%s: %lld characters, %lld different ones; a model of %lld numbers\n", o.text.c_str(),
              static_cast<long long>(text.size()), static_cast<long long>(speaker.alphabet.size()),
              static_cast<long long>(numbers));
  std::fflush(stdout);
  const Training done = train(speaker, text, o.training);
  if (!done.training.losses.empty()) {
    examples::write_loss_curves({done.training, done.held_out}, "loss, nats a character", o.curve);
    std::printf("wrote %s\n", o.curve.c_str());
  }
  if (!o.save.empty()) {
    save_speaker(speaker, o.save);
    std::printf("wrote %s\n", o.save.c_str());
  }
  if (examples::stop_requested()) {
    std::fprintf(stderr, "char_gpt: interrupted after step %lld of %lld\n",
                 static_cast<long long>(done.steps), static_cast<long long>(o.training.steps));
    return examples::kInterrupted;
  }
  std::printf(
      "loss %.3f nats a character at the start, %.3f at the end, %.3f on the text held out\n",
      done.training.losses.front(), done.training.losses.back(), done.held_out.losses.back());
  if (o.sample.length > 0) print_sample(speaker, o.sample);
  return examples::stop_requested() ? examples::kInterrupted : 0;
}

int run(const Options& o) {
  tg::manual_seed(o.seed);
  if (o.load.empty()) return train_and_sample(o);
  print_sample(load_speaker(o.load), o.sample);
  return examples::stop_requested() ? examples::kInterrupted : 0;
}

void add_options(CLI::App& app, Options& o) {
  const CLI::Range count(1, 1'000'000);
  app.add_option("--text", o.text, "the text to learn")->capture_default_str();
  app.add_option("--steps", o.training.steps, "training steps")
      ->capture_default_str()
      ->check(count);
  app.add_option("--batch", o.training.batch, "parts of the text a step")
      ->capture_default_str()
      ->check(count);
  app.add_option("--context", o.sizes.context, "characters that the model sees")
      ->capture_default_str()
      ->check(count);
  app.add_option("--width", o.sizes.width, "numbers for each place; a multiple of --heads")
      ->capture_default_str()
      ->check(count);
  app.add_option("--layers", o.sizes.layers, "blocks of attention and perceptron")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000));
  app.add_option("--heads", o.sizes.heads, "heads of attention")
      ->capture_default_str()
      ->check(count);
  app.add_option("--dropout", o.dropout, "share of the numbers that training zeroes")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 1.0));
  app.add_option("--lr", o.training.lr, "highest learning rate")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 1.0));
  app.add_option("--seed", o.seed, "of weights, places and sample")->capture_default_str();
  app.add_option("--save", o.save, "file for the trained model");
  app.add_option("--load", o.load, "file of a trained model: write a sample, train nothing");
  app.add_option("--curve", o.curve, "file for the losses as a picture, SVG")
      ->capture_default_str();
  app.add_option("--sample", o.sample.length, "characters to write at the end")
      ->capture_default_str()
      ->check(CLI::Range(0, 1'000'000));
  app.add_option("--prompt", o.sample.prompt, "what the sample goes on with");
  app.add_option("--temperature", o.sample.temperature,
                 "of the sample: 0 always takes the likeliest character")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 100.0));
}

}  // namespace

int main(int argc, char** argv) {
  Options o;
  CLI::App app("Trains a language model of characters on a text, and writes more of it.",
               "char_gpt");
  add_options(app, o);
  CLI11_PARSE(app, argc, argv);
  examples::catch_interrupts();
  try {
    return run(o);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "\nchar_gpt: %s\n", e.what());
    // Ctrl-C also reaches a compiler that is at work, so that its kernel is missing.
    return examples::stop_requested() ? examples::kInterrupted : 1;
  }
}
