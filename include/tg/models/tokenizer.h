// Text to the numbers that language models read, and back, by the tokenizer.json that models are
// published with. Not the models: they are functions of such numbers.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tg/export.h"
#include "tg/files.h"

namespace tg::models {

class JsonPart;

/// A tokenizer as the library `tokenizers` writes it: byte-pair encoding (GPT-2, Llama, Qwen, …),
/// WordPiece (BERT), unigrams (T5, XLM-R) or whole words, with their normalizers, pre-tokenizers,
/// post-processors and decoders. Immutable; a copy shares everything; any thread may use one.
///
/// Truncation and padding that a file asks for are left to the caller, as are pairs of texts.
///
///     tg::models::Tokenizer t = tg::models::Tokenizer::load("tokenizer.json");
///     std::vector<int32_t> ids = t.encode("Hello there!");
///     std::string text = t.decode(ids);
class TG_API Tokenizer {
 public:
  /// From a file, whose form is told by its content and name, or from that of a folder: its
  /// tokenizer.json, or else one of the other forms in the order of docs/tokenizers.md. What such
  /// files leave out is read in the files beside them (tokenizer_config.json and so on). `encoding`
  /// is for tiktoken's: "cl100k_base", "llama3" and so on; if empty, the model's class tells, or
  /// the number of tokens. Throws FileError, which names the place in the file, for one that is
  /// missing, wrong, or asks for a step of an unknown kind; ArgumentError for an unknown encoding.
  static Tokenizer load(const std::filesystem::path& file_or_folder,
                        std::string_view encoding = {});

  /// From the content of such a file, without others beside it; messages call it `name`.
  static Tokenizer parse(std::string_view content, const std::string& name = "tokenizer.json",
                         std::string_view encoding = {});

  /// From the facts of a GGUF file, which messages call `name`: byte pairs as GPT-2's, Llama 3's or
  /// Qwen's, or SentencePiece's of Llama 2 and Gemma. Throws FileError, which names the fact, for one
  /// that is missing, wrong, or says that words are divided in a way that is not known.
  static Tokenizer from_facts(const nn::Facts& facts, const std::string& name = "GGUF");

  /// The tokens of `text`; what is no UTF-8 counts as U+FFFD. With `special_tokens` those that the
  /// tokenizer adds at the ends of a text ([CLS], <s>); such tokens that stand in the text itself
  /// are found in any case. Throws ArgumentError for text that the vocabulary lacks and has no
  /// token for, and for more than 256 MiB of text, given or after a step.
  std::vector<int32_t> encode(std::string_view text, bool special_tokens = true) const;

  /// The text of `ids`, without special tokens unless `special_tokens`. Bytes that are no UTF-8
  /// become U+FFFD: decode a stream from its beginning again, and wait where that is its last
  /// character. Numbers of no token are left out.
  std::string decode(std::span<const int32_t> ids, bool special_tokens = false) const;

  /// The number of a token, if there is one of exactly this text (in the vocabulary's spelling, where
  /// a space may be "Ġ" or "▁").
  std::optional<int32_t> id_of(std::string_view token) const;
  /// The token of a number, if there is one.
  std::optional<std::string> token_of(int32_t id) const;
  /// The bytes that a token adds to the text of those before it, which may be a part of a character
  /// only; `is_first`: that it begins a text with. None for a special token and for none at all.
  std::optional<std::string> bytes_of(int32_t id, bool is_first = false) const;
  /// One more than the largest number: rows of an embedding.
  int32_t vocabulary_size() const;

 private:
  struct Parts;
  explicit Tokenizer(std::shared_ptr<const Parts> parts);
  static std::shared_ptr<const Parts> read(const JsonPart& whole);
  std::shared_ptr<const Parts> parts_;
};

}  // namespace tg::models
