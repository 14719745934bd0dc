// Language models: decoders that go on with a text, from the folders that models are published as
// (config.json, safetensors, tokenizer.json) or from GGUF files, whose weights stay quantised in
// memory. Link `tinygrad::models`.
//
//   tg::models::LanguageModel model = tg::models::LanguageModel::load("SmolLM2-135M");
//   std::cout << model.complete("Once upon a time", {.max_tokens = 64});
//
// Fine-tuning, by adapters that are trained while the weights stay as they are:
//
//   model.add_adapter({.rank = 8});
//   tg::nn::AdamW adam(model.adapter_parameters(), {.lr = 2e-4});
//   tg::TrainingScope training;
//   adam.step(model.forward(tokens).flatten(0, 1).cross_entropy(next.flatten()));
//   model.save_adapter("adapter");
//
// Which families there are, and what of a file is refused: docs/language-models.md. Several texts
// at once: text_engine.h.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tg/export.h"
#include "tg/models/grammar.h"
#include "tg/models/tokenizer.h"
#include "tg/tensor.h"

namespace tg::models {

/// Of LanguageModel::load.
struct LanguageModelOptions {
  std::string device = {};  ///< where it computes; empty: the default device
  /// Positions for which keys and values have room; 0: those of the model, at most 4096. More than
  /// the model was made for is an ArgumentError.
  int64_t context = 0;
  /// Tokens of a prompt that are computed at once, 1 to 4096.
  int64_t chunk = 128;
  /// Bytes that weights, keys and values may take; 0: what the system says is free, where it does.
  uint64_t memory = 0;
  /// A folder with an adapter for the model, as of LanguageModel::load_adapter; empty: none.
  std::filesystem::path adapter = {};
  /// Called while weights are read: bytes so far, and of all.
  std::function<void(uint64_t done, uint64_t all)> progress = {};
};

/// What a model is.
struct LanguageModelInfo {
  std::string family;  ///< "llama", "qwen2", …
  int64_t layers = 0;
  int64_t width = 0;          ///< numbers for each position
  int64_t vocabulary = 0;     ///< tokens
  int64_t context = 0;        ///< positions for which there is room
  int64_t longest = 0;        ///< positions that the model was made for
  uint64_t weight_bytes = 0;  ///< of its files
  uint64_t cache_bytes = 0;   ///< of keys and values
};

/// Of LanguageModel::add_adapter, with the meaning and the names of PEFT's LoraConfig.
struct LoraOptions {
  int64_t rank = 8;    ///< of what is added to each weight
  double alpha = 16;   ///< what is added is scaled by alpha / rank
  double dropout = 0;  ///< share of a layer's inputs that is zeroed inside a TrainingScope
  bool rank_stabilised = false;  ///< scaled by alpha / √rank (Kalajdzievski, 2023)
  /// Layers of the decoder, as the published model calls them, or the ends of their names:
  /// "q_proj", "mlp.down_proj", GPT-2's "c_attn". "all-linear": all but experts and the output.
  std::vector<std::string> targets = {"all-linear"};
};

/// Of LanguageModel::generate. Temperature 0 takes the likeliest token and needs no randomness;
/// above it a token is drawn by the softmax of logits / temperature, from what the other options
/// leave.
struct GenerateOptions {
  int64_t max_tokens = 256;
  double temperature = 0;
  int64_t top_k = 0;  ///< of the k likeliest; 0: of all
  double top_p = 1;   ///< of the likeliest that together have this probability
  double min_p = 0;   ///< of those at least this share as likely as the likeliest
  uint64_t seed = 0;  ///< equal seeds give equal texts
  /// Tokens that end the text and are no part of it; none named: those of the model.
  std::optional<std::vector<int32_t>> stop = {};
  /// What the text is to be: no other tokens are taken, not even the likeliest. Stop tokens may
  /// come where the grammar lets the text end. One that is given needs a tokenizer.
  Grammar grammar = {};
  /// Report the log-probability of each token, and those of so many likeliest ones, 0 to 1000.
  std::optional<int64_t> top_logprobs = {};
};

/// Why a text ended. GrammarEnd: nothing may follow. StopText and Cancelled: of a TextEngine only.
enum class StopReason {
  StopToken,
  MaxTokens,
  ContextFull,
  Callback,
  GrammarEnd,
  StopText,
  Cancelled
};

/// A token and the natural logarithm of its probability.
struct TokenLogprob {
  int32_t token = 0;
  double logprob = 0;
};

/// How likely a token of a text was, before temperature, grammar and the like: by the softmax of
/// the logits.
struct TokenLogprobs : TokenLogprob {
  std::vector<TokenLogprob> likeliest;  ///< in order
};

/// What LanguageModel::generate did.
struct Generated {
  std::vector<int32_t> tokens;
  StopReason reason = StopReason::MaxTokens;
  int64_t reused = 0;         ///< tokens of the prompt that were known from the last call
  double prompt_seconds = 0;  ///< for the other tokens of the prompt
  double answer_seconds = 0;  ///< for all tokens after the first
  /// Of each token, if top_logprobs asks for it.
  std::vector<TokenLogprobs> logprobs = {};
};

/// A decoder with its weights, its tokenizer if it has one, and the keys and values of the last
/// text. Copies are names for one model; only one thread at a time may use it.
class TG_API LanguageModel {
 public:
  /// From a folder with config.json and model.safetensors or model.safetensors.index.json, or from
  /// a GGUF file. FileError, naming file and key or tensor, for what is missing, damaged or not
  /// supported; ArgumentError if it needs more memory than there is.
  static LanguageModel load(const std::filesystem::path& path,
                            const LanguageModelOptions& options = {});

