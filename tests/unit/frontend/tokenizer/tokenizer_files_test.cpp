// Tokenizers from the files that are no tokenizer.json give what the libraries give that those
// files are of: tests/reference/tokenizer_files (make_tokenizer_files.py, whose --compare tries new
// texts by the thousand). What is wrong with such files: the tests of each form.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "support/file.h"
#include "tg/models/tokenizer.h"

namespace tg::models {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

fs::path files_folder() { return fs::path(TG_SOURCE_DIR) / "tests/reference/tokenizer_files"; }

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

TEST(TokenizerFiles, AreOfAllFormsThatArePublished) { EXPECT_EQ(file_kinds().size(), 12); }

}  // namespace
}  // namespace tg::models
