// tg rewrite as a user sees it, on a tiny Flan-T5 whose words are w0 to w95.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/cli.h"
#include "support/file.h"
#include "support/interrupt.h"
#include "support/source_dir.h"

namespace tg::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;
using testing::MatchesRegex;

class RewriteCommand : public testing::Test {
 protected:
  struct Result {
    int status = 0;
    std::string out, errors, log;
  };

  RewriteCommand() {
    fs::copy(test::source_dir() / "tests/reference/encoder_decoders/flan_t5", folder_.path(),
             fs::copy_options::recursive);
    json words;
    for (int i = 0; i < 96; ++i) words["w" + std::to_string(i)] = i;
    write("tokenizer.json",
          json{{"model", {{"type", "WordLevel"}, {"vocab", words}, {"unk_token", "w0"}}},
               {"pre_tokenizer", {{"type", "Whitespace"}}}}
              .dump());
  }
  void write(const std::string& name, const std::string& text) const {
    write_file(folder_.path() / name, text);
  }
  Result rewritten(std::vector<std::string> arguments, const std::string& input = {}) const {
    std::istringstream in(input);
    std::ostringstream out, errors, log;
    std::streambuf* const old_in = std::cin.rdbuf(in.rdbuf());
    std::streambuf* const old_log = std::cerr.rdbuf(log.rdbuf());
    std::vector<std::string> all = {"rewrite", folder_.path().string(), "--max-tokens", "4"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    const int status = run(all, out, errors);
    std::cin.rdbuf(old_in);
    std::cerr.rdbuf(old_log);
    std::cin.clear();
    return {status, out.str(), errors.str(), log.str()};
  }

  const TempDir folder_{"rewrite"};
};

TEST_F(RewriteCommand, PrintsALineForEachText) {
  const Result r = rewritten({"w3 w4", "w50 w7 w9"});
  EXPECT_EQ(r.status, 0) << r.errors;
  const std::string line = "(w[0-9]+ ?)+\n";
  EXPECT_THAT(r.out, MatchesRegex(line + line));
  EXPECT_THAT(r.log, HasSubstr("t5: 2 and 3 layers, 32 wide, "));
  EXPECT_EQ(rewritten({"--file", "-", "--prompt", "w3 "}, "w4\r\n").out, rewritten({"w3 w4"}).out);
  write("texts.txt", "w3 w4\nw50 w7 w9\n");
  EXPECT_EQ(rewritten({"--file", (folder_.path() / "texts.txt").string()}).out, r.out);
}

TEST_F(RewriteCommand, NamesMistakes) {
  EXPECT_EQ(rewritten({}).errors,
            "tg: rewrite: there is no text. Hint: name texts behind the model, or a file of lines "
            "by --file.\n");
  EXPECT_EQ(rewritten({"w3", "--longest", "0"}).errors,
            "tg: EncoderDecoder::load: longest must be 1 to 65536, got 0.\n");
  EXPECT_EQ(rewritten({"w3 w4", "--longest", "1"}).status, 1);
  fs::remove(folder_.path() / "tokenizer.json");
  EXPECT_THAT(rewritten({"w3"}).errors, HasSubstr("the model has no tokenizer"));
}

TEST_F(RewriteCommand, StopsAtCtrlC) {
  const InterruptScope interrupts;
  request_interrupt();
  EXPECT_THAT(rewritten({"w3"}).errors, HasSubstr("interrupted (Ctrl-C)"));
  clear_interrupt();
  EXPECT_EQ(rewritten({"w3"}).status, 0);
}

}  // namespace
}  // namespace tg::cli
