// tg rewrite: texts that a model of T5's form makes of others, such as translations, a line for
// each. The model: tg/models/encoder_decoder.h; models that go on with a text: llm_command.cpp.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <iostream>
#include <memory>
#include <ostream>

#include "cli/cli.h"
#include "cli/loading_bar.h"
#include "support/check.h"
#include "support/interrupt.h"
#include "support/text.h"
#include "tg/models/encoder_decoder.h"

namespace tg::cli {
namespace {

struct RewriteSettings {
  std::string model, file, prompt;
  std::vector<std::string> texts;
  models::EncoderDecoderOptions load;
  models::GenerateOptions generate;
};

// Each line, as soon as the one before it is done.
template <typename F>
void for_each_line(std::istream& in, const F& f) {
  for (std::string line; std::getline(in, line);) {
    if (line.ends_with('\r')) line.pop_back();
    f(line);
  }
}

void rewrite_texts(const RewriteSettings& s, std::ostream& out) {
  if (s.file.empty() == s.texts.empty()) {
    user_error<ArgumentError>(
        "rewrite", s.file.empty() ? "there is no text" : "takes texts or --file, not both",
        "Hint: name texts behind the model, or a file of lines by --file.");
  }
  models::EncoderDecoder model = with_loading_bar(
      s.load, [&](const auto& options) { return models::EncoderDecoder::load(s.model, options); });
  const auto& info = model.info();
  std::cerr << fmt::format("{}: {} and {} layers, {} wide, {} of weights\n", info.family,
                           info.encoder_layers, info.decoder_layers, info.width,
                           human_bytes(info.weight_bytes));
  const InterruptScope interrupts;
  const auto rewrite = [&](const std::string& text) {
    model.rewrite(s.prompt + text, s.generate, [&](std::string_view piece) {
      check_interrupt("rewrite");
      out << piece << std::flush;
      return true;
    });
    out << '\n' << std::flush;
  };
  for (const std::string& text : s.texts) rewrite(text);
  if (s.file == "-") {
    for_each_line(std::cin, rewrite);
  } else if (!s.file.empty()) {
    std::ifstream in(s.file, std::ios::binary);
    if (!in) user_error<FileError>("rewrite", fmt::format("cannot read \"{}\"", s.file));
    for_each_line(in, rewrite);
  }
}

}  // namespace

void add_rewrite_command(CLI::App& app, std::ostream& out) {
  auto s = std::make_shared<RewriteSettings>();
  CLI::App* c = app.add_subcommand(
      "rewrite", "Make other texts of texts, such as translations, by a model of T5's form");
  c->add_option("model", s->model,
                "a folder with config.json, safetensors and the tokenizer of a T5")
      ->required();
  c->add_option("text", s->texts, "the texts");
  c->add_option("--file", s->file, "a file whose lines are the texts; -: standard input");
  c->add_option("--prompt", s->prompt,
                "what is put before each text, such as \"translate English to German: \"");
  c->add_option("--max-tokens", s->generate.max_tokens, "most tokens of an answer")
      ->capture_default_str();
  c->add_option("--temperature", s->generate.temperature, "0: the likeliest token each time")
      ->capture_default_str();
  c->add_option("--seed", s->generate.seed, "of the random numbers")->capture_default_str();
  c->add_option("--longest", s->load.longest, "most tokens of a text")->capture_default_str();
  c->add_option("--device", s->load.device, "where it computes; the default device if left out");
  c->callback([s, &out] { rewrite_texts(*s, out); });
}

}  // namespace tg::cli
