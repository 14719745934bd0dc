// See tg/models/encoder_decoder.h. A text that is read is one recorded call, of which there is one
// for 16, 32, 64, … tokens: kernels of a fixed number of rows are faster than those of a variable
// one. What is written goes through the calls of source_decoder.h.
#include "tg/models/encoder_decoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <map>

#include "frontend/language/loaded_model.h"
#include "frontend/language/memory.h"
#include "frontend/language/source_decoder.h"
#include "frontend/language/source_encoder.h"
#include "frontend/language/text_stream.h"
#include "frontend/language/token_choice.h"
#include "frontend/rewriting/t5_folder.h"
#include "support/check.h"
#include "tg/autograd.h"

namespace tg::models {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kLeastRow = 16, kMostTokensOfText = 1 << 16;
constexpr int64_t kChunk = 16;  // tokens that `logits` reads at once

}  // namespace

struct EncoderDecoder::State {
  // Embedded tokens [row, width], and what is added to the scores of each, [row].
  using SourceCall = std::function<Tensor(const Tensor&, const Tensor&)>;

  EncoderDecoderInfo info;
  std::vector<int32_t> stop;
  std::optional<Tokenizer> tokenizer;
  std::string device;
  SourceEncoder encoder;
  DistanceGroups distances;
  Tensor distance_table;  // [groups, heads]
  SourceDecoder decoder;
  Variable source;
  std::map<int64_t, TinyJit<SourceCall>> source_calls = {};  // by rows
  std::map<int64_t, Tensor> biases = {};                     // by rows, [heads, row, row]
  IndexForGrammars index = {};

  void check(std::string_view fn, std::span<const int32_t> tokens, std::string_view what,
             int64_t most) const;
  const Tensor& bias(int64_t row);
  void read_source(std::string_view fn, std::span<const int32_t> tokens);
};

void EncoderDecoder::State::check(std::string_view fn, std::span<const int32_t> tokens,
                                  std::string_view what, int64_t most) const {
  if (tokens.empty() || std::ssize(tokens) > most) {
    user_error<ArgumentError>(
        fn, fmt::format("{} has 1 to {} tokens, got {}", what, most, tokens.size()));
  }
  for (const int32_t t : tokens) {
    if (t < 0 || t >= info.vocabulary) {
      user_error<ArgumentError>(
          fn, fmt::format("there is no token {}: the vocabulary has {}", t, info.vocabulary));
    }
  }
}

const Tensor& EncoderDecoder::State::bias(int64_t row) {
  const auto found = biases.find(row);
  if (found != biases.end()) return found->second;
  const Tensor of = bias_of_distances(distance_table, distances, 1 - row, row, device);
  const Tensor place = Tensor::arange(static_cast<double>(row), {.device = device});
  const Tensor distance = place.unsqueeze(0) - place.unsqueeze(1) + (row - 1);
  Tensor made = of[{distance}].permute({2, 0, 1}).contiguous().realize();
  return biases.emplace(row, std::move(made)).first->second;
}

// Leaves the keys and values of a text for the decoder, and begins to write.
void EncoderDecoder::State::read_source(std::string_view fn, std::span<const int32_t> tokens) {
  check(fn, tokens, "the text to read", info.longest);
  const auto count = std::ssize(tokens);
  const auto fit = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(count)));
  const int64_t row = std::clamp(fit, kLeastRow, std::max(kLeastRow, info.longest));
  std::vector<int32_t> padded(tokens.begin(), tokens.end());
  padded.resize(static_cast<size_t>(row), 0);
  std::vector<float> unseen(static_cast<size_t>(row), -std::numeric_limits<float>::infinity());
  std::fill_n(unseen.begin(), count, 0.0F);
  const NoGradScope no_gradients;
  const Tensor& of_distance = bias(row);
  // The states of tokens that fill up are stored as well, and nothing looks at them.
  const auto f = [this, of_distance, row](const Tensor& x, const Tensor& added) {
    const Tensor states = encoder(x, (of_distance + added).contiguous()).contiguous();
    decoder.see(states, row);
    return states;
  };
  auto& call = source_calls.try_emplace(row, TinyJit<SourceCall>(SourceCall(f))).first->second;
  call(decoder.embedded(Tensor(padded, TensorOptions{.device = device})),
       Tensor(unseen, TensorOptions{.device = device}));
  decoder.begin(source.bind(count));
}

EncoderDecoder::EncoderDecoder(std::shared_ptr<State> state) : state_(std::move(state)) {}

