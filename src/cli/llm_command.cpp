// tg llm: a conversation with a language model, by the template that it was published with, or a
// text that it goes on with. Conversations: llm_chat.h; the model: tg/models/language_model.h.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <optional>
#include <ostream>

#include "cli/cli.h"
#include "cli/language_options.h"
#include "cli/llm_chat.h"
#include "cli/loading_bar.h"
#include "frontend/whole_file.h"
#include "support/check.h"
#include "support/text.h"
#include "tg/models/language_model.h"

namespace tg::cli {
namespace {

struct LlmSettings {
  std::string model, prompt, system, template_file, grammar_file, schema_file;
  bool has_prompt = false, is_raw = false, is_json = false;
  models::LanguageModelOptions load;
  models::GenerateOptions generate{.temperature = 0.7, .top_p = 0.95};
};

// The template to converse by, unless the text is to be taken as it is.
std::optional<models::ChatTemplate> template_of(const LlmSettings& s) {
  constexpr uint64_t kMostBytes = 1 << 20;
  if (s.is_raw) {
    if (s.system.empty() && s.template_file.empty()) return {};
    user_error<ArgumentError>("llm", "--raw takes neither --system nor --template");
  }
  std::optional<models::ChatTemplate> out;
  if (!s.template_file.empty()) {
    out = models::ChatTemplate::parse(whole_file("llm", s.template_file, kMostBytes),
                                      models::template_tokens(s.model), s.template_file);
  } else {
    out = models::ChatTemplate::load(s.model);
  }
  if (!out && !s.system.empty()) {
    user_error<ArgumentError>("llm", fmt::format("\"{}\" has no chat template", s.model),
                              "Hint: name one by --template, or leave out --system.");
  }
  return out;
}

// What answers are to be, if anything is asked of them.
models::Grammar grammar_of(const LlmSettings& s) {
  constexpr uint64_t kMostBytes = 1 << 20;
  if (s.is_json) return models::Grammar::json_object();
  if (!s.schema_file.empty())
    return models::Grammar::of_json_schema(whole_file("llm", s.schema_file, kMostBytes));
  if (!s.grammar_file.empty())
    return models::Grammar::parse(whole_file("llm", s.grammar_file, kMostBytes));
  return {};
}

// Without a template: each line goes on with the text so far.
void go_on_by_lines(models::LanguageModel& model, const LlmSettings& s, std::ostream& out) {
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
  const std::optional<models::ChatTemplate> chat = template_of(s);
  s.generate.grammar = grammar_of(s);
  models::LanguageModel model = with_loading_bar(
      s.load, [&](const auto& options) { return models::LanguageModel::load(s.model, options); });
  if (model.tokenizer() == nullptr) {
    user_error<ArgumentError>("llm", fmt::format("\"{}\" has no tokenizer", s.model),
                              "Hint: put the model's tokenizer.json into its folder.");
  }
  const auto& info = model.info();
  std::cerr << fmt::format("{}: {} layers, {} wide, {} of weights, {} positions\n", info.family,
                           info.layers, info.width, human_bytes(info.weight_bytes), info.context);
  if (chat) {
    Conversation conversation(model, *chat, s.system, s.generate, out);
    if (s.has_prompt) return conversation.say(s.prompt);
    return conversation.converse(std::cin);
  }
  if (!s.has_prompt) return go_on_by_lines(model, s, out);
  std::vector<int32_t> text = model.tokenizer()->encode(s.prompt);
  answer(model, s.generate, text, out);
}

}  // namespace

void add_llm_command(CLI::App& app, std::ostream& out) {
  auto s = std::make_shared<LlmSettings>();
  CLI::App* c =
      app.add_subcommand("llm", "Converse with a language model, or go on with a text by it");
  c->add_option("model", s->model,
                "a GGUF file, or a folder with config.json, safetensors and a tokenizer")
      ->required();
  CLI::Option* prompt =
      c->add_option("--prompt", s->prompt, "answer this and exit; else line by line");
  c->add_option("--system", s->system, "what the model is told before the conversation");
  c->add_flag("--raw", s->is_raw, "the text as it is, without the model's chat template");
  c->add_option("--template", s->template_file, "a file with a chat template, for the model's own");
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
  CLI::App* form = c->add_option_group("form", "What answers are: one of these");
  form->add_option("--grammar", s->grammar_file,
                   "texts of the grammar in this file, in llama.cpp's GBNF");
  form->add_option("--json-schema", s->schema_file, "JSON that fits the schema in this file");
  form->add_flag("--json", s->is_json, "an object of JSON");
  form->require_option(0, 1);
  c->add_option("--context", s->load.context,
                "tokens for which there is room; 0: those of the model, at most 4096")
      ->capture_default_str();
  add_language_options(*c, s->load);
  c->callback([s, prompt, &out] {
    s->has_prompt = prompt->count() > 0;
    run_llm(*s, out);
  });
}

}  // namespace tg::cli
