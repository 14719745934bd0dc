// Tokenizers of every published kind give what the package `tokenizers` gives, which wrote the
// files in tests/reference/tokenizers (make_tokenizers.py there; its --compare tries new texts by
// the thousand). What is wrong with a file is in hostile_test.cpp.
#include "tg/models/tokenizer.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "support/file.h"
#include "support/source_dir.h"
#include "tg/error.h"

namespace tg::models {
namespace {

namespace fs = std::filesystem;

fs::path reference_folder() { return test::source_dir() / "tests/reference/tokenizers"; }

// Names of the files of cases, without their endings.
std::vector<std::string> kinds() {
  constexpr std::string_view kEnding = ".cases.json";
  std::set<std::string> out;
  for (const auto& e : fs::directory_iterator(reference_folder())) {
    const std::string name = e.path().filename().string();
    if (name.ends_with(kEnding)) out.insert(name.substr(0, name.size() - kEnding.size()));
  }
  return {out.begin(), out.end()};
}

Tokenizer reference_tokenizer(const std::string& kind) {
  return Tokenizer::load(reference_folder() / (kind + ".json"));
}

class Reference : public testing::TestWithParam<std::string> {};

TEST_P(Reference, TokensAndTextsAreThoseOfTheirLibrary) {
  const Tokenizer t = reference_tokenizer(GetParam());
  const auto cases =
      nlohmann::json::parse(read_file(reference_folder() / (GetParam() + ".cases.json")));
  ASSERT_EQ(cases.size(), 40);
  for (const auto& c : cases) {
    const auto text = c["of"].get<std::string>();
    SCOPED_TRACE(c["of"].dump(-1, ' ', true));
    if (c.contains("error")) {
      EXPECT_THROW(t.encode(text), ArgumentError);
      continue;
    }
    const auto ids = c["ids"].get<std::vector<int32_t>>();
    EXPECT_EQ(t.encode(text), ids);
    EXPECT_EQ(t.encode(text, false), c["plain"].get<std::vector<int32_t>>());
    EXPECT_EQ(t.decode(ids), c["text"].get<std::string>());
    EXPECT_EQ(t.decode(ids, true), c["all"].get<std::string>());
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, Reference, testing::ValuesIn(kinds()),
                         [](const auto& info) { return info.param; });

TEST(Tokenizers, AreOfAllKindsThatArePublished) { EXPECT_EQ(kinds().size(), 24); }

TEST(Tokenizers, AreFoundInAFolder) {
  const fs::path folder = fs::temp_directory_path() / "tg_tokenizer_folder";
  fs::create_directories(folder);
  fs::copy_file(reference_folder() / "gpt2.json", folder / "tokenizer.json",
                fs::copy_options::overwrite_existing);
  const Tokenizer t = Tokenizer::load(folder);
  EXPECT_EQ(t.decode(t.encode("found")), "found");
  fs::remove_all(folder);
}

TEST(Tokenizers, KnowTheirTokens) {
  const Tokenizer t = reference_tokenizer("bert");
  EXPECT_EQ(t.id_of("[CLS]"), 1);
  EXPECT_EQ(t.token_of(1), "[CLS]");
  EXPECT_EQ(t.id_of("no token"), std::nullopt);
  EXPECT_EQ(t.token_of(-1), std::nullopt);
  EXPECT_EQ(t.token_of(t.vocabulary_size()), std::nullopt);
  EXPECT_NE(t.token_of(t.vocabulary_size() - 1), std::nullopt);
}

TEST(Tokenizers, LeaveOutNumbersOfNoToken) {
  const Tokenizer t = reference_tokenizer("gpt2");
  std::vector<int32_t> ids = t.encode("a text");
  ids.insert(ids.begin() + 1, {-1, 1'000'000, INT32_MIN});
  EXPECT_EQ(t.decode(ids), "a text");
}

TEST(Tokenizers, GiveBackWhateverBytesTheyCanHold) {
  const Tokenizer t = reference_tokenizer("gpt2");
  for (const std::string text : {"", " ", "\n\n  \t", "tab\tand\0zero", "日本語 🙂"})
    EXPECT_EQ(t.decode(t.encode(text)), text);
}

TEST(Tokenizers, TakeWhatIsNoUtf8ForReplacementCharacters) {
  const Tokenizer t = reference_tokenizer("gpt2");
  EXPECT_EQ(t.encode("a\xff\xc3"), t.encode("a\uFFFD\uFFFD"));
  EXPECT_EQ(t.encode("\xe2\x82"), t.encode("\uFFFD")) << "a character that is cut off is one";
}

TEST(Tokenizers, DecodeBytesThatAreCutOffAsReplacementCharacters) {
  const Tokenizer t = reference_tokenizer("gpt2");
  std::vector<int32_t> ids = t.encode("🙂");
  ASSERT_GT(ids.size(), 1) << "the small vocabulary has no such token";
  ids.pop_back();
  EXPECT_EQ(t.decode(ids), "\uFFFD");
}

TEST(Tokenizers, FindSpecialTokensInTheText) {
  const Tokenizer t = reference_tokenizer("llama3");
  const auto ids = t.encode("a</s>b", false);
  EXPECT_EQ(std::ranges::count(ids, *t.id_of("</s>")), 1);
  EXPECT_EQ(t.decode(ids), "ab");
  EXPECT_EQ(t.decode(ids, true), "a</s>b");
}

// Each merge is found in logarithmic time: a quadratic way would take minutes.
TEST(Tokenizers, EncodeALongWordInTime) {
  const Tokenizer t = reference_tokenizer("llama2");
  std::string word;
  for (int i = 0; i < 100'000; ++i) word += static_cast<char>('a' + i * 7 % 26);
  EXPECT_EQ(t.decode(t.encode(word)), word);
}

TEST(Tokenizers, OutliveTheOneTheyWereCopiedFrom) {
  std::optional<Tokenizer> first = reference_tokenizer("t5");
  const auto ids = first->encode("a copy");
  const Tokenizer copy = *first;
  first.reset();
  EXPECT_EQ(copy.encode("a copy"), ids);
}

}  // namespace
}  // namespace tg::models