  const LanguageModelInfo& info() const;
  /// Null if there is none beside the model, or in it.
  const Tokenizer* tokenizer() const;
  /// Tokens that end an answer, as the model's files say.
  const std::vector<int32_t>& stop_tokens() const;

  /// What the model makes of a text: after each token, the logits of the next. Shape [tokens,
  /// vocabulary], float32. ArgumentError for no tokens, more than the context, or one that is not
  /// in the vocabulary.
  Tensor logits(std::span<const int32_t> tokens);

  /// The logits of whole texts side by side, as a graph that gradients flow through: tokens int32
  /// [texts, length] to float32 [texts, length, vocabulary]. Keys and values are not kept; texts of
  /// different lengths are filled up with any token behind their ends, whose logits are to be left
  /// out of a loss. The model's weights are no parameters; those of its adapter are. ShapeError for
  /// another shape or more than the context.
  Tensor forward(const Tensor& tokens) const;

  /// Gives layers low-rank adapters (Hu et al., 2021, "LoRA"): the product with a weight W [out,
  /// in], which stays as it is, quantised or not, becomes W x + scale · B A x, with A [rank, in]
  /// random and B [out, rank] zero, so that nothing changes yet. They take the place of an adapter
  /// that is there. ArgumentError for options out of range and targets that no layer has.
  void add_adapter(const LoraOptions& options = {});
  /// The same from a folder that PEFT or save_adapter wrote: adapter_config.json and
  /// adapter_model.safetensors. FileError, naming file and key or tensor, for what is missing,
  /// damaged, of another model, or not supported (DoRA, biases, trained embeddings, experts).
  void load_adapter(const std::filesystem::path& folder);
  /// Writes such a folder, which PEFT reads. ArgumentError without an adapter; FileError.
  void save_adapter(const std::filesystem::path& folder) const;
  /// Adds the adapter to the weights, which makes them a little faster to use, and forgets it.
  /// ArgumentError without one, or if weights are quantised.
  void merge_adapter();
  /// A and B of each layer, float32, for an optimiser; empty without an adapter. From here on they
  /// may change at any time, so that generate() computes all of a prompt.
  std::vector<Tensor> adapter_parameters() const;
  /// What the adapter is; its targets are all names of layers. Null without one.
  const LoraOptions* adapter() const;

  /// Goes on with a text. `on_token` gets each token as it comes and ends the text by returning
  /// false. What a prompt has in common with the last text is not computed again. ArgumentError as
  /// for logits, and for options out of range; CancelledError if the program's interrupt hook asks
  /// for it, after which the model can be used as before.
  Generated generate(std::span<const int32_t> prompt, const GenerateOptions& options = {},
                     const std::function<bool(int32_t)>& on_token = {});

  /// The same of texts: the answer alone. `on_text` gets it piece by piece, whole characters, and
  /// ends it by returning false. ArgumentError without a tokenizer.
  std::string complete(std::string_view prompt, const GenerateOptions& options = {},
                       const std::function<bool(std::string_view)>& on_text = {});

 private:
  struct State;
  explicit LanguageModel(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;
};

}  // namespace tg::models
