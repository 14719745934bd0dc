// A language model at work: chunks of a prompt and single tokens as two recorded calls, the text
// that keys and values are kept of, and generation. The graph: decoder.h; loading:
// loaded_model.h; several texts at once: text_engine.cpp; adapters: adapter.h.
#include "tg/models/language_model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "frontend/language/adapter_files.h"
#include "frontend/language/loaded_model.h"
#include "frontend/language/text_stream.h"
#include "frontend/language/token_choice.h"
#include "support/check.h"
#include "tg/autograd.h"
#include "tg/jit.h"

namespace tg::models {
namespace {

// Embedded tokens [chunk or 1, width], where they begin, how many of them count.
using Call = std::function<Tensor(const Tensor&, const SymInt&, const SymInt&)>;

void require_adapter(std::string_view fn, const Adapter& adapter) {
  if (adapter.layers.empty())
    user_error<ArgumentError>(fn, "the model has no adapter",
                              "Hint: give it one by add_adapter or load_adapter.");
}

}  // namespace

struct LanguageModel::State {
  LanguageModelInfo info;
  Decoder decoder;
  Adapter adapter;
  std::string path;
  WeightNames names;
  std::optional<Tokenizer> tokenizer;
  std::vector<int32_t> stop;
  std::string device;
  int64_t chunk;
  Variable begin, count;
  // The last position's logits [vocabulary] after a chunk, after one token, and those of all.
  TinyJit<Call> after_chunk, after_token, after_each;
  std::vector<int32_t> seen;  // the text that keys and values are kept of
  bool may_learn = false;     // its parameters are known outside: keys and values may be outdated
  IndexForGrammars index;

  explicit State(LoadedModel model)
      : info(std::move(model.info)),
        decoder(std::move(model.decoder)),
        adapter(std::move(model.adapter)),
        path(std::move(model.path)),
        names(model.names),
        tokenizer(std::move(model.tokenizer)),
        stop(std::move(model.stop_tokens)),
        device(std::move(model.device)),
        chunk(model.chunk),
        begin("begin", 0, info.context - 1),
        count("count", 1, chunk),
        after_chunk([this](const Tensor& x, const SymInt& at, const SymInt& n) {
          return decoder.logits(decoder(x, at, n)[{n - 1}]);
        }),
        after_token([this](const Tensor& x, const SymInt& at, const SymInt&) {
          return decoder.logits(decoder(x, at, 1)[{0}]);
        }),
        after_each([this](const Tensor& x, const SymInt& at, const SymInt& n) {
          return decoder.logits(decoder(x, at, n));
        }) {}

