// Fine-tunes a language model on a text, or on prompts with their completions, by low-rank adapters
// (Hu et al., 2021, "LoRA"): the model's weights stay as they are, quantised or not. What is
// learned is in texts.h, the training in train.cpp; this file is the command line.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>

#include "../support/interrupt.h"
#include "../support/output.h"
#include "tg/random.h"
#include "train.h"

namespace {

using namespace lora;
using tg::models::LanguageModel;

struct Options {
  std::string model, data, start, output = "adapter", curve = "lora.svg", prompt;
  tg::models::LoraOptions adapter;
  TrainOptions training;
  tg::models::LanguageModelOptions load;
  int64_t sample = 64;
  double temperature = 0.7;
};

LanguageModel load(const Options& o) {
  LanguageModel model = LanguageModel::load(o.model, o.load);
  if (model.tokenizer() == nullptr)
    throw std::runtime_error(o.model + " has no tokenizer; put its tokenizer.json beside it");
  if (o.training.length > model.info().context) {
    throw std::runtime_error("--length is at most the model's context, " +
                             std::to_string(model.info().context));
  }
  if (o.start.empty()) {
    model.add_adapter(o.adapter);
  } else {
    model.load_adapter(o.start);
  }
  return model;
}

// What the model makes of the prompt, or of the beginning of what it learns.
void print_sample(LanguageModel& model, const Lessons& lessons, const Options& o,
                  const char* when) {
  if (o.sample == 0 || examples::stop_requested()) return;
  std::string prompt = o.prompt;
  if (prompt.empty()) {
    constexpr size_t kWords = 8;
    const Lesson& first = lessons.all.front();
    const size_t count = lessons.is_one_text ? kWords : first.prompt;
    prompt = model.tokenizer()->decode(
        std::span(first.tokens).first(std::min(count, first.tokens.size())));
  }
  std::printf("--- %s:\n%s", when, prompt.c_str());
  model.complete(prompt,
                 {.max_tokens = o.sample, .temperature = o.temperature, .seed = o.training.seed},
                 [](std::string_view text) {
                   std::fwrite(text.data(), 1, text.size(), stdout);
                   std::fflush(stdout);
                   return !examples::stop_requested();
                 });
  std::printf("\n---\n");
  std::fflush(stdout);
}

void describe(const LanguageModel& model, const Lessons& lessons, const Options& o) {
  const auto number = [](auto n) { return static_cast<long long>(n); };
  int64_t learned = 0;
  const auto parameters = model.adapter_parameters();
  for (const tg::Tensor& p : parameters) learned += p.numel();
  std::printf(
      "%s: %s, %lld layers, %.1f MiB of weights; an adapter of %lld numbers for %lld "
      "products\n",
      o.model.c_str(), model.info().family.c_str(), number(model.info().layers),
      static_cast<double>(model.info().weight_bytes) / 0x1p20, number(learned),
      number(parameters.size() / 2));
  if (lessons.is_one_text) {
    std::printf("%s: a text of %lld tokens\n", o.data.c_str(), number(lessons.tokens));
  } else {
    std::printf("%s: %lld prompts, %lld tokens of completions", o.data.c_str(),
                number(lessons.all.size()), number(lessons.tokens));
    if (lessons.shortened > 0)
      std::printf("; %lld shortened to --length", number(lessons.shortened));
    std::printf("\n");
  }
  std::fflush(stdout);
}

// The exit status.
int run(const Options& o) {
  examples::require_folder_of(o.curve);
  examples::require_folder_of(o.output);
  tg::manual_seed(o.training.seed);
  LanguageModel model = load(o);
  const Lessons lessons = read_lessons(o.data, model, o.training.length);
  describe(model, lessons, o);
  print_sample(model, lessons, o, "before");
  const Training done = train(model, lessons, o.training);
  if (!done.losses.losses.empty()) {
    examples::write_loss_curves({done.losses}, "loss, nats a token", o.curve);
    std::printf("wrote %s\n", o.curve.c_str());
    model.save_adapter(o.output);
    std::printf("wrote the adapter into %s\n", o.output.c_str());
  }
  if (examples::stop_requested()) {
    std::fprintf(stderr, "lora: interrupted after step %lld of %lld\n",
                 static_cast<long long>(done.steps), static_cast<long long>(o.training.steps));
    return examples::kInterrupted;
  }
  std::printf("loss %.3f nats a token in the first step, %.3f in the last one\n",
              done.losses.losses.front(), done.losses.losses.back());
  print_sample(model, lessons, o, "after");
  return examples::stop_requested() ? examples::kInterrupted : 0;
}

void add_adapter_options(CLI::App& app, Options& o) {
  app.add_option("--rank", o.adapter.rank, "numbers between the two products of an adapter")
      ->capture_default_str()
      ->check(CLI::Range(1, 65536));
  app.add_option("--alpha", o.adapter.alpha, "what an adapter adds is scaled by alpha / rank")
      ->capture_default_str();
  app.add_option("--dropout", o.adapter.dropout, "share of an adapter's inputs that is zeroed")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 0.99));
  app.add_option("--targets", o.adapter.targets,
                 "products with adapters, as PEFT names them: q_proj,v_proj or c_attn; "
                 "all-linear: all")
      ->delimiter(',')
      ->capture_default_str();
  app.add_option("--start", o.start, "a folder with an adapter to go on from, with its settings")
      ->excludes("--rank")
      ->excludes("--alpha")
      ->excludes("--dropout")
      ->excludes("--targets");
}

