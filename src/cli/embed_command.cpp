// tg embed: vectors of texts by a sentence encoder, or of texts and pictures by a CLIP, as lines of
// JSON, an array of NumPy, or a table of how alike they are. The encoders:
// tg/models/text_encoder.h, tg/models/clip.h.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fstream>
#include <functional>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <span>

#include "cli/cli.h"
#include "cli/loading_bar.h"
#include "support/check.h"
#include "support/interrupt.h"
#include "support/progress.h"
#include "support/text.h"
#include "tg/models/clip.h"
#include "tg/models/text_encoder.h"
#include "tg/state.h"

namespace tg::cli {
namespace {

struct EmbedSettings {
  std::string model, file, output, prompt;
  std::vector<std::string> texts, pictures;
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
  if (s.file.empty() && s.texts.empty() && !s.pictures.empty()) return {};
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

// A part of the texts or pictures, whose vectors are printed before the next: a pipe need not wait
// for all.
struct EmbeddedPart {
  std::vector<std::string> facts;  // members of JSON: what is printed beside each vector
  Tensor vectors;                  // [of the part, size]
};
using TakePart = std::function<void(const EmbeddedPart&)>;

constexpr size_t kTextsOfPart = 1024, kPicturesOfPart = 16;
constexpr size_t kLeastWithBar = 64;

// Calls `make(first, part, progress)` for parts of `all`, of which progress is shown, and `take`
// for what it gives.
template <typename F>
void embed_in_parts(std::span<const std::string> all, size_t most, const char* what, const F& make,
                    const TakePart& take) {
  const InterruptScope interrupts;
  std::optional<ProgressBar> bar;
  if (all.size() >= kLeastWithBar) bar.emplace(what, static_cast<int64_t>(all.size()));
  for (size_t begin = 0; begin < all.size(); begin += most) {
    int64_t shown = 0;
    take(make(all.subspan(begin, std::min(most, all.size() - begin)), [&](int64_t done) {
      check_interrupt("embed");
      if (bar) bar->advance(done - shown);
      shown = done;
    }));
  }
  if (bar) bar->finish();
}

// Of both kinds of encoders.
template <typename Encoder>
void embed_texts(Encoder& encoder, std::span<const std::string> texts, const TakePart& take) {
  const auto make = [&](std::span<const std::string> part, const auto& progress) {
    std::vector<std::vector<int32_t>> tokens;
    EmbeddedPart out;
    for (const std::string& text : part) {
      check_interrupt("embed");
      tokens.push_back(encoder.tokens(text));
      out.facts.push_back(fmt::format("\"tokens\":{}", tokens.back().size()));
    }
    out.vectors = encoder.embed_tokens(tokens, progress);
    return out;
  };
  embed_in_parts(texts, kTextsOfPart, "embedding (texts)", make, take);
}

void embed_pictures(models::Clip& clip, std::span<const std::string> files, const TakePart& take) {
  // Names of files may be anything.
  constexpr auto kReplaced = nlohmann::json::error_handler_t::replace;
  const auto make = [&](std::span<const std::string> part, const auto& progress) {
    std::vector<Tensor> pixels;  // the pictures themselves may be large
    EmbeddedPart out;
    for (const std::string& file : part) {
      check_interrupt("embed");
      pixels.push_back(clip.preprocess(images::read(file)));
      out.facts.push_back("\"picture\":" + nlohmann::json(file).dump(-1, ' ', false, kReplaced));
    }
    out.vectors = clip.embed_pixels(Tensor::stack(pixels));
    progress(static_cast<int64_t>(part.size()));
    return out;
  };
  embed_in_parts(files, kPicturesOfPart, "embedding (pictures)", make, take);
}

// What there is to embed: `names` for people, and a call that embeds it part by part.
struct Embedding {
  std::vector<std::string> names;
  std::function<void(const TakePart&)> make;
};

void print_lines(const Embedding& embedding, std::ostream& out) {
  size_t index = 0;
  embedding.make([&](const EmbeddedPart& part) {
    const auto values = part.vectors.to_vector<float>();
    const auto size = static_cast<size_t>(part.vectors.size(1));
    for (size_t i = 0; i < part.facts.size(); ++i) {
      const auto mine = std::span(values).subspan(i * size, size);
      out << fmt::format("{{\"index\":{},{},\"embedding\":[{}]}}\n", index++, part.facts[i],
                         fmt::join(mine, ","));
    }
    out << std::flush;
  });
}

Tensor embed_all(const Embedding& embedding) {
  std::vector<Tensor> parts;
  embedding.make([&](const EmbeddedPart& part) { parts.push_back(part.vectors); });
  return parts.size() == 1 ? parts[0] : Tensor::cat(parts);
}

std::string shortened(const std::string& text) {
  constexpr size_t kMost = 40;
  if (text.size() <= kMost) return text;
  size_t end = kMost;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return text.substr(0, end) + "…";
}

// Cosines of all pairs: a row and a column for each text and picture, by its number.
void print_table(const Embedding& embedding, std::ostream& out) {
  constexpr size_t kMost = 100;
  const size_t n = embedding.names.size();
  if (n > kMost) {
    user_error<ArgumentError>("embed",
                              fmt::format("--similar compares {} texts at most, got {}", kMost, n));
  }
  const Tensor x = embed_all(embedding);
  const Tensor length = (x * x).sum({.axis = 1, .keepdim = true}).sqrt().maximum(1e-12);
  const Tensor unit = x / length;
  const auto cosines = unit.matmul(unit.transpose()).to_vector<float>();
  out << "    ";
  for (size_t i = 0; i < n; ++i) out << fmt::format("{:>7}", i);
  out << "\n";
  for (size_t i = 0; i < n; ++i) {
    out << fmt::format("{:>4}", i);
    for (size_t j = 0; j < n; ++j) out << fmt::format("{:>7.3f}", cosines[i * n + j]);
    out << "  " << shortened(embedding.names[i]) << "\n";
  }
}

void print_embedding(const EmbedSettings& s, const Embedding& embedding, std::ostream& out) {
  if (s.compares) return print_table(embedding, out);
  if (s.output.empty()) return print_lines(embedding, out);
  const Tensor all = embed_all(embedding);
  nn::npy_save(all, s.output);
  out << fmt::format("{}: float32 [{}]\n", s.output, fmt::join(all.shape(), ", "));
}

void embed_by_encoder(const EmbedSettings& s, const std::vector<std::string>& texts,
                      std::ostream& out) {
  if (!s.pictures.empty()) {
    user_error<ArgumentError>("embed", fmt::format("\"{}\" reads texts only", s.model),
                              "Hint: a CLIP takes --image.");
  }
  models::TextEncoder encoder = with_loading_bar(
      s.load, [&](const auto& options) { return models::TextEncoder::load(s.model, options); });
  const auto& info = encoder.info();
  std::cerr << fmt::format("{}: {} layers, {} wide, {} of weights, texts of {} tokens at most\n",
                           info.family, info.layers, info.width, human_bytes(info.weight_bytes),
                           info.longest);
  print_embedding(s, {texts, [&](const TakePart& take) { embed_texts(encoder, texts, take); }},
                  out);
}

void embed_by_clip(const EmbedSettings& s, const std::vector<std::string>& given,
                   std::ostream& out) {
  if (s.load.longest != 0) user_error<ArgumentError>("embed", "a CLIP takes no --max-tokens");
  models::Clip clip =
      with_loading_bar(models::ClipOptions{.device = s.load.device},
                       [&](const auto& options) { return models::Clip::load(s.model, options); });
  const models::ClipInfo& info = clip.info();
  std::cerr << fmt::format(
      "clip: {} layers for texts and {} for pictures of {} pixels a side, {} of weights, "
      "texts of {} tokens at most\n",
      info.text_layers, info.image_layers, info.image_size, human_bytes(info.weight_bytes),
      info.longest);
  std::vector<std::string> names = given, texts = given;
  names.insert(names.end(), s.pictures.begin(), s.pictures.end());
  for (std::string& text : texts) text.insert(0, s.load.prompt.value_or(""));
  const auto make = [&](const TakePart& take) {
    embed_texts(clip, texts, take);
    embed_pictures(clip, s.pictures, take);
  };
  print_embedding(s, {std::move(names), make}, out);
}

void run_embed(const EmbedSettings& s, std::ostream& out) {
  if (s.compares && !s.output.empty())
    user_error<ArgumentError>("embed", "takes --similar or --output, not both");
  (models::is_clip(s.model) ? embed_by_clip : embed_by_encoder)(s, texts_of(s), out);
}

}  // namespace

void add_embed_command(CLI::App& app, std::ostream& out) {
  auto s = std::make_shared<EmbedSettings>();
  CLI::App* c = app.add_subcommand(
      "embed", "Make vectors of texts, or of pictures by a CLIP: a line of JSON for each");
  c->add_option(
       "model", s->model,
       "a folder with config.json, safetensors and a tokenizer, of BERT's family or a CLIP")
      ->required();
  c->add_option("text", s->texts, "the texts");
  c->add_option("--file", s->file, "a file whose lines are the texts; -: standard input");
  c->add_option("--image", s->pictures, "for a CLIP: a PNG or JPEG file; repeatable")
      ->type_name("FILE")
      ->allow_extra_args(false);
  c->add_option("--output", s->output,
                "write an array of NumPy (.npy), [texts and pictures, size]");
  c->add_flag("--similar", s->compares, "print the cosine of each two, as a table");
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
