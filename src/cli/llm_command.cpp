// tg llm: goes on with a text by a language model, once or line by line. The text is what the model
// gets, without a template of a conversation. The model: tg/models/language_model.h.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <optional>
#include <ostream>

#include "cli/cli.h"
#include "frontend/language/text_stream.h"
#include "support/check.h"
#include "support/interrupt.h"
#include "support/progress.h"
#include "support/text.h"
#include "tg/models/language_model.h"

namespace tg::cli {
namespace {

constexpr uint64_t kBytesOfStep = 1 << 20;

struct LlmSettings {
  std::string model, prompt;
  bool has_prompt = false;
  models::LanguageModelOptions load;
  models::GenerateOptions generate{.temperature = 0.7, .top_p = 0.95};
};

models::LanguageModel load_with_bar(LlmSettings& s) {
  std::optional<ProgressBar> bar;
  int64_t shown = 0;
  s.load.progress = [&](uint64_t done, uint64_t all) {
    const auto steps = static_cast<int64_t>(done / kBytesOfStep);
    if (!bar) bar.emplace("loading (MiB)", static_cast<int64_t>(all / kBytesOfStep));
    bar->advance(steps - shown);
    shown = steps;
  };
  models::LanguageModel model = models::LanguageModel::load(s.model, s.load);
  if (bar) bar->finish();
  return model;
}

std::string speed(int64_t tokens, double seconds) {
  const double rate = seconds > 0 ? static_cast<double>(tokens) / seconds : 0;
  return fmt::format("{} tokens, {:.1f} a second", tokens, rate);
}

// Goes on with `text`, which grows by the answer. Ctrl-C ends it and not the program.
void answer(models::LanguageModel& model, const models::GenerateOptions& options,
            std::vector<int32_t>& text, std::ostream& out) {
  const InterruptScope interrupts;
  models::TextStream words(*model.tokenizer());
  try {
    const models::Generated made = model.generate(text, options, [&](int32_t token) {
      text.push_back(token);
      out << words.add(token) << std::flush;
      return !interrupted();
    });
    out << words.finish() << "\n";
    const auto later = static_cast<int64_t>(made.tokens.size()) - 1;
    const int64_t read = static_cast<int64_t>(text.size() - made.tokens.size()) - made.reused;
    std::cerr << fmt::format(
        "[prompt: {}; answer: {}{}]\n", speed(read, made.prompt_seconds),
        speed(std::max<int64_t>(later, 0), made.answer_seconds),
        made.reason == models::StopReason::ContextFull ? "; the context is full" : "");
  } catch (const CancelledError&) {
    out << words.finish() << "\n";
    std::cerr << "[stopped]\n";
  }
}

void converse(models::LanguageModel& model, const LlmSettings& s, std::ostream& out) {
  std::vector<int32_t> text;
  std::cerr << "An empty line, or Ctrl-D, ends the program; Ctrl-C an answer.\n";
  for (std::string line; std::cerr << "> " && std::getline(std::cin, line) && !line.empty();) {
    const std::vector<int32_t> more = model.tokenizer()->encode(line, text.empty());
    text.insert(text.end(), more.begin(), more.end());
    if (static_cast<int64_t>(text.size()) > model.info().context) {
      std::cerr << "The context is full: the text begins again.\n";
      text = model.tokenizer()->encode(line);
    }
    answer(model, s.generate, text, out);
  }
}

void run_llm(LlmSettings& s, std::ostream& out) {
  models::LanguageModel model = load_with_bar(s);
  if (model.tokenizer() == nullptr) {
    user_error<ArgumentError>("llm", fmt::format("\"{}\" has no tokenizer", s.model),
                              "Hint: put the model's tokenizer.json into its folder.");
  }
  const auto& info = model.info();
  std::cerr << fmt::format("{}: {} layers, {} wide, {} of weights, {} positions\n", info.family,
                           info.layers, info.width, human_bytes(info.weight_bytes), info.context);
  if (!s.has_prompt) return converse(model, s, out);
  std::vector<int32_t> text = model.tokenizer()->encode(s.prompt);
  answer(model, s.generate, text, out);
}

}  // namespace

void add_llm_command(CLI::App& app, std::ostream& out) {
  auto s = std::make_shared<LlmSettings>();
  CLI::App* c = app.add_subcommand("llm", "Go on with a text by a language model");
  c->add_option("model", s->model,
                "a GGUF file, or a folder with config.json, safetensors and tokenizer.json")
      ->required();
  CLI::Option* prompt =
      c->add_option("--prompt", s->prompt, "go on with this text and exit; else line by line");
  models::GenerateOptions& g = s->generate;
  c->add_option("--temperature", g.temperature, "0: the likeliest token; higher: more surprising")
      ->capture_default_str();
  c->add_option("--top-k", g.top_k, "choose among the k likeliest tokens; 0: among all")
      ->capture_default_str();
  c->add_option("--top-p", g.top_p, "among the likeliest that have this probability together")
      ->capture_default_str();
  c->add_option("--min-p", g.min_p, "among those this share as likely as the likeliest")
      ->capture_default_str();
  c->add_option("--seed", g.seed, "equal seeds give equal texts")->capture_default_str();
  c->add_option("--max-tokens", g.max_tokens, "end an answer after so many")->capture_default_str();
  c->add_option("--context", s->load.context,
                "tokens for which there is room; 0: those of the model, at most 4096")
      ->capture_default_str();
  c->add_option("--device", s->load.device, "where it computes; the default device if left out");
  c->callback([s, prompt, &out] {
    s->has_prompt = prompt->count() > 0;
    run_llm(*s, out);
  });
}

}  // namespace tg::cli
