// Tokenizers from the files that are no tokenizer.json give what the libraries give that those
// files are of: tests/reference/tokenizer_files (make_tokenizer_files.py, whose --compare tries new
// texts by the thousand). What is wrong with such files: the tests of each form.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "support/file.h"
#include "support/source_dir.h"
#include "tg/error.h"
#include "tg/models/tokenizer.h"

namespace tg::models {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

fs::path files_folder() { return test::source_dir() / "tests/reference/tokenizer_files"; }

// Names of the folders.
std::vector<std::string> file_kinds() {
  std::set<std::string> out;
  for (const auto& e : fs::directory_iterator(files_folder()))
    if (e.is_directory()) out.insert(e.path().filename().string());
  return {out.begin(), out.end()};
}

class FileReference : public testing::TestWithParam<std::string> {};

TEST_P(FileReference, TokensAndTextsAreThoseOfTheirLibrary) {
  const json file = json::parse(read_file(files_folder() / (GetParam() + ".cases.json")));
  const json& cases = file["cases"];
  const Tokenizer t =
      Tokenizer::load(files_folder() / GetParam(), file["encoding"].get<std::string>());
  ASSERT_EQ(cases.size(), 60);
  for (const json& c : cases) {
    SCOPED_TRACE(c.dump(-1, ' ', true));
    const bool is_text = c.contains("of");
    const auto ids = c[is_text ? "ids" : "tokens"].get<std::vector<int32_t>>();
    if (is_text) {
      const auto text = c["of"].get<std::string>();
      EXPECT_EQ(t.encode(text), ids);
      EXPECT_EQ(t.encode(text, false), c["plain"].get<std::vector<int32_t>>());
    }
    if (c.contains("text")) {
      EXPECT_EQ(t.decode(ids), c["text"].get<std::string>());
    }
    if (c.contains("all")) {
      EXPECT_EQ(t.decode(ids, true), c["all"].get<std::string>());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, FileReference, testing::ValuesIn(file_kinds()),
                         [](const auto& info) { return info.param; });

TEST(TokenizerFiles, AreOfAllFormsThatArePublished) { EXPECT_EQ(file_kinds().size(), 19); }

TEST(TokenizerFiles, AreChosenInAnOrder) {
  const TempDir folder("tokenizer_files");
  EXPECT_THROW(Tokenizer::load(folder.path()), FileError);
  const auto copy = [&](const std::string& kind, const std::string& name) {
    fs::copy_file(files_folder() / kind / name, folder.path() / name);
    return Tokenizer::load(folder.path(), "gpt2");
  };
  EXPECT_TRUE(copy("tt_gpt2", "small.tiktoken").id_of("<|endoftext|>"));
  EXPECT_TRUE(copy("wp_bert", "vocab.txt").id_of("[CLS]"));
  EXPECT_TRUE(copy("bp_roberta", "vocab.json").id_of("[CLS]")) << "the merges are missing";
  EXPECT_TRUE(copy("bp_roberta", "merges.txt").id_of("<mask>"));
  EXPECT_TRUE(copy("sp_unigram_bytes", "spiece.model").id_of("<0x00>"));
  EXPECT_TRUE(copy("sp_unigram", "tokenizer.model").id_of("[MASK]"));
  write_file(folder.path() / "tokenizer.json",
             R"({"model":{"type":"WordLevel","vocab":{"json":0},"unk_token":"json"}})");
  EXPECT_TRUE(Tokenizer::load(folder.path()).id_of("json"));
  EXPECT_TRUE(Tokenizer::load(folder.path() / "merges.txt").id_of("<mask>"));
  EXPECT_TRUE(Tokenizer::load(folder.path() / "vocab.json").id_of("<mask>"));
}

// What is said of a folder of such files.
std::string said_of_files(const std::vector<std::pair<std::string, std::string>>& files) {
  const TempDir folder("tokenizer_files");
  for (const auto& [name, content] : files) write_file(folder.path() / name, content);
  try {
    Tokenizer::load(folder.path());
  } catch (const FileError& e) {
    const std::string what = e.what(), path = folder.path().string() + "/";
    return what.starts_with(path) ? what.substr(path.size()) : what;
  }
  return {};
}

TEST(WrongTokenizerFiles, HaveWordsThatAreNone) {
  EXPECT_EQ(said_of_files({{"vocab.txt", "[UNK]\n[SEP]\na\n"}}),
            "vocab.txt: lacks the token \"[CLS]\", which is its cls_token.");
  EXPECT_EQ(said_of_files({{"vocab.txt", "[UNK]\r\n[CLS]\r\n[SEP]\r\n"}}), "");
  EXPECT_EQ(said_of_files({{"vocab.txt", "[UNK]\n\xff\n"}}), "vocab.txt: line 2: is no UTF-8.");
}

TEST(WrongTokenizerFiles, HaveMergesThatAreNone) {
  const auto said = [](const std::string& words, const std::string& merges) {
    return said_of_files({{"vocab.json", words}, {"merges.txt", merges}});
  };
  const std::string words = R"({"a":0,"b":1,"ab":2})";
  EXPECT_EQ(said(words, "#version: 0.2\na b\n"), "");
  for (const char* line : {"ab", "a b c", "a \xff"})
    EXPECT_EQ(said(words, std::string("#version: 0.2\n") + line),
              "merges.txt: line 2: is no pair of tokens.");
  EXPECT_NE(said(words, "a c").find("merges what is no token: \"a\" and \"c\"."),
            std::string::npos);
  EXPECT_EQ(said("[]", ""), "vocab.json: is no object.");
  EXPECT_EQ(said(R"({"<s>":0,"</s>":-1})", ""),
            "vocab.json[\"</s>\"]: is no number of a token, 0 to 4194303.");
  EXPECT_EQ(said(R"({"a</w>":0})", ""),
            "vocab.json: lacks the token \"<|startoftext|>\", which is its bos_token.");
  EXPECT_EQ(said_of_files({{"vocab.json", words},
                           {"merges.txt", ""},
                           {"tokenizer_config.json", R"({"tokenizer_class":"XTokenizer"})"}}),
            "vocab.json: is of a class that is not known: \"X\".");
}

}  // namespace
}  // namespace tg::models
