// See tg/models/text_encoder.h. Texts stand in rows of tokens one behind the other (packing.h), and
// a row of each size is one recorded call.
#include "tg/models/text_encoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "frontend/embedding/encoder.h"
#include "frontend/embedding/encoder_folder.h"
#include "frontend/embedding/packing.h"
#include "frontend/embedding/pooling.h"
#include "frontend/embedding/sentence_files.h"
#include "frontend/embedding/text_tokens.h"
#include "frontend/language/memory.h"
#include "frontend/tokenizer/tokenizer_files.h"
#include "support/check.h"
#include "tg/autograd.h"
#include "tg/jit.h"

namespace tg::models {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kMostWarm = 512;

}  // namespace

struct TextEncoder::State {
  // A row of tokens: what they are, their positions, their texts; and the shares of pooling.
  using PooledCall =
      std::function<Tensor(const Tensor&, const Tensor&, const Tensor&, const Tensor&)>;
  using HiddenCall = std::function<Tensor(const Tensor&, const Tensor&, const Tensor&)>;

  struct Step {
    VectorStep what;
    std::optional<Projection> weights;
  };

  TextEncoderInfo info;
  Encoder encoder;
  std::vector<Pooling> poolings;
  std::vector<Step> steps;
  std::optional<Tokenizer> tokenizer;
  std::string device;
  std::map<int64_t, TinyJit<PooledCall>> pooled_calls = {};  // by tokens of a row
  std::map<int64_t, TinyJit<HiddenCall>> hidden_calls = {};

  Tensor vectors(const Tensor& hidden, const Tensor& of, const Tensor& shares) const;
  Tensor embed_row(std::span<const std::vector<int32_t>> texts, const PackedRow& packed);
  void check(std::string_view fn, std::span<const int32_t> tokens, const std::string& name) const;
  Tensor on_device(const std::vector<int32_t>& numbers) const {
    return Tensor(numbers, TensorOptions{.device = device});
  }
};

namespace {

// What a row is on the host.
struct HostRow {
  std::vector<int32_t> tokens, positions, texts;
  std::vector<TextPlace> places;

  // Positions as create_position_ids_from_input_ids of `transformers` counts them.
  void add(std::span<const int32_t> text, const EncoderConfig& c) {
    const auto number = static_cast<int32_t>(places.size());
    const auto begin = static_cast<int64_t>(tokens.size());
    auto next = static_cast<int32_t>(c.first_position);
    for (const int32_t token : text) {
      tokens.push_back(token);
      texts.push_back(number);
      positions.push_back(token == c.pad_token ? static_cast<int32_t>(c.pad_token) : next++);
    }
    places.emplace_back(begin, static_cast<int64_t>(tokens.size()));
  }
  void fill_up(int64_t row, const EncoderConfig& c) {
    const auto n = static_cast<size_t>(row);
    tokens.resize(n, 0);
    positions.resize(n, static_cast<int32_t>(c.first_position));
    texts.resize(n, -1);
  }
};

int64_t longest_of(const SentenceFiles& files, const EncoderConfig& config,
                   const TextEncoderOptions& o) {
  const int64_t most = config.longest();
  if (o.longest < 0 || o.longest > most) {
    user_error<ArgumentError>(
        kLoadEncoder,
        fmt::format("longest must be 1 to {}, as many tokens as the model reads, got {}", most,
                    o.longest));
  }
  if (o.longest > 0) return o.longest;
  return files.longest > 0 ? std::min(files.longest, most) : most;
}

// Numbers of a text's vector; the steps must take what they are given.
int64_t size_of(const SentenceFiles& files, int64_t width) {
  int64_t size = width * std::ssize(files.poolings);
  for (const VectorStep& step : files.steps) {
    if (step.normalises) continue;
    if (step.in != size) {
      user_error<FileError>(kLoadEncoder, fmt::format("\"{}\" takes {} numbers, and there are {}",
                                                      step.folder.string(), step.in, size));
    }
    size = step.out;
  }
  return size;
}

}  // namespace

TextEncoder::TextEncoder(std::shared_ptr<State> state) : state_(std::move(state)) {}

TextEncoder TextEncoder::load(const fs::path& folder, const TextEncoderOptions& o) {
  const SentenceFiles files = read_sentence_files(folder);
  const EncoderFolder model(files.encoder);
  const EncoderConfig& config = model.config();
  TextEncoderInfo info{.family = config.family,
                       .layers = config.layers,
                       .width = config.width,
                       .size = size_of(files, config.width),
                       .vocabulary = config.vocabulary,
                       .longest = longest_of(files, config, o),
                       .normalises = !files.steps.empty() && files.steps.back().normalises,
                       .prompt = o.prompt.value_or(files.prompt),
                       .prompts = files.prompts,
                       .weight_bytes = model.weight_bytes()};
  if (!info.prompt.empty() && !files.pools_prompt) {
    user_error<ArgumentError>(kLoadEncoder,
                              fmt::format("\"{}\" has a pooling without the prompt, which is "
                                          "not supported",
                                          folder.string()));
  }
  require_memory(kLoadEncoder, folder.string(),
                 std::to_array<MemoryPart>({{"weights in float32", config.bytes()}}), o.memory,
                 "Hint: choose a smaller model.");
  uint64_t done = 0;
  EncoderWeights weights = model.weights(o.device, [&](uint64_t bytes) {
    done += bytes;
    if (o.progress) o.progress(done, std::max(done, info.weight_bytes));
  });
  std::vector<State::Step> steps;
  for (const VectorStep& step : files.steps)
    steps.push_back(
        {step, step.normalises ? std::optional<Projection>() : step_weights(step, o.device)});
  return TextEncoder(
      std::make_shared<State>(State{.info = std::move(info),
                                    .encoder = Encoder(config, std::move(weights), o.device),
                                    .poolings = files.poolings,
                                    .steps = std::move(steps),
                                    .tokenizer = tokenizer_in(files.encoder),
                                    .device = o.device}));
}

