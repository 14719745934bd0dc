// See word_files.h.
#include "frontend/tokenizer/word_files.h"

#include <fmt/format.h>

#include <algorithm>

#include "frontend/tokenizer/lines.h"
#include "frontend/tokenizer/unicode.h"
#include "support/check.h"

namespace tg::models {
namespace {

using nlohmann::json;

constexpr std::string_view kEndOfText = "<|endoftext|>";
constexpr std::string_view kClipWords =
    R"('s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+)";
constexpr std::string_view kQwen2Pieces =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*)"
    R"(|\s*[\r\n]+|\s+(?!\S)|\s+)";

json split_at(std::string_view regex, std::string_view behavior, bool inverted) {
  return {{"type", "Split"},
          {"pattern", {{"Regex", regex}}},
          {"behavior", behavior},
          {"invert", inverted}};
}

json byte_level(bool prefixes, bool divides) {
  return {{"type", "ByteLevel"}, {"add_prefix_space", prefixes}, {"use_regex", divides}};
}

// A vocabulary and the files beside it, with what the readers of both forms ask.
class WordFiles {
 public:
  WordFiles(json vocabulary, const SideSettings& settings, const std::string& name)
      : vocabulary_(std::move(vocabulary)), settings_(settings), name_(name) {}

  [[noreturn]] void fail(std::string_view problem) const { user_error<FileError>(name_, problem); }

  std::optional<int32_t> find(std::string_view text) const {
    const auto found = vocabulary_.find(text);
    if (found == vocabulary_.end()) return {};
    return JsonPart(*found, fmt::format("{}[\"{}\"]", name_, text)).token_id();
  }

  // The added tokens, by the special ones that the class has.
  json added(const json& defaults) const {
    return settings_.added_tokens(defaults, [&](std::string_view text) { return find(text); });
  }

  // A special token by its name, and its number.
  NumberedToken token(const char* role, const json& defaults, const json& added) const {
    const std::string text = settings_.token(
        role, defaults.at(role).is_string() ? defaults.at(role).get<std::string>()
                                            : defaults.at(role)["content"].get<std::string>());
    for (const json& t : added)
      if (t["content"] == text) return {text, t["id"].get<int32_t>()};
    fail(fmt::format("lacks the token \"{}\", which is its {}", text, role));
  }

  // The post-processor that puts two special tokens at the ends of a text.
  json between(const char* begin, const char* end, const json& defaults, const json& added) const {
    const NumberedToken first = token(begin, defaults, added), last = token(end, defaults, added);
    return between_tokens({first}, {last});
  }

  const json& vocabulary() const { return vocabulary_; }

 private:
  json vocabulary_;
  const SideSettings& settings_;
  const std::string& name_;
};

json vocabulary_of_lines(std::string_view content, const std::string& name) {
  json out = json::object();
  int32_t id = 0;
  for (const std::string_view line : lines_of(content)) {
    if (id >= kMostTokens)
      user_error<FileError>(name, fmt::format("has more than {} lines", kMostTokens));
    if (valid_text(line) != line)
      user_error<FileError>(fmt::format("{}: line {}", name, id + 1), "is no UTF-8");
    out[std::string(line)] = id++;  // of two lines with one token the later counts
  }
  return out;
}

// Lines of two tokens; a line of the version comes first.
json pairs_of_lines(std::string_view content, const std::string& name) {
  json out = json::array();
  size_t number = 0;
  for (const std::string_view line : lines_of(content)) {
    ++number;
    if (line.empty() || (number == 1 && line.starts_with("#version"))) continue;
    const size_t space = line.find(' ');
    if (space == std::string_view::npos || line.find(' ', space + 1) != std::string_view::npos ||
        valid_text(line) != line)
      user_error<FileError>(fmt::format("{}: line {}", name, number), "is no pair of tokens");
    out.push_back({line.substr(0, space), line.substr(space + 1)});
  }
  return out;
}

// The steps of one of the classes.
struct Steps {
  json normalizer, pre_tokenizer, post_processor, added;
  std::string unknown, suffix;
};

json mask_token() { return {{"content", "<mask>"}, {"lstrip", true}, {"normalized", false}}; }

Steps gpt2_steps(const WordFiles& files, const SideSettings& settings) {
  const json names = {
      {"bos_token", kEndOfText}, {"eos_token", kEndOfText}, {"unk_token", kEndOfText}};
  Steps out;
  out.added = files.added(names);
  out.pre_tokenizer = byte_level(settings.flag_or("add_prefix_space", false), true);
  if (settings.flag_or("add_bos_token", false))
    out.post_processor = between_tokens({files.token("bos_token", names, out.added)}, {});
  return out;
}

Steps roberta_steps(const WordFiles& files, const SideSettings& settings) {
  const json names = {{"bos_token", "<s>"},        {"eos_token", "</s>"},  {"sep_token", "</s>"},
                      {"cls_token", "<s>"},        {"unk_token", "<unk>"}, {"pad_token", "<pad>"},
                      {"mask_token", mask_token()}};
  Steps out;
  out.added = files.added(names);
  out.pre_tokenizer = byte_level(settings.flag_or("add_prefix_space", false), true);
  out.post_processor = files.between("cls_token", "sep_token", names, out.added);
  return out;
}

Steps whisper_steps(const WordFiles& files, const SideSettings& settings) {
  const json names = {
      {"bos_token", kEndOfText}, {"eos_token", kEndOfText}, {"unk_token", kEndOfText}};
  Steps out;
  out.added = files.added(names);
  out.pre_tokenizer = byte_level(settings.flag_or("add_prefix_space", false), true);
  std::vector<NumberedToken> before;
  for (const std::string_view text : {"<|startoftranscript|>", "<|notimestamps|>"})
    for (const json& t : out.added)
      if (t["content"] == text) before.emplace_back(text, t["id"].get<int32_t>());
  out.post_processor = between_tokens(before, {files.token("eos_token", names, out.added)});
  return out;
}

Steps qwen2_steps(const WordFiles& files, const SideSettings& settings) {
  Steps out;
  out.added = files.added(
      {{"eos_token", kEndOfText}, {"pad_token", kEndOfText}, {"unk_token", kEndOfText}});
  out.normalizer = {{"type", "NFC"}};
  const json steps = {split_at(kQwen2Pieces, "Isolated", false),
                      byte_level(settings.flag_or("add_prefix_space", false), false)};
  out.pre_tokenizer = {{"type", "Sequence"}, {"pretokenizers", steps}};
  return out;
}

Steps clip_steps(const WordFiles& files) {
  const json names = {{"bos_token", "<|startoftext|>"},
                      {"eos_token", kEndOfText},
                      {"unk_token", kEndOfText},
                      {"pad_token", kEndOfText}};
  Steps out;
  out.added = files.added(names);
  const json space = {{"type", "Replace"}, {"pattern", {{"Regex", "\\s+"}}}, {"content", " "}};
  out.normalizer = {{"type", "Sequence"},
                    {"normalizers", {{{"type", "NFC"}}, space, {{"type", "Lowercase"}}}}};
  out.pre_tokenizer = {
      {"type", "Sequence"},
      {"pretokenizers", {split_at(kClipWords, "Removed", true), byte_level(false, true)}}};
  out.post_processor = files.between("bos_token", "eos_token", names, out.added);
  out.unknown = files.token("unk_token", names, out.added).first;
  out.suffix = "</w>";
  return out;
}

// The end of a word becomes a space, except the text's last.
json decoder_of(const std::string& suffix) {
  const json space = {{"type", "Replace"}, {"pattern", {{"String", suffix}}}, {"content", " "}};
  const json strip = {{"type", "Strip"}, {"content", " "}, {"start", 0}, {"stop", 1}};
  return {{"type", "Sequence"}, {"decoders", {{{"type", "ByteLevel"}}, space, strip}}};
}

// The class by the files beside it, or else by the tokens: most of CLIP's end with </w>.
std::string class_of(const WordFiles& files, const SideSettings& settings) {
  std::string name = settings.tokenizer_class();
  if (!name.empty()) return name;
  if (files.find("a</w>")) return "CLIP";
  return files.find("<s>") && files.find("</s>") ? "Roberta" : "GPT2";
}

Steps steps_of(const WordFiles& files, const SideSettings& settings) {
  const std::string name = class_of(files, settings);
  if (name == "CLIP") return clip_steps(files);
  if (name == "Qwen2") return qwen2_steps(files, settings);
  if (name == "Roberta" || name == "Bart" || name == "Longformer" || name == "LED")
    return roberta_steps(files, settings);
  if (name == "Whisper") return whisper_steps(files, settings);
  if (name == "GPT2" || name == "GPTNeoX" || name == "CodeGen") return gpt2_steps(files, settings);
  files.fail(fmt::format("is of a class that is not known: \"{}\"", name));
}

}  // namespace