EncoderDecoder EncoderDecoder::load(const fs::path& folder, const EncoderDecoderOptions& o) {
  for (const auto& [name, value] : {std::pair("longest", o.longest), {"context", o.context}}) {
    if (value >= 1 && value <= kMostTokensOfText) continue;
    user_error<ArgumentError>(kLoadEncoderDecoder, fmt::format("{} must be 1 to {}, got {}", name,
                                                               kMostTokensOfText, value));
  }
  const T5Folder file(folder, std::max(o.longest, kLeastRow));
  const DecoderConfig &e = file.encoder(), &d = file.decoder();
  const auto longest = static_cast<uint64_t>(o.longest);
  require_memory(
      kLoadEncoderDecoder, folder.string(),
      std::to_array<MemoryPart>(
          {{"weights", file.weight_bytes()},
           {"keys and values", cache_bytes(d, o.context + o.longest)},
           {"attention of a text", 2 * static_cast<uint64_t>(e.heads) * longest * longest * 4}}),
      o.memory, "Hint: choose a smaller model, or shorter texts.");
  std::optional<Tokenizer> tokenizer = file.tokenizer();
  uint64_t done = 0;
  T5Weights weights = file.weights(o.device, [&](uint64_t bytes) {
    done += bytes;
    if (o.progress) o.progress(done, std::max(done, file.weight_bytes()));
  });
  EncoderDecoderInfo info{.family = d.family,
                          .encoder_layers = e.layers,
                          .decoder_layers = d.layers,
                          .width = d.width,
                          .vocabulary = d.vocabulary,
                          .longest = o.longest,
                          .context = o.context,
                          .start = file.start(),
                          .weight_bytes = file.weight_bytes()};
  const Tensor table = *weights.encoder.distances;
  const std::string device = table.device();
  return EncoderDecoder(std::shared_ptr<State>(new State{
      std::move(info), file.stop_tokens(), std::move(tokenizer), device,
      SourceEncoder(e, std::move(weights.encoder)), e.distances, table,
      SourceDecoder(d, std::move(weights.decoder), o.context, std::min(kChunk, o.context), device),
      Variable("source", 1, o.longest)}));
}

const EncoderDecoderInfo& EncoderDecoder::info() const { return state_->info; }
const Tokenizer* EncoderDecoder::tokenizer() const {
  return state_->tokenizer ? &*state_->tokenizer : nullptr;
}
const std::vector<int32_t>& EncoderDecoder::stop_tokens() const { return state_->stop; }

Tensor EncoderDecoder::logits(std::span<const int32_t> source, std::span<const int32_t> tokens) {
  State& s = *state_;
  s.check("logits", tokens, "the text that is written", s.info.context);
  s.read_source("logits", source);
  const Shape shape = {std::ssize(tokens), s.info.vocabulary};
  return {s.decoder.read_each(tokens), shape, {.device = s.device}};
}

Generated EncoderDecoder::generate(std::span<const int32_t> source, const GenerateOptions& o,
                                   const std::function<bool(int32_t)>& on_token) {
  State& s = *state_;
  const std::vector<int32_t>& stop = o.stop ? *o.stop : s.stop;
  TokenChoice choice(o, stop, s.index.of("generate", o, tokenizer()));
  const double start = seconds_now();
  s.read_source("generate", source);
  Generated out;
  std::vector<float> logits = s.decoder.read({&s.info.start, 1});
  const double first = seconds_now();
  out.prompt_seconds = first - start;
  const TextEnd end{[&] { return s.decoder.known() == s.info.context; },
                    [&](int32_t token) {
                      return s.decoder.read({&token, 1});
                    }};
  go_on(end, std::move(logits), choice, o, stop, on_token, out);
  out.answer_seconds = seconds_now() - first;
  return out;
}

std::string EncoderDecoder::rewrite(std::string_view text, const GenerateOptions& options,
                                    const std::function<bool(std::string_view)>& on_text) {
  const Tokenizer* t = tokenizer();
  if (t == nullptr) {
    user_error<ArgumentError>("rewrite", "the model has no tokenizer",
                              "Hint: put its tokenizer.json beside it.");
  }
  TextStream out(*t);
  const auto hear = [&](const std::string& piece) {
    return piece.empty() || !on_text || on_text(piece);
  };
  generate(t->encode(text), options, [&](int32_t token) { return hear(out.add(token)); });
  hear(out.finish());
  return out.all();
}

}  // namespace tg::models