const TextEncoderInfo& TextEncoder::info() const { return state_->info; }
const Tokenizer* TextEncoder::tokenizer() const {
  return state_->tokenizer ? &*state_->tokenizer : nullptr;
}

// ---- texts

std::vector<int32_t> TextEncoder::tokens(std::string_view text) const {
  return tokens_within("TextEncoder", tokenizer(), state_->info.prompt + std::string(text),
                       state_->info.longest);
}

void TextEncoder::State::check(std::string_view fn, std::span<const int32_t> tokens,
                               const std::string& name) const {
  check_tokens(fn, tokens, name, info.longest, info.vocabulary);
}

// ---- rows

Tensor TextEncoder::State::vectors(const Tensor& hidden, const Tensor& of,
                                   const Tensor& shares) const {
  Tensor out = pooled(poolings, hidden, of, shares, texts_of(hidden.size(0)));
  for (const Step& step : steps) {
    if (step.what.normalises) {
      out = of_length_one(out);
      continue;
    }
    out = projected(*step.weights, out);
    if (step.what.has_tanh) out = out.tanh();
  }
  return out;
}

// [texts of the row, size]
Tensor TextEncoder::State::embed_row(std::span<const std::vector<int32_t>> texts,
                                     const PackedRow& packed) {
  const int64_t row = row_of(packed, info.longest);
  HostRow host;
  for (const size_t text : packed.texts) host.add(texts[text], encoder.config());
  host.fill_up(row, encoder.config());
  const auto f = [this](const Tensor& x, const Tensor& positions, const Tensor& of,
                        const Tensor& shares) {
    return vectors(encoder({.embedded = x, .positions = positions, .texts = of}), of, shares);
  };
  std::vector<float> shares = pooling_shares(poolings, host.places, texts_of(row), row);
  if (shares.empty()) shares.resize(static_cast<size_t>(row));  // of no sum: read by nothing
  const int64_t sums = std::ssize(shares) / row;
  auto& call = pooled_calls.try_emplace(row, TinyJit<PooledCall>(PooledCall(f))).first->second;
  const Tensor positions = on_device(host.positions);
  return call(encoder.embedded(on_device(host.tokens), positions), positions, on_device(host.texts),
              Tensor(shares, {sums, row}, {.device = device}));
}

Tensor TextEncoder::embed(std::span<const std::string> texts,
                          const std::function<void(int64_t)>& progress) {
  std::vector<std::vector<int32_t>> all;
  all.reserve(texts.size());
  for (const std::string& text : texts) all.push_back(tokens(text));
  return embed_tokens(all, progress);
}

Tensor TextEncoder::embed_tokens(std::span<const std::vector<int32_t>> texts,
                                 const std::function<void(int64_t)>& progress) {
  State& s = *state_;
  for (size_t i = 0; i < texts.size(); ++i) s.check("embed", texts[i], fmt::format("text {}", i));
  const NoGradScope no_gradients;
  const auto of_row = [&](const PackedRow& row) {
    return s.embed_row(texts, row).to_vector<float>();
  };
  return {row_by_row(texts, s.info.size, of_row, progress),
          {std::ssize(texts), s.info.size},
          {.device = s.device}};
}

Tensor TextEncoder::hidden(std::span<const int32_t> tokens) {
  State& s = *state_;
  s.check("hidden", tokens, "the text");
  if (tokens.empty()) user_error<ArgumentError>("hidden", "takes 1 token or more, got 0");
  const int64_t n = std::ssize(tokens), row = row_for(n, s.info.longest);
  HostRow host;
  host.add(tokens, s.encoder.config());
  host.fill_up(row, s.encoder.config());
  const auto f = [&s](const Tensor& x, const Tensor& positions, const Tensor& texts) {
    return s.encoder({.embedded = x, .positions = positions, .texts = texts});
  };
  const NoGradScope no_gradients;
  auto& call = s.hidden_calls.try_emplace(row, TinyJit<State::HiddenCall>(State::HiddenCall(f)))
                   .first->second;
  const Tensor positions = s.on_device(host.positions);
  const Tensor out = call(s.encoder.embedded(s.on_device(host.tokens), positions), positions,
                          s.on_device(host.texts));
  return out[{Slice(0, n)}].contiguous().realize();
}

void TextEncoder::warm_up() {
  constexpr int kCalls = 2;  // the second one records
  const int64_t longest = state_->info.longest;
  const int64_t most = std::min(std::max(longest, kUsualRow), kMostWarm);
  for (int64_t row = kLeastRow;; row = std::min(2 * row, most)) {
    const auto tokens = static_cast<size_t>(std::min(row, longest));
    const std::vector<std::vector<int32_t>> texts(static_cast<size_t>(row) / tokens,
                                                  std::vector<int32_t>(tokens, 0));
    for (int call = 0; call < kCalls; ++call) embed_tokens(texts);
    if (row == most) break;
  }
}

bool is_text_encoder(const fs::path& folder) {
  const auto has_family = [](const fs::path& of_encoder) {
    const nlohmann::json content = json_of_file(kLoadEncoder, of_encoder / "config.json");
    return is_encoder_family(JsonPart(content, "config.json")["model_type"].text());
  };
  std::error_code unknown;
  try {
    return has_family(fs::exists(folder / "config.json", unknown) ? folder
                                                                  : folder_of_encoder(folder));
  } catch (const Error&) {
    return false;
  }
}

}  // namespace tg::models