json word_piece_tokenizer(std::string_view content, const SideSettings& settings,
                          const std::string& name) {
  const WordFiles files(vocabulary_of_lines(content, name), settings, name);
  const json names =
      settings.tokenizer_class() == "MPNet"
          ? json{{"bos_token", "<s>"},        {"eos_token", "</s>"},  {"cls_token", "<s>"},
                 {"sep_token", "</s>"},       {"unk_token", "[UNK]"}, {"pad_token", "<pad>"},
                 {"mask_token", mask_token()}}
          : json{{"unk_token", "[UNK]"},
                 {"sep_token", "[SEP]"},
                 {"pad_token", "[PAD]"},
                 {"cls_token", "[CLS]"},
                 {"mask_token", "[MASK]"}};
  const json added = files.added(names);
  const bool lowers = settings.flag_or("do_lower_case", true);
  json normalizer = {{"type", "BertNormalizer"},
                     {"handle_chinese_chars", settings.flag_or("tokenize_chinese_chars", true)},
                     {"lowercase", lowers},
                     {"strip_accents", settings.flag_or("strip_accents", lowers)}};
  return {{"added_tokens", added},
          {"normalizer", normalizer},
          {"pre_tokenizer", {{"type", "BertPreTokenizer"}}},
          {"model",
           {{"type", "WordPiece"},
            {"vocab", files.vocabulary()},
            {"unk_token", files.token("unk_token", names, added).first}}},
          {"post_processor", files.between("cls_token", "sep_token", names, added)},
          {"decoder", {{"type", "WordPiece"}}}};
}

json byte_pair_tokenizer(std::string_view vocabulary, const std::string& name,
                         std::string_view merges, const std::string& merges_name,
                         const SideSettings& settings) {
  json words = parse_json(vocabulary, name);
  if (!words.is_object()) JsonPart(words, name).fail("is no object");
  const WordFiles files(std::move(words), settings, name);
  const Steps steps = steps_of(files, settings);
  json model = {{"type", "BPE"},
                {"vocab", files.vocabulary()},
                {"merges", pairs_of_lines(merges, merges_name)},
                {"end_of_word_suffix", steps.suffix}};
  if (!steps.unknown.empty()) model["unk_token"] = steps.unknown;
  return {
      {"added_tokens", steps.added},
      {"normalizer", steps.normalizer},
      {"pre_tokenizer", steps.pre_tokenizer},
      {"model", model},
      {"post_processor", steps.post_processor},
      {"decoder", steps.suffix.empty() ? json{{"type", "ByteLevel"}} : decoder_of(steps.suffix)}};
}

}  // namespace tg::models
