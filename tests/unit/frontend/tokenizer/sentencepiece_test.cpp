// Models of SentencePiece beyond what its library does (tokenizer_files_test.cpp): the tokens at
// the ends of a text and those found in it, by the files beside the model; and models that are
// wrong.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <limits>

#include "frontend/tokenizer/sentencepiece_model.pb.h"
#include "support/file.h"
#include "tg/error.h"
#include "tg/models/tokenizer.h"

namespace tg::models {
namespace {

namespace file = tg_sentencepiece_file;
using Ids = std::vector<int32_t>;

constexpr int kNormal = 1, kUnknown = 2, kControl = 3, kUserDefined = 4, kByte = 6;
constexpr int kUnigram = 1, kBpe = 2, kWords = 3;

void add_piece(file::Model& model, const std::string& text, float score, int type = kNormal) {
  file::Piece* p = model.add_pieces();
  p->set_text(text);
  p->set_score(score);
  p->set_type(type);
}

// <unk>, <s>, </s>, then a, b and a space.
file::Model small_model(int kind) {
  file::Model model;
  model.mutable_training()->set_model_type(kind);
  model.mutable_normalization()->set_remove_extra_whitespaces(false);
  add_piece(model, "<unk>", 0, kUnknown);
  add_piece(model, "<s>", 0, kControl);
  add_piece(model, "</s>", 0, kControl);
  add_piece(model, "a", -1);
  add_piece(model, "b", -2);
  add_piece(model, "\u2581", -3);
  return model;
}

Tokenizer tokenizer_of(const file::Model& model) {
  return Tokenizer::parse(model.SerializeAsString(), "t.model");
}

Tokenizer loaded_with(const file::Model& model, const std::string& config,
                      const std::string& config_name = "tokenizer_config.json") {
  const TempDir folder("sentencepiece");
  write_file(folder.path() / "tokenizer.model", model.SerializeAsString());
  write_file(folder.path() / config_name, config);
  return Tokenizer::load(folder.path());
}

// What is said of a file with this content; empty if it is taken.
std::string said_of_model(const std::string& bytes) {
  try {
    Tokenizer::parse(bytes, "t.model");
  } catch (const FileError& e) {
    return e.what();
  }
  return {};
}

std::string said_of_model(const file::Model& model) {
  return said_of_model(model.SerializeAsString());
}

TEST(SentencePieceModels, PutTheTokensOfTheirKindAtTheEnds) {
  EXPECT_EQ(tokenizer_of(small_model(kBpe)).encode("a"), (Ids{1, 5, 3}));
  EXPECT_EQ(tokenizer_of(small_model(kUnigram)).encode("a"), (Ids{5, 3, 2}));
  EXPECT_EQ(tokenizer_of(small_model(kUnigram)).encode("a", false), (Ids{5, 3}));
}

TEST(SentencePieceModels, PutTheTokensOfTheirClassAtTheEnds) {
  const auto with = [](const std::string& config) {
    return loaded_with(small_model(kUnigram), config).encode("a");
  };
  EXPECT_EQ(with(R"({"tokenizer_class":"LlamaTokenizerFast"})"), (Ids{1, 5, 3}));
  EXPECT_EQ(with(R"({"tokenizer_class":"T5Tokenizer"})"), (Ids{5, 3, 2}));
  EXPECT_EQ(with(R"({"tokenizer_class":"AlbertTokenizer","cls_token":"<s>","sep_token":"</s>"})"),
            (Ids{1, 5, 3, 2}));
  EXPECT_EQ(with(R"({"add_bos_token":true,"add_eos_token":true})"), (Ids{1, 5, 3, 2}));
  EXPECT_EQ(with(R"({"add_bos_token":false,"add_eos_token":false})"), (Ids{5, 3}));
  EXPECT_EQ(
      loaded_with(small_model(kUnigram), R"({"model_type":"gemma"})", "config.json").encode("a"),
      (Ids{1, 5, 3}));
}

TEST(SentencePieceModels, AddNoTokenThatTheyLack) {
  file::Model model = small_model(kBpe);
  model.mutable_training()->set_bos_piece("<begin>");
  EXPECT_EQ(tokenizer_of(model).encode("a"), (Ids{5, 3}));
}

TEST(SentencePieceModels, FindControlTokensInTheText) {
  const Tokenizer t = tokenizer_of(small_model(kBpe));
  EXPECT_EQ(t.encode("a</s>b", false), (Ids{5, 3, 2, 5, 4}));
  EXPECT_EQ(t.decode(Ids{5, 3, 2, 4}), "ab");
  EXPECT_EQ(t.encode("<unk>", false), (Ids{5, 0})) << "what is unknown cannot be asked for";
}

TEST(SentencePieceModels, BeginOnlyTheTextWithASpaceUnlessTheyAreOfTheOldWay) {
  const Tokenizer t = loaded_with(small_model(kBpe), R"({"legacy":false})");
  EXPECT_EQ(t.encode("a</s>b", false), (Ids{5, 3, 2, 4}));
}

TEST(SentencePieceModels, HaveTheTokensThatWereAddedToThem) {
  const Tokenizer more = loaded_with(small_model(kBpe), R"({"<pad>":6})", "added_tokens.json");
  EXPECT_EQ(more.encode("<pad>", false), Ids{6});
  EXPECT_EQ(more.vocabulary_size(), 7);
  const Tokenizer gaps = loaded_with(small_model(kUnigram), R"({"tokenizer_class":"T5Tokenizer"})");
  EXPECT_EQ(gaps.id_of("<extra_id_99>"), 6);
  EXPECT_EQ(gaps.id_of("<extra_id_0>"), 105);
}

TEST(SentencePieceModels, TellWhatATokenAddsToAText) {
  file::Model model = small_model(kBpe);
  model.mutable_training()->set_byte_fallback(true);
  for (int byte = 0; byte < 256; ++byte)
    add_piece(model, fmt::format("<0x{:02X}>", byte), 0, kByte);
  add_piece(model, "\u2581a", -1);
  const Tokenizer t = tokenizer_of(model);
  EXPECT_EQ(t.bytes_of(262), " a");
  EXPECT_EQ(t.bytes_of(262, true), "a");
  EXPECT_EQ(t.bytes_of(6 + 0xe4), "\xe4");
  EXPECT_EQ(t.bytes_of(1), std::nullopt);
}

// A quadratic way would take minutes.
TEST(SentencePieceModels, EncodeALongTextInTime) {
  file::Model model = small_model(kBpe);
  std::string text = "ab";
  for (int i = 0; i < 8; ++i) {
    add_piece(model, text, static_cast<float>(-3 - i));
    text += text;
  }
  const std::string word(200'000, 'a');
  EXPECT_EQ(tokenizer_of(model).encode(word, false).size(), word.size() + 1);
  std::string words;
  for (int i = 0; i < 100'000; ++i) words += "ab";
  EXPECT_EQ(tokenizer_of(model).decode(tokenizer_of(model).encode(words)), words);
}

TEST(WrongSentencePieceModels, AreCutOff) {
  const std::string whole = small_model(kBpe).SerializeAsString();
  EXPECT_EQ(said_of_model(whole), "");
  EXPECT_EQ(said_of_model(whole.substr(0, 12)),
            "t.model: is no model of SentencePiece, or is cut off.");
  for (size_t n = 1; n < whole.size(); ++n) EXPECT_NE(said_of_model(whole.substr(0, n)), "") << n;
}

TEST(WrongSentencePieceModels, AreOfAnotherKind) {
  EXPECT_EQ(said_of_model(small_model(kWords)),
            "t.model: is of kind 3, neither unigram (1) nor BPE (2).");
}

TEST(WrongSentencePieceModels, LackPieces) {
  EXPECT_EQ(said_of_model(""), "t.model: has no pieces.");
  file::Model model;
  model.mutable_training();
  model.mutable_normalization();
  add_piece(model, "a", 0);
  EXPECT_EQ(said_of_model(model), "t.model: has no piece of the type for what is unknown.");
  add_piece(model, "<unk>", 0, kUnknown);
  model.mutable_training()->set_byte_fallback(true);
  EXPECT_EQ(said_of_model(model), "t.model: lacks the piece \"<0x00>\".");
}

TEST(WrongSentencePieceModels, HaveWrongPieces) {
  const auto with = [](const std::string& text, float score, int type) {
    file::Model model = small_model(kUnigram);
    add_piece(model, text, score, type);
    return said_of_model(model);
  };
  EXPECT_EQ(with("c", 0, kUserDefined), "");
  EXPECT_EQ(with("a", 0, kNormal), "t.model: piece 6: \"a\" is there twice.");
  EXPECT_EQ(with("", 0, kNormal), "t.model: piece 6: has no text.");
  EXPECT_EQ(with("\xff", 0, kNormal), "t.model: piece 6: is no UTF-8.");
  EXPECT_EQ(with("c", 0, kUnknown), "t.model: piece 6: is a second unknown one.");
  EXPECT_EQ(with("c", 0, 9), "t.model: piece 6: \"c\" is of the unknown type 9.");
  EXPECT_EQ(with("c", std::numeric_limits<float>::quiet_NaN(), kNormal),
            "t.model: piece 6: \"c\" has no finite score.");
}

TEST(WrongSentencePieceModels, HaveTablesThatAreCutOff) {
  file::Model model = small_model(kUnigram);
  model.mutable_normalization()->set_precompiled_charsmap("\xff\xff\xff\xff");
  EXPECT_EQ(said_of_model(model), "t.model.pre_tokenizer.precompiled_charsmap: is cut off.");
}

TEST(WrongSentencePieceModels, HaveWrongFilesBesideThem) {
  const auto said = [](const std::string& config, const std::string& name) {
    try {
      loaded_with(small_model(kUnigram), config, name);
    } catch (const FileError& e) {
      const std::string what = e.what();
      return what.substr(what.find(name));
    }
    return std::string();
  };
  EXPECT_EQ(said("[]", "tokenizer_config.json"), "tokenizer_config.json: is no object.");
  EXPECT_EQ(said("{", "special_tokens_map.json"),
            "special_tokens_map.json: is not JSON at byte 2.");
  EXPECT_EQ(said(R"({"a":-1})", "added_tokens.json"),
            "added_tokens.json[\"a\"]: is no number of a token, 0 to 4194303.");
  EXPECT_EQ(said(R"({"add_bos_token":1})", "tokenizer_config.json"),
            "tokenizer_config.json.add_bos_token: is neither true nor false.");
  EXPECT_EQ(
      said(R"({"added_tokens_decoder":{"x":{"content":"a"}}})", "tokenizer_config.json"),
      "tokenizer_config.json.added_tokens_decoder: \"x\" is no number of a token, 0 to 4194303.");
}

}  // namespace
}  // namespace tg::models
