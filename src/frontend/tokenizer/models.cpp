// The simpler models: whole words, and the longest known parts of words. See pipeline.h; byte pairs
// are in bpe.cpp, SentencePiece's unigrams in unigram.cpp.
#include <fmt/format.h>

#include "frontend/tokenizer/pipeline.h"
#include "support/check.h"

namespace tg::models {
namespace {

Vocabulary read_words(const JsonPart& part) {
  Vocabulary out;
  if (!part.content().is_object()) part.fail("is no object");
  for (const auto& [text, id] : part.content().items())
    out.add(text, JsonPart(id, fmt::format("{}[\"{}\"]", part.place(), text)).token_id());
  return out;
}

int32_t unknown_of(const Vocabulary& words, const JsonPart& part) {
  const auto id = words.find(part.text());
  if (!id) part.fail(fmt::format("is no token of the vocabulary: \"{}\"", part.text()));
  return *id;
}

class WordLevel final : public TokenModel {
 public:
  explicit WordLevel(const JsonPart& part)
      : words_(read_words(part["vocab"])), unknown_(words_.find(part["unk_token"].text())) {}

  void encode(std::string_view piece, std::vector<int32_t>& ids) const override {
    const auto id = words_.find(piece);
    if (!id && !unknown_)
      user_error<ArgumentError>("encode", fmt::format("the vocabulary has no \"{}\"", piece));
    ids.push_back(id ? *id : *unknown_);
  }
  const Vocabulary& vocabulary() const override { return words_; }

 private:
  Vocabulary words_;
  std::optional<int32_t> unknown_;
};

// From the left, the longest part that is a token; a word with a part that is none is unknown as a
// whole. Wu et al. 2016, https://arxiv.org/abs/1609.08144, as BERT has it.
class WordPiece final : public TokenModel {
 public:
  explicit WordPiece(const JsonPart& part)
      : words_(read_words(part["vocab"])),
        unknown_(unknown_of(words_, part["unk_token"])),
        prefix_(part["continuing_subword_prefix"].text_or("##")) {
    const JsonPart most = part["max_input_chars_per_word"];
    if (!most.is_null()) most_letters_ = most.number();
  }

  void encode(std::string_view piece, std::vector<int32_t>& ids) const override {
    std::vector<size_t> ends;  // of code points
    for (size_t at = 0; at < piece.size();) {
      next_code_point(piece, at);
      ends.push_back(at);
    }
    const size_t before = ids.size();
    if (static_cast<double>(ends.size()) > most_letters_ || !encode_parts(piece, ends, ids)) {
      ids.resize(before);
      ids.push_back(unknown_);
    }
  }
  const Vocabulary& vocabulary() const override { return words_; }

 private:
  bool encode_parts(std::string_view word, const std::vector<size_t>& ends,
                    std::vector<int32_t>& ids) const {
    std::string part;
    for (size_t first = 0; first < ends.size();) {
      const size_t begin = first == 0 ? 0 : ends[first - 1];
      size_t last = ends.size();
      std::optional<int32_t> id;
      for (; last > first && !id; --last) {
        part = begin == 0 ? "" : prefix_;
        part += word.substr(begin, ends[last - 1] - begin);
        id = words_.find(part);
      }
      if (!id) return false;
      ids.push_back(*id);
      first = last + 1;
    }
    return true;
  }

  Vocabulary words_;
  int32_t unknown_;
  std::string prefix_;
  double most_letters_ = 100;
};

}  // namespace

// Files of early versions name no kind.
std::unique_ptr<TokenModel> read_model(const JsonPart& part) {
  const std::string type = part["type"].text_or(part["merges"].is_null() ? "WordPiece" : "BPE");
  if (type == "BPE") return read_bpe(part);
  if (type == "ScoredBPE") return read_scored_bpe(part);
  if (type == "Unigram") return read_unigram(part);
  if (type == "WordPiece") return std::make_unique<WordPiece>(part);
  if (type == "WordLevel") return std::make_unique<WordLevel>(part);
  part.fail(fmt::format("is a model of the unknown kind \"{}\"", type));
}

}  // namespace tg::models