void add_training_options(CLI::App& app, Options& o) {
  const CLI::Range count(1, 1'000'000);
  app.add_option("--lr", o.training.lr, "highest learning rate")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 1.0));
  app.add_option("--steps", o.training.steps, "training steps")
      ->capture_default_str()
      ->check(count);
  app.add_option("--batch", o.training.batch, "parts of the text, or prompts, a step")
      ->capture_default_str()
      ->check(count);
  app.add_option("--length", o.training.length, "tokens of each")
      ->capture_default_str()
      ->check(count);
  app.add_option("--seed", o.training.seed, "of adapter, order and samples")->capture_default_str();
  app.add_option("--device", o.load.device, "where it computes; the default device if left out");
}

void add_output_options(CLI::App& app, Options& o) {
  app.add_option("--output", o.output, "folder for the adapter, which PEFT and tg read")
      ->capture_default_str();
  app.add_option("--curve", o.curve, "file for the losses as a picture, SVG")
      ->capture_default_str();
  app.add_option("--sample", o.sample, "tokens of the texts before and after; 0: none")
      ->capture_default_str()
      ->check(CLI::Range(0, 100'000));
  app.add_option("--prompt", o.prompt, "what these go on with; left out: the first of the data");
  app.add_option("--temperature", o.temperature, "of these: 0 always takes the likeliest token")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 100.0));
}

}  // namespace

int main(int argc, char** argv) {
  Options o;
  CLI::App app("Fine-tunes a language model on a text by low-rank adapters (LoRA).", "lora");
  app.add_option("model", o.model,
                 "a GGUF file, or a folder with config.json, safetensors and a tokenizer")
      ->required();
  app.add_option("data", o.data,
                 "a text file, or a .jsonl file of {\"prompt\": …, \"completion\": …}, of which "
                 "completions are learned")
      ->required();
  add_adapter_options(app, o);
  add_training_options(app, o);
  add_output_options(app, o);
  CLI11_PARSE(app, argc, argv);
  examples::catch_interrupts();
  try {
    return run(o);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "\nlora: %s\n", e.what());
    // Ctrl-C also reaches a compiler that is at work, so that its kernel is missing.
    return examples::stop_requested() ? examples::kInterrupted : 1;
  }
}
