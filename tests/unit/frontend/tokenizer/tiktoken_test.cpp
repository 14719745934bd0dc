// Files of tiktoken beyond what its library does with them (tokenizer_files_test.cpp): how an
// encoding is chosen, and files that are wrong.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "support/file.h"
#include "tg/error.h"
#include "tg/models/tokenizer.h"

namespace tg::models {
namespace {

using Ids = std::vector<int32_t>;

std::string base64_of_byte(int byte) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const auto b = static_cast<size_t>(byte);
  return {kDigits[b >> 2], kDigits[(b & 3) << 4], '=', '='};
}

// All bytes, and then "ab" (YWI=).
std::string small_file() {
  std::string out;
  for (int byte = 0; byte < 256; ++byte) out += fmt::format("{} {}\n", base64_of_byte(byte), byte);
  return out + "YWI= 256\n";
}

std::string said_of_ranks(const std::string& content, std::string_view encoding = "gpt2") {
  try {
    Tokenizer::parse(content, "t.tiktoken", encoding);
  } catch (const Error& e) {
    return e.what();
  }
  return {};
}

Tokenizer loaded_as(const std::string& config, std::string_view name = "tokenizer.model") {
  const TempDir folder("tiktoken");
  write_file(folder.path() / name, small_file());
  write_file(folder.path() / "config.json", config);
  return Tokenizer::load(folder.path());
}

TEST(TiktokenFiles, AreToldFromModelsOfSentencePieceByTheirContent) {
  const Tokenizer t = loaded_as(R"({"model_type":"llama"})");
  EXPECT_EQ(t.encode("ab"), (Ids{257, 256}));
  EXPECT_EQ(t.token_of(257), "<|begin_of_text|>");
  EXPECT_EQ(t.vocabulary_size(), 257 + 256);
}

TEST(TiktokenFiles, AreDividedAsTheirEncodingSays) {
  const auto pieces = [](std::string_view encoding) {
    std::string file = small_file() + "MTI= 257\nMTIz 258\n";  // "12", "123"
    return Tokenizer::parse(file, "t.tiktoken", encoding).encode("12345", false).size();
  };
  EXPECT_EQ(pieces("gpt2"), 3) << "123, 4 and 5";
  EXPECT_EQ(pieces("qwen"), 5) << "each digit is a piece";
}

TEST(TiktokenFiles, HaveTheSpecialTokensOfTheirModel) {
  EXPECT_EQ(loaded_as(R"({"model_type":"qwen"})", "qwen.tiktoken").id_of("<|im_start|>"), 258);
  const Tokenizer whisper = loaded_as(R"({"model_type":"whisper"})", "multilingual.tiktoken");
  EXPECT_EQ(whisper.id_of("<|en|>"), 259);
  EXPECT_EQ(whisper.id_of("<|30.00|>"), whisper.vocabulary_size() - 1);
  EXPECT_EQ(whisper.vocabulary_size(), 257 + 99 + 1509);
  const Tokenizer cl100k = Tokenizer::parse(small_file(), "t", "cl100k_base");
  EXPECT_EQ(cl100k.encode("<|endofprompt|>"), Ids{100276});
}

TEST(WrongTiktokenFiles, AreOfNoKnownEncoding) {
  EXPECT_EQ(
      said_of_ranks(small_file(), ""),
      "t.tiktoken: has 257 tokens, as no encoding that is known. Hint: name the encoding: gpt2, "
      "r50k_base, p50k_base, p50k_edit, cl100k_base, o200k_base, llama3, qwen, whisper.");
  EXPECT_EQ(said_of_ranks(small_file(), "x").substr(0, 51),
            "Tokenizer::load: there is no encoding \"x\". Hint: na");
  EXPECT_EQ(said_of_ranks(small_file()), "");
}

TEST(WrongTiktokenFiles, HaveWrongLines) {
  const auto with = [](const std::string& line) { return said_of_ranks(small_file() + line); };
  for (const char* line : {"YWJj", "YWJj ", " 257", "YWJ 257", "Y*Jj 257", "YWJj -1", "YWJj 2 5",
                           "YWJj 99999999999", "==== 257"})
    EXPECT_EQ(with(line), "t.tiktoken: line 258: is no token in base64 with its number.") << line;
  EXPECT_EQ(with("YWJj 4194304"),
            "t.tiktoken: line 258: has the number 4194304, of at most 4194303.");
  EXPECT_EQ(with("YWJj 256"), "t.tiktoken: line 258: has the number 256 again.");
  EXPECT_EQ(with("YWI= 257"), "t.tiktoken: line 258: has the token of line 257.");
  EXPECT_EQ(with("YWJj 4000000"),
            "t.tiktoken: has 258 tokens, of which the last has the number 4000000.");
  EXPECT_EQ(with("YWJj 257"), "");
}

TEST(WrongTiktokenFiles, LackAByte) {
  EXPECT_EQ(said_of_ranks("AA== 0\n"), "t.tiktoken: has no token for the byte 0x01.");
  EXPECT_EQ(said_of_ranks(""), "t.tiktoken: has no token for the byte 0x00.");
}

}  // namespace
}  // namespace tg::models
