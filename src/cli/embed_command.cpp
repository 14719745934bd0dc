// tg embed: vectors of texts by a sentence encoder, as lines of JSON, an array of NumPy, or a table
// of how alike the texts are. The encoder: tg/models/text_encoder.h.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <ostream>
#include <span>

#include "cli/cli.h"
#include "cli/loading_bar.h"
#include "support/check.h"
#include "support/interrupt.h"
#include "support/progress.h"
#include "support/text.h"
#include "tg/models/text_encoder.h"
#include "tg/state.h"

namespace tg::cli {
namespace {

struct EmbedSettings {
  std::string model, file, output, prompt;
  std::vector<std::string> texts;
  bool compares = false;
  models::TextEncoderOptions load;
};

std::vector<std::string> lines_of(std::istream& in) {
  std::vector<std::string> out;
  for (std::string line; std::getline(in, line);) {
    if (line.ends_with('\r')) line.pop_back();
    out.push_back(line);
  }
  return out;
}

std::vector<std::string> texts_of(const EmbedSettings& s) {
  if (s.file.empty() == s.texts.empty()) {
    user_error<ArgumentError>(
        "embed", s.file.empty() ? "there is no text" : "takes texts or --file, not both",
        "Hint: name texts behind the model, or a file of lines by --file.");
  }
  if (s.file.empty()) return s.texts;
  if (s.file == "-") return lines_of(std::cin);
  std::ifstream in(s.file, std::ios::binary);
  if (!in) user_error<FileError>("embed", fmt::format("cannot read \"{}\"", s.file));
  return lines_of(in);
}

// A part of the texts, whose vectors are printed before the next: a pipe need not wait for all.
constexpr size_t kTextsOfPart = 1024;
constexpr size_t kLeastWithBar = 64;

// Calls `take(first text, tokens, vectors)` for parts of the texts.
template <typename F>
void embed_in_parts(models::TextEncoder& encoder, std::span<const std::string> texts,
                    const F& take) {
  const InterruptScope interrupts;
  std::optional<ProgressBar> bar;
  if (texts.size() >= kLeastWithBar)
    bar.emplace("embedding (texts)", static_cast<int64_t>(texts.size()));
  for (size_t begin = 0; begin < texts.size(); begin += kTextsOfPart) {
    const auto part = texts.subspan(begin, std::min(kTextsOfPart, texts.size() - begin));
    std::vector<std::vector<int32_t>> tokens;
    for (const std::string& text : part) {
      check_interrupt("embed");
      tokens.push_back(encoder.tokens(text));
    }
    int64_t shown = 0;
    const Tensor vectors = encoder.embed_tokens(tokens, [&](int64_t done) {
      check_interrupt("embed");
      if (bar) bar->advance(done - shown);
      shown = done;
    });
    take(begin, tokens, vectors);
  }
  if (bar) bar->finish();
}

void print_lines(models::TextEncoder& encoder, std::span<const std::string> texts,
                 std::ostream& out) {
  embed_in_parts(encoder, texts, [&](size_t first, const auto& tokens, const Tensor& vectors) {
    const auto values = vectors.to_vector<float>();
    const auto size = static_cast<size_t>(vectors.size(1));
    for (size_t i = 0; i < tokens.size(); ++i) {
      const auto mine = std::span(values).subspan(i * size, size);
      out << fmt::format("{{\"index\":{},\"tokens\":{},\"embedding\":[{}]}}\n", first + i,
                         tokens[i].size(), fmt::join(mine, ","));
    }
    out << std::flush;
  });
}

Tensor embed_all(models::TextEncoder& encoder, std::span<const std::string> texts) {
  std::vector<Tensor> parts;
  embed_in_parts(encoder, texts,
                 [&](size_t, const auto&, const Tensor& vectors) { parts.push_back(vectors); });
  return parts.size() == 1 ? parts[0] : Tensor::cat(parts);
}

std::string shortened(const std::string& text) {
  constexpr size_t kMost = 40;
  if (text.size() <= kMost) return text;
  size_t end = kMost;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return text.substr(0, end) + "…";
}

// Cosines of all pairs: a row and a column for each text, by its number.
void print_table(models::TextEncoder& encoder, std::span<const std::string> texts,
                 std::ostream& out) {
  constexpr size_t kMost = 100;
  if (texts.size() > kMost) {
    user_error<ArgumentError>(
        "embed", fmt::format("--similar compares {} texts at most, got {}", kMost, texts.size()));
  }
  const Tensor x = embed_all(encoder, texts);
  const Tensor length = (x * x).sum({.axis = 1, .keepdim = true}).sqrt().maximum(1e-12);
  const Tensor unit = x / length;
  const auto cosines = unit.matmul(unit.transpose()).to_vector<float>();
  const size_t n = texts.size();
  out << "    ";
  for (size_t i = 0; i < n; ++i) out << fmt::format("{:>7}", i);
  out << "\n";
  for (size_t i = 0; i < n; ++i) {
    out << fmt::format("{:>4}", i);
    for (size_t j = 0; j < n; ++j) out << fmt::format("{:>7.3f}", cosines[i * n + j]);
    out << "  " << shortened(texts[i]) << "\n";
  }
}

void run_embed(const EmbedSettings& s, std::ostream& out) {
  if (s.compares && !s.output.empty())
    user_error<ArgumentError>("embed", "takes --similar or --output, not both");
  const std::vector<std::string> texts = texts_of(s);
  models::TextEncoder encoder = with_loading_bar(
      s.load, [&](const auto& options) { return models::TextEncoder::load(s.model, options); });
  const auto& info = encoder.info();
  std::cerr << fmt::format("{}: {} layers, {} wide, {} of weights, texts of {} tokens at most\n",
                           info.family, info.layers, info.width, human_bytes(info.weight_bytes),
                           info.longest);
  if (s.compares) return print_table(encoder, texts, out);
  if (s.output.empty()) return print_lines(encoder, texts, out);
  const Tensor all = embed_all(encoder, texts);
  nn::npy_save(all, s.output);
  out << fmt::format("{}: float32 [{}]\n", s.output, fmt::join(all.shape(), ", "));
}

}  // namespace

void add_embed_command(CLI::App& app, std::ostream& out) {
  auto s = std::make_shared<EmbedSettings>();
  CLI::App* c = app.add_subcommand(
      "embed", "Make vectors of texts by a sentence encoder: a line of JSON for each");
  c->add_option("model", s->model,
                "a folder with config.json, safetensors and a tokenizer, of BERT's family")
      ->required();
  c->add_option("text", s->texts, "the texts");
  c->add_option("--file", s->file, "a file whose lines are the texts; -: standard input");
  c->add_option("--output", s->output, "write an array of NumPy (.npy), [texts, size]");
  c->add_flag("--similar", s->compares, "print the cosine of each two texts, as a table");
  CLI::Option* prompt = c->add_option(
      "--prompt", s->prompt, "what is put before each text, in place of the model's own prompt");
  c->add_option("--max-tokens", s->load.longest,
                "tokens of a text, of which the others are cut off; 0: as the model says")
      ->capture_default_str();
  c->add_option("--device", s->load.device, "where it computes; the default device if left out");
  c->callback([s, prompt, &out] {
    if (prompt->count() > 0) s->load.prompt = s->prompt;
    run_embed(*s, out);
  });
}

}  // namespace tg::cli
