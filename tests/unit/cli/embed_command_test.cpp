// tg embed as a user sees it, on a tiny encoder whose words are w0 to w47.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/cli.h"
#include "support/interrupt.h"
#include "tg/state.h"
#include "unit/frontend/embedding/word_encoder.h"

namespace tg::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::StartsWith;

class EmbedCommand : public testing::Test {
 protected:
  struct Result {
    int status = 0;
    std::string out, errors;
  };

  Result embedded(std::vector<std::string> arguments, const std::string& input = {}) const {
    std::istringstream in(input);
    std::ostringstream out, errors, log;
    std::streambuf* const old_in = std::cin.rdbuf(in.rdbuf());
    std::streambuf* const old_log = std::cerr.rdbuf(log.rdbuf());
    std::vector<std::string> all = {"embed", folder_.path().string()};
    all.insert(all.end(), arguments.begin(), arguments.end());
    const int status = run(all, out, errors);
    std::cin.rdbuf(old_in);
    std::cerr.rdbuf(old_log);
    std::cin.clear();
    return {status, out.str(), errors.str()};
  }
  std::string file(const std::string& name) const { return (folder_.path() / name).string(); }

  const models::WordEncoder folder_;
};

TEST_F(EmbedCommand, PrintsALineOfJsonForEachText) {
  const Result r = embedded({"w3 w4", "w5"});
  EXPECT_EQ(r.status, 0) << r.errors;
  std::istringstream lines(r.out);
  std::string line;
  for (size_t i = 0; i < 2; ++i) {
    std::getline(lines, line);
    const json made = json::parse(line);
    EXPECT_EQ(made["index"], i);
    EXPECT_EQ(made["tokens"], 4 - i);
    double length = 0;
    for (const json& x : made["embedding"]) length += x.get<double>() * x.get<double>();
    EXPECT_NEAR(length, 1, 1e-5);
  }
  EXPECT_FALSE(std::getline(lines, line));
}

TEST_F(EmbedCommand, ReadsLinesAndWritesAnArray) {
  folder_.write("texts.txt", "w3 w4\nw5\r\n\nw6");
  const Result r = embedded({"--file", file("texts.txt"), "--output", file("x.npy")});
  EXPECT_EQ(r.status, 0) << r.errors;
  EXPECT_THAT(r.out, HasSubstr("x.npy: float32 [4, 32]"));
  const Tensor x = nn::npy_load(file("x.npy"));
  EXPECT_EQ(x.shape(), (Shape{4, 32}));
  const Result piped = embedded({"--file", "-"}, "w3 w4\nw5\n");
  EXPECT_EQ(piped.out, embedded({"w3 w4", "w5"}).out);
  EXPECT_EQ(embedded({"--file", "-"}, "").out, "");
}

TEST_F(EmbedCommand, PrintsTheCosinesOfTexts) {
  const Result r = embedded({"w3 w4", "w3 w4", "w40", "--similar"});
  EXPECT_EQ(r.status, 0) << r.errors;
  EXPECT_THAT(r.out, StartsWith("          0      1      2\n   0  1.000  1.000 "));
  EXPECT_THAT(r.out, HasSubstr("  1.000  w40\n"));
}

TEST_F(EmbedCommand, TakesAPromptAndALimit) {
  EXPECT_THAT(embedded({"w5", "--prompt", "w3 w4 "}).out, HasSubstr("\"tokens\":5"));
  EXPECT_THAT(embedded({"w5 w6 w7 w8", "--max-tokens", "4"}).out, HasSubstr("\"tokens\":4"));
}

TEST_F(EmbedCommand, NamesMistakes) {
  EXPECT_THAT(embedded({}).errors, HasSubstr("embed: there is no text. Hint: "));
  EXPECT_THAT(embedded({"w1", "--file", "-"}).errors, HasSubstr("takes texts or --file, not both"));
  EXPECT_THAT(embedded({"--file", file("none.txt")}).errors, HasSubstr("embed: cannot read \""));
  EXPECT_THAT(embedded({"w1", "--similar", "--output", "x.npy"}).errors,
              HasSubstr("takes --similar or --output, not both"));
  EXPECT_THAT(embedded(std::vector<std::string>(101, "w1")).status, 0);
  std::vector<std::string> many(101, "w1");
  many.emplace_back("--similar");
  EXPECT_THAT(embedded(many).errors, HasSubstr("--similar compares 100 texts at most, got 101"));
  EXPECT_THAT(embedded({"w1", "--output", file("no/x.npy")}).errors, HasSubstr("x.npy"));
  EXPECT_THAT(embedded({"--help"}).out, HasSubstr("--similar"));
}

TEST_F(EmbedCommand, StopsAtCtrlC) {
  const InterruptScope interrupts;
  request_interrupt();
  const Result r = embedded({"w1 w2"});
  clear_interrupt();
  EXPECT_EQ(r.status, 1);
  EXPECT_THAT(r.errors, HasSubstr(": interrupted (Ctrl-C)."));
}

}  // namespace
}  // namespace tg::cli
