// A tokenizer as a whole: the steps of pipeline.h in their order, with added tokens before them.
#include "tg/models/tokenizer.h"

#include <fmt/format.h>

#include "frontend/tokenizer/added_tokens.h"
#include "frontend/tokenizer/gguf_tokenizer.h"
#include "frontend/tokenizer/tokenizer_files.h"

namespace tg::models {

struct Tokenizer::Parts {
  Normalizer normalise;
  PreTokenizer divide;
  std::unique_ptr<TokenModel> model;
  PostProcessor finish;
  Decoder decode;
  TokenBytes bytes;
  AddedTokens added;
  Vocabulary added_words;

  void encode_plain(std::string text, bool at_start, std::vector<int32_t>& ids) const {
    for (const Piece& p : divide({{std::move(text), at_start}})) model->encode(p.text, ids);
  }

  std::vector<int32_t> encode(const std::string& text) const {
    std::vector<int32_t> ids;
    for (const FoundPart& raw : added.in_raw(text)) {
      if (raw.id) {
        ids.push_back(*raw.id);
        continue;
      }
      const std::string normal =
          normalise(text.substr(raw.span.begin, raw.span.end - raw.span.begin));
      for (const FoundPart& part : added.in_normalised(normal)) {
        if (part.id) {
          ids.push_back(*part.id);
        } else {
          const bool at_start = raw.span.begin == 0 && part.span.begin == 0;
          encode_plain(normal.substr(part.span.begin, part.span.end - part.span.begin), at_start,
                       ids);
        }
      }
    }
    return ids;
  }

  const std::string* text_of(int32_t id) const {
    const std::string* text = added_words.text(id);
    return text != nullptr ? text : model->vocabulary().text(id);
  }
};

Tokenizer::Tokenizer(std::shared_ptr<const Parts> parts) : parts_(std::move(parts)) {}

Tokenizer Tokenizer::load(const std::filesystem::path& file_or_folder, std::string_view encoding) {
  const nlohmann::json description = tokenizer_description(file_or_folder, encoding);
  return Tokenizer(read(JsonPart(description, file_or_folder.string())));
}

Tokenizer Tokenizer::parse(std::string_view content, const std::string& name,
                           std::string_view encoding) {
  const nlohmann::json description = tokenizer_description(content, name, encoding);
  return Tokenizer(read(JsonPart(description, name)));
}

Tokenizer Tokenizer::from_facts(const nn::Facts& facts, const std::string& name) {
  const nlohmann::json content = gguf_tokenizer(facts, name);
  return Tokenizer(read(JsonPart(content, name)));
}

std::shared_ptr<const Tokenizer::Parts> Tokenizer::read(const JsonPart& whole) {
  auto parts = std::make_shared<Parts>();
  parts->normalise = read_normalizer(whole["normalizer"]);
  parts->divide = read_pre_tokenizer(whole["pre_tokenizer"]);
  parts->model = read_model(whole["model"]);
  parts->finish = read_post_processor(whole["post_processor"]);
  parts->decode = read_decoder(whole["decoder"]);
  parts->bytes = read_token_bytes(whole["decoder"]);
  parts->added = read_added_tokens(whole["added_tokens"], parts->normalise);
  for (const AddedToken& t : parts->added.all()) parts->added_words.add(t.content, t.id);
  return parts;
}

std::vector<int32_t> Tokenizer::encode(std::string_view text, bool special_tokens) const {
  check_text_size(text.size());
  std::vector<int32_t> ids = parts_->encode(valid_text(text));
  return special_tokens ? parts_->finish(std::move(ids)) : ids;
}

std::string Tokenizer::decode(std::span<const int32_t> ids, bool special_tokens) const {
  std::vector<std::string> tokens;
  for (int32_t id : ids) {
    const std::string* text = parts_->text_of(id);
    if (text != nullptr && (special_tokens || !parts_->added.is_special(id)))
      tokens.push_back(*text);
  }
  if (!parts_->decode) return fmt::format("{}", fmt::join(tokens, " "));
  std::string out;
  for (const std::string& t : parts_->decode(std::move(tokens))) out += t;
  return out;
}

std::optional<int32_t> Tokenizer::id_of(std::string_view token) const {
  const auto added = parts_->added_words.find(token);
  return added ? added : parts_->model->vocabulary().find(token);
}

std::optional<std::string> Tokenizer::token_of(int32_t id) const {
  const std::string* text = parts_->text_of(id);
  if (text == nullptr) return {};
  return *text;
}

std::optional<std::string> Tokenizer::bytes_of(int32_t id, bool is_first) const {
  const std::string* text = parts_->text_of(id);
  if (text == nullptr || parts_->added.is_special(id)) return {};
  return parts_->bytes(*text, is_first);
}

int32_t Tokenizer::vocabulary_size() const {
  return std::max(parts_->added_words.end(), parts_->model->vocabulary().end());
}

}  // namespace tg::models
