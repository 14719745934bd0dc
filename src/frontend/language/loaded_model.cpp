// See loaded_model.h.
#include "frontend/language/loaded_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "frontend/language/adapter_files.h"
#include "frontend/language/memory.h"
#include "frontend/language/model_file.h"
#include "support/check.h"

namespace tg::models {
namespace {

constexpr int64_t kUsualContext = 4096, kMostChunk = 4096;

}  // namespace

int64_t usual_context(int64_t wanted, int64_t longest) {
  return wanted > 0 ? wanted : std::min(longest, kUsualContext);
}

LoadedModel load_model(std::string_view fn, const std::filesystem::path& path,
                       const LanguageModelOptions& o, int64_t slots) {
  if (o.chunk < 1 || o.chunk > kMostChunk)
    user_error<ArgumentError>(fn,
                              fmt::format("chunk must be 1 to {}, got {}", kMostChunk, o.chunk));
  std::error_code unknown;
  const bool is_folder = std::filesystem::is_directory(path, unknown);
  const auto file = is_folder ? open_hugging_face(path, o.context) : open_gguf(path, o.context);
  const DecoderConfig& config = file->config();
  if (o.context < 0 || o.context > config.context) {
    user_error<ArgumentError>(fn, fmt::format("context must be 1 to {}, as many positions as the "
                                              "model has, got {}",
                                              config.context, o.context));
  }
  LanguageModelInfo info{.family = config.family,
                         .layers = config.layers,
                         .width = config.width,
                         .vocabulary = config.vocabulary,
                         .context = usual_context(o.context, config.context),
                         .longest = config.context,
                         .weight_bytes = file->weight_bytes()};
  info.cache_bytes = cache_bytes(config, info.context) * static_cast<uint64_t>(slots);
  require_memory(
      "LanguageModel::load", path.string(),
      std::to_array<MemoryPart>(
          {{"weights", info.weight_bytes},
           {fmt::format("keys and values of {} positions", info.context), info.cache_bytes}}),
      o.memory, "Hint: choose a smaller context, or a file of fewer bits for each weight.");
  uint64_t done = 0;
  DecoderWeights weights = file->weights(o.device, [&](uint64_t bytes) {
    done += bytes;
    if (o.progress) o.progress(done, std::max(done, info.weight_bytes));
  });
  Decoder decoder(config, std::move(weights), info.context, o.device, slots);
  const WeightNames names = file->published_names();
  Adapter adapter;
  if (!o.adapter.empty()) {
    adapter = read_adapter(fn, o.adapter, adaptable_layers(decoder, names), o.device);
    attach(adapter);
  }
  return {.info = info,
          .decoder = std::move(decoder),
          .adapter = std::move(adapter),
          .tokenizer = file->tokenizer(),
          .stop_tokens = file->stop_tokens(),
          .device = o.device,
          .chunk = std::min(o.chunk, info.context),
          .path = path.string(),
          .names = names};
}

void check_tokens(std::string_view fn, std::span<const int32_t> tokens,
                  const LanguageModelInfo& info) {
  if (tokens.empty() || static_cast<int64_t>(tokens.size()) > info.context) {
    user_error<ArgumentError>(
        fn, fmt::format("takes 1 to {} tokens, the context, got {}", info.context, tokens.size()));
  }
  for (const int32_t t : tokens) {
    if (t < 0 || t >= info.vocabulary) {
      user_error<ArgumentError>(
          fn, fmt::format("there is no token {}: the vocabulary has {}", t, info.vocabulary));
    }
  }
}

double seconds_now() {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(since).count();
}

}  // namespace tg::models