  std::vector<float> call(TinyJit<Call>& f, std::span<const int32_t> tokens);
  std::vector<float> read(std::span<const int32_t> tokens);
  void change_adapter(Adapter next);
};

// Computes the tokens behind those that were seen. They count as seen only when that is done: the
// call may be stopped.
std::vector<float> LanguageModel::State::call(TinyJit<Call>& f, std::span<const int32_t> tokens) {
  std::vector<int32_t> padded(tokens.begin(), tokens.end());
  if (&f != &after_token) padded.resize(static_cast<size_t>(chunk), 0);
  const Tensor in(padded, TensorOptions{.device = device});
  const NoGradScope no_gradients;
  const Tensor out = f(decoder.embedded(in), begin.bind(static_cast<int64_t>(seen.size())),
                       count.bind(static_cast<int64_t>(tokens.size())));
  std::vector<float> logits = out.to_vector<float>();
  seen.insert(seen.end(), tokens.begin(), tokens.end());
  return logits;
}

// The logits after the last of the tokens.
std::vector<float> LanguageModel::State::read(std::span<const int32_t> tokens) {
  std::vector<float> logits;
  while (!tokens.empty()) {
    const size_t n = std::min(tokens.size(), static_cast<size_t>(chunk));
    logits = call(n == 1 ? after_token : after_chunk, tokens.first(n));
    tokens = tokens.subspan(n);
  }
  return logits;
}

// What was recorded and computed is of the adapter before.
void LanguageModel::State::change_adapter(Adapter next) {
  detach(adapter);
  adapter = std::move(next);
  attach(adapter);
  for (TinyJit<Call>* call : {&after_chunk, &after_token, &after_each}) call->reset();
  seen.clear();
}

LanguageModel::LanguageModel(std::shared_ptr<State> state) : state_(std::move(state)) {}

LanguageModel LanguageModel::load(const std::filesystem::path& path,
                                  const LanguageModelOptions& options) {
  constexpr int64_t kTexts = 1;
  return LanguageModel(
      std::make_shared<State>(load_model("LanguageModel::load", path, options, kTexts)));
}

const LanguageModelInfo& LanguageModel::info() const { return state_->info; }
const Tokenizer* LanguageModel::tokenizer() const {
  return state_->tokenizer ? &*state_->tokenizer : nullptr;
}
const std::vector<int32_t>& LanguageModel::stop_tokens() const { return state_->stop; }

Tensor LanguageModel::logits(std::span<const int32_t> tokens) {
  State& s = *state_;
  check_tokens("logits", tokens, s.info);
  s.seen.clear();
  std::vector<float> all;
  for (std::span<const int32_t> rest = tokens; !rest.empty();) {
    const size_t n = std::min(rest.size(), static_cast<size_t>(s.chunk));
    const std::vector<float> some = s.call(s.after_each, rest.first(n));
    all.insert(all.end(), some.begin(), some.end());
    rest = rest.subspan(n);
  }
  return {all, {static_cast<int64_t>(tokens.size()), s.info.vocabulary}, {.device = s.device}};
}

Tensor LanguageModel::forward(const Tensor& tokens) const {
  const State& s = *state_;
  if (tokens.ndim() != 2 || tokens.size(0) < 1 || tokens.size(1) < 1 ||
      tokens.size(1) > s.info.context) {
    user_error<ShapeError>("forward",
                           fmt::format("takes tokens [texts, length] of 1 to {} positions, the "
                                       "context, got [{}]",
                                       s.info.context, fmt::join(tokens.shape(), ", ")));
  }
  return s.decoder.logits(s.decoder.texts(s.decoder.embedded(tokens)));
}

void LanguageModel::add_adapter(const LoraOptions& options) {
  State& s = *state_;
  s.change_adapter(
      new_adapter("add_adapter", adaptable_layers(s.decoder, s.names), options, s.device));
}

void LanguageModel::load_adapter(const std::filesystem::path& folder) {
  State& s = *state_;
  s.change_adapter(
      read_adapter("load_adapter", folder, adaptable_layers(s.decoder, s.names), s.device));
}

void LanguageModel::save_adapter(const std::filesystem::path& folder) const {
  State& s = *state_;
  require_adapter("save_adapter", s.adapter);
  write_adapter("save_adapter", folder, s.adapter,
                {.path = s.path,
                 .layers = adaptable_layers(s.decoder, s.names),
                 .has_experts = s.decoder.config().experts.count > 0,
                 .is_transposed = s.names.is_transposed});
}

void LanguageModel::merge_adapter() {
  State& s = *state_;
  require_adapter("merge_adapter", s.adapter);
  merge("merge_adapter", s.adapter);
  s.change_adapter({});
}

std::vector<Tensor> LanguageModel::adapter_parameters() const {
  std::vector<Tensor> out;
  state_->may_learn = true;
  for (const Adapter::Layer& l : state_->adapter.layers) out.insert(out.end(), {l.a, l.b});
  return out;
}

const LoraOptions* LanguageModel::adapter() const {
  return state_->adapter.layers.empty() ? nullptr : &state_->adapter.options;
}

Generated LanguageModel::generate(std::span<const int32_t> prompt, const GenerateOptions& o,
                                  const std::function<bool(int32_t)>& on_token) {
  State& s = *state_;
  check_tokens("generate", prompt, s.info);
  const std::vector<int32_t>& stop = o.stop ? *o.stop : s.stop;
  TokenChoice choice(o, stop, s.index.of("generate", o, tokenizer()));
  if (s.may_learn) s.seen.clear();
  // The last token is computed in any case: its successor is asked for.
  const auto known = std::ranges::mismatch(s.seen, prompt.first(prompt.size() - 1)).in1;
  s.seen.erase(known, s.seen.end());
  Generated out{.reused = static_cast<int64_t>(s.seen.size())};
  const double start = seconds_now();
  std::vector<float> logits = s.read(prompt.subspan(s.seen.size()));
  const double first = seconds_now();
  out.prompt_seconds = first - start;
  const TextEnd end{[&] { return std::ssize(s.seen) == s.info.context; },
                    [&](int32_t token) {
                      return s.call(s.after_token, {&token, 1});
                    }};
  go_on(end, std::move(logits), choice, o, stop, on_token, out);
  out.answer_seconds = seconds_now() - first;
  return out;
}

std::string LanguageModel::complete(std::string_view prompt, const GenerateOptions& options,
                                    const std::function<bool(std::string_view)>& on_text) {
  const Tokenizer* t = tokenizer();
  if (t == nullptr) {
    user_error<ArgumentError>("complete", "the model has no tokenizer",
                              "Hint: put its tokenizer.json beside it.");
  }
  TextStream text(*t);
  const auto hear = [&](const std::string& piece) {
    return piece.empty() || !on_text || on_text(piece);
  };
  generate(t->encode(prompt), options, [&](int32_t token) { return hear(text.add(token)); });
  hear(text.finish());
  return text.all();
}

}  // namespace tg::models
