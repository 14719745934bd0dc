// See gguf_tokenizer.h. The names of facts and what they mean: https://github.com/ggml-org/ggml,
// docs/gguf.md, and llama-vocab.cpp of llama.cpp.
#include "frontend/tokenizer/gguf_tokenizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>
#include <unordered_map>

#include "frontend/tokenizer/json_part.h"
#include "support/check.h"

namespace tg::models {
namespace {

using nlohmann::json;

constexpr size_t kLongestToken = 1024;  // of which all halves are looked up

// Kinds of tokens, by GGUF's numbers.
constexpr int64_t kUnknown = 2, kControl = 3, kUserDefined = 4;

constexpr std::string_view kGpt2Words =
    "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+";
constexpr std::string_view kLlama3Words =
    "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| "
    "?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";
constexpr std::string_view kQwen2Words =
    "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}| "
    "?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";

// How a text is divided before byte pairs are merged.
struct Division {
  std::string_view name;
  std::string_view words;
  bool single_digits = false;   // each is a piece before that
  bool ignores_merges = false;  // a piece that is a token is that one
  bool begins = false;          // with the token for it, unless the file says otherwise
};

constexpr auto kDivisions = std::to_array<Division>({
    {"command-r", kGpt2Words, true},
    {"gpt-2", kGpt2Words},
    {"llama-bpe", kLlama3Words, false, true, true},
    {"llama-v3", kLlama3Words, false, true, true},
    {"llama3", kLlama3Words, false, true, true},
    {"olmo", kGpt2Words},
    {"phi-2", kGpt2Words},
    {"qwen2", kQwen2Words},
    {"refact", kGpt2Words, true},
    {"smollm", kGpt2Words, true},
    {"starcoder", kGpt2Words, true},
});

class GgufTokenizer {
 public:
  GgufTokenizer(const nn::Facts& facts, const std::string& name) : facts_(facts), name_(name) {
    for (const nn::Fact& f : list("tokens")) tokens_.push_back(text(f, "tokens"));
    if (tokens_.empty() || tokens_.size() >= static_cast<size_t>(kMostTokens))
      fail("tokens", fmt::format("has {} tokens", tokens_.size()));
    for (size_t i = 0; i < tokens_.size(); ++i) vocabulary_[tokens_[i]] = i;
    if (find("token_type") == nullptr) return;
    for (const nn::Fact& f : list("token_type")) types_.push_back(whole(f, "token_type"));
    if (types_.size() != tokens_.size())
      fail("token_type", fmt::format("has {} of {} tokens", types_.size(), tokens_.size()));
  }

  json whole_tokenizer() {
    const std::string& model = text(need("model"), "model");
    json out = model == "gpt2" ? byte_pairs() : model == "llama" ? sentence_pieces() : json();
    if (out.is_null()) fail("model", fmt::format("is a kind that is not supported: \"{}\"", model));
    out["added_tokens"] = added();
    return out;
  }

 private:
  // ---- facts

  [[noreturn]] void fail(std::string_view fact, std::string_view problem) const {
    user_error<FileError>(fmt::format("{}: tokenizer.ggml.{}", name_, fact), problem);
  }

  const nn::Fact* find(std::string_view fact) const {
    const auto found = facts_.find(fmt::format("tokenizer.ggml.{}", fact));
    return found == facts_.end() ? nullptr : &found->second;
  }
  const nn::Fact& need(std::string_view fact) const {
    const nn::Fact* found = find(fact);
    if (found == nullptr) fail(fact, "is missing");
    return *found;
  }
  const nn::Fact::List& list(std::string_view fact) const {
    const auto* out = std::get_if<nn::Fact::List>(&need(fact).value);
    if (out == nullptr) fail(fact, "is no list");
    return *out;
  }
  const std::string& text(const nn::Fact& f, std::string_view fact) const {
    const auto* out = std::get_if<std::string>(&f.value);
    if (out == nullptr) fail(fact, "is no text");
    return *out;
  }
  int64_t whole(const nn::Fact& f, std::string_view fact) const {
    const auto* out = std::get_if<int64_t>(&f.value);
    if (out == nullptr) fail(fact, "is no whole number");
    return *out;
  }
  bool flag_or(std::string_view fact, bool otherwise) const {
    const nn::Fact* found = find(fact);
    if (found == nullptr) return otherwise;
    const auto* out = std::get_if<bool>(&found->value);
    if (out == nullptr) fail(fact, "is neither true nor false");
    return *out;
  }
  size_t token(std::string_view fact) const {
    const int64_t id = whole(need(fact), fact);
    if (id < 0 || id >= static_cast<int64_t>(tokens_.size()))
      fail(fact, fmt::format("is no token: {}", id));
    return static_cast<size_t>(id);
  }

  // ---- parts of the description

  // Tokens that are found in a text as they stand.
  json added() const {
    json out = json::array();
    for (size_t i = 0; i < types_.size(); ++i) {
      if (types_[i] != kControl && types_[i] != kUserDefined && types_[i] != kUnknown) continue;
      out.push_back({{"id", i},
                     {"content", tokens_[i]},
                     {"single_word", false},
                     {"lstrip", false},
                     {"rstrip", false},
                     {"normalized", false},
                     {"special", types_[i] != kUserDefined}});
    }
    return out;
  }

  // The tokens at the ends of a text.
  json ends(bool begins) const {
    json parts = json::array(), ids = json::object();
    const auto add = [&](std::string_view fact) {
      const size_t id = token(fact);
      parts.push_back({{"SpecialToken", {{"id", tokens_[id]}}}});
      ids[tokens_[id]] = {{"ids", {id}}};
    };
    if (flag_or("add_bos_token", begins)) add("bos_token_id");
    parts.push_back({{"Sequence", {{"id", "A"}}}});
    if (flag_or("add_eos_token", false)) add("eos_token_id");
    return {{"type", "TemplateProcessing"}, {"single", parts}, {"special_tokens", ids}};
  }

  json byte_pairs() const {
    const std::string& name = text(need("pre"), "pre");
    const auto found = std::ranges::find(kDivisions, name, &Division::name);
    if (found == kDivisions.end())
      fail("pre", fmt::format("is a way to divide texts that is not known: \"{}\"", name));
    json merges = json::array();
    for (const nn::Fact& f : list("merges")) merges.push_back(text(f, "merges"));
    const auto split = [](std::string_view regex) {
      return json{{"type", "Split"}, {"pattern", {{"Regex", regex}}}, {"behavior", "Isolated"}};
    };
    json steps = json::array();
    if (found->single_digits) steps.push_back({{"type", "Digits"}, {"individual_digits", true}});
    steps.push_back(split(found->words));
    steps.push_back({{"type", "ByteLevel"}, {"add_prefix_space", false}, {"use_regex", false}});
    return {{"model",
             {{"type", "BPE"},
              {"vocab", vocabulary_},
              {"merges", merges},
              {"ignore_merges", found->ignores_merges}}},
            {"pre_tokenizer", {{"type", "Sequence"}, {"pretokenizers", steps}}},
            {"post_processor", ends(found->begins)},
            {"decoder", {{"type", "ByteLevel"}}}};
  }

  json sentence_pieces() const {
    const bool prefix = flag_or("add_space_prefix", true);
    const json space = {{"type", "Replace"}, {"pattern", {{"String", " "}}}, {"content", "\u2581"}};
    json before = json::array(), after = json::array();
    if (prefix) before.push_back({{"type", "Prepend"}, {"prepend", "\u2581"}});
    before.push_back(space);
    after.push_back({{"type", "Replace"}, {"pattern", {{"String", "\u2581"}}}, {"content", " "}});
    after.push_back({{"type", "ByteFallback"}});
    after.push_back({{"type", "Fuse"}});
    if (prefix) after.push_back({{"type", "Strip"}, {"content", " "}, {"start", 1}, {"stop", 0}});
    json model = {{"type", "BPE"},
                  {"vocab", vocabulary_},
                  {"merges", merges_by_score()},
                  {"fuse_unk", true},
                  {"byte_fallback", true}};
    if (find("unknown_token_id") != nullptr)
      model["unk_token"] = tokens_[token("unknown_token_id")];
    return {{"model", model},
            {"normalizer", {{"type", "Sequence"}, {"normalizers", before}}},
            {"post_processor", ends(true)},
            {"decoder", {{"type", "Sequence"}, {"decoders", after}}}};
  }

  // SentencePiece joins the two neighbours whose join has the highest score: all ways to make a
  // token of two others, the best token first.
  json merges_by_score() const {
    std::vector<double> scores;
    for (const nn::Fact& f : list("scores")) {
      if (!std::holds_alternative<double>(f.value) && !std::holds_alternative<int64_t>(f.value))
        fail("scores", "has what is no number");
      scores.push_back(f.as_float());
    }
    if (scores.size() != tokens_.size())
      fail("scores", fmt::format("has {} of {} tokens", scores.size(), tokens_.size()));
    std::unordered_map<std::string_view, size_t> ids;
    for (size_t i = 0; i < tokens_.size(); ++i) ids[tokens_[i]] = i;
    std::vector<std::tuple<double, size_t, size_t, std::string_view, std::string_view>> found;
    for (size_t i = 0; i < tokens_.size(); ++i) {
      const std::string_view whole = tokens_[i];
      if (whole.size() > kLongestToken) continue;
      for (size_t at = 1; at < whole.size(); ++at) {
        const auto left = ids.find(whole.substr(0, at)), right = ids.find(whole.substr(at));
        if (left != ids.end() && right != ids.end())
          found.emplace_back(-scores[i], left->second, right->second, left->first, right->first);
      }
    }
    std::ranges::sort(found);
    json out = json::array();
    for (const auto& [score, l, r, left, right] : found) out.push_back({left, right});
    return out;
  }

  const nn::Facts& facts_;
  const std::string& name_;
  std::vector<std::string> tokens_;
  std::vector<int64_t> types_;
  json vocabulary_ = json::object();
};

}  // namespace

json gguf_tokenizer(const nn::Facts& facts, const std::string& name) {
  return GgufTokenizer(facts, name).whole_tokenizer();
}

}  // namespace tg::models
