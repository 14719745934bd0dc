// tg llm as a user sees it, on a tiny model whose words are w0 to w47. What templates mean is
// tested in tests/unit/frontend/template.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/cli.h"
#include "support/file.h"
#include "support/source_dir.h"

namespace tg::cli {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::StartsWith;

// A stream in the place of another while it lives.
class Redirected {
 public:
  Redirected(std::ios& stream, std::streambuf* other)
      : stream_(stream), own_(stream.rdbuf(other)) {}
  Redirected(const Redirected&) = delete;
  Redirected& operator=(const Redirected&) = delete;
  ~Redirected() { stream_.rdbuf(own_); }

 private:
  std::ios& stream_;
  std::streambuf* own_;
};

struct Said {
  int status = 0;
  std::string out, errors;
};

class LlmCommand : public testing::Test {
 protected:
  void SetUp() override {
    const fs::path model = test::source_dir() / "tests/reference/language_models/llama";
    for (const auto& e : fs::directory_iterator(model))
      fs::copy_file(e.path(), folder_.path() / e.path().filename());
    nlohmann::json words;
    for (int i = 0; i < 48; ++i) words["w" + std::to_string(i)] = i;
    write("tokenizer.json",
          nlohmann::json{{"model", {{"type", "WordLevel"}, {"vocab", words}, {"unk_token", "w0"}}},
                         {"pre_tokenizer", {{"type", "Whitespace"}}},
                         {"added_tokens", nlohmann::json::array({{{"id", 47},
                                                                  {"content", "w47"},
                                                                  {"special", true},
                                                                  {"single_word", false},
                                                                  {"lstrip", false},
                                                                  {"rstrip", false},
                                                                  {"normalized", false}}})}}
              .dump());
  }
  void write(const std::string& name, const std::string& text) const {
    write_file(folder_.path() / name, text);
  }
  // A turn begins with w47, the special token; the answer with w40.
  void write_template() const {
    write(
        "tokenizer_config.json",
        R"({"bos_token":"w47","chat_template":"{% for m in messages %}{% if m.content == 'w13' %})"
        R"({{ raise_exception('unlucky') }}{% endif %}{{ bos_token }} {{ m.content }} {% endfor %})"
        R"(w40"})");
  }

  Said said(std::vector<std::string> arguments, const std::string& input = {}) const {
    std::istringstream in(input);
    std::ostringstream out, errors, own_errors;
    const Redirected from(std::cin, in.rdbuf()), to(std::cerr, errors.rdbuf());
    std::vector<std::string> all = {
        "llm", folder_.path().string(), "--temperature", "0", "--max-tokens", "5", "--device",
        "CPU"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    const int status = run(all, out, own_errors);
    std::cin.clear();
    return {status, out.str(), errors.str() + own_errors.str()};
  }

  const TempDir folder_{"llm_command"};
};

TEST_F(LlmCommand, GoesOnWithATextWithoutATemplate) {
  const Said s = said({"--prompt", "w1 w2 w3"});
  EXPECT_EQ(s.status, 0) << s.errors;
  EXPECT_THAT(s.out, StartsWith("w"));
  EXPECT_THAT(s.errors, HasSubstr("[prompt: 3 tokens"));
  const Said lines = said({}, "w1 w2 w3\n\nw4\n");
  EXPECT_EQ(lines.out, s.out);
}

TEST_F(LlmCommand, AnswersInTheFormOfTheTemplate) {
  const Said bare = said({"--prompt", "w47 w1 w2 w40"});
  write_template();
  const Said s = said({"--prompt", "w1 w2"});
  EXPECT_EQ(s.status, 0) << s.errors;
  EXPECT_EQ(s.out, bare.out);
  EXPECT_THAT(s.errors, HasSubstr("[prompt: 4 tokens"));
  EXPECT_EQ(said({"--prompt", "w47 w1 w2 w40", "--raw"}).out, bare.out);
  const Said told = said({"--prompt", "w1", "--system", "w9"});
  EXPECT_EQ(told.out, said({"--prompt", "w47 w9 w47 w1 w40", "--raw"}).out);
}

TEST_F(LlmCommand, TakesATemplateOfAFile) {
  write_template();
  write("other.jinja", "{{ messages[0].content }} w5{{ bos_token }}");
  const std::string file = (folder_.path() / "other.jinja").string();
  EXPECT_EQ(said({"--prompt", "w1", "--template", file}).out,
            said({"--prompt", "w1 w5 w47", "--raw"}).out);
  write("other.jinja", "\n{{ messages");
  const Said s = said({"--prompt", "w1", "--template", file});
  EXPECT_EQ(s.status, 1);
  EXPECT_THAT(s.errors, HasSubstr("other.jinja: line 2: a tag has no end"));
}

TEST_F(LlmCommand, KeepsTheConversation) {
  write_template();
  const Said s = said({}, "w1 w2\nw3\n/reset\nw1 w2\n\nw4\n");
  EXPECT_EQ(s.status, 0) << s.errors;
  std::istringstream lines(s.out);
  std::string first, second, third, fourth;
  std::getline(lines, first);
  std::getline(lines, second);
  std::getline(lines, third);
  EXPECT_FALSE(std::getline(lines, fourth));
  EXPECT_EQ(first, third) << "nothing is left of the conversation before";
  const std::string whole = "w47 w1 w2 w47 " + first + " w47 w3 w40";
  EXPECT_EQ(second + "\n", said({"--prompt", whole, "--raw"}).out);
}

TEST_F(LlmCommand, GoesOnAfterWhatTheTemplateRefuses) {
  write_template();
  const Said s = said({}, "w13\nw1 w2\n");
  EXPECT_EQ(s.status, 0);
  EXPECT_THAT(s.errors, HasSubstr("the template refuses this: unlucky"));
  EXPECT_EQ(s.out, said({"--prompt", "w1 w2"}).out);
  EXPECT_EQ(said({"--prompt", "w13"}).status, 1);
}

TEST_F(LlmCommand, AnswersInTheFormOfAGrammar) {
  write("pets.gbnf", R"(root ::= "w1" (" w2" [0-3]){2})");
  const std::string file = (folder_.path() / "pets.gbnf").string();
  const Said s = said({"--prompt", "w1 w2 w3", "--grammar", file});
  EXPECT_EQ(s.status, 0) << s.errors;
  EXPECT_THAT(s.out, testing::MatchesRegex("w1 w2[0-3] w2[0-3]\n"));
  EXPECT_THAT(s.errors, HasSubstr("answer: 2 tokens"));
  write("pets.gbnf", "root ::= cat");
  EXPECT_THAT(said({"--prompt", "w1", "--grammar", file}).errors,
              HasSubstr("grammar: line 1: the rule \"cat\" is missing."));
  write("schema.json", R"({"type":"thing"})");
  EXPECT_THAT(
      said({"--prompt", "w1", "--json-schema", (folder_.path() / "schema.json").string()}).errors,
      HasSubstr("schema.type: no type of JSON: \"thing\"."));
  EXPECT_THAT(said({"--prompt", "w1", "--json"}).errors,
              HasSubstr("no token of the vocabulary continues the text as the grammar wants it"));
  EXPECT_NE(said({"--prompt", "w1", "--json", "--grammar", file}).status, 0);
}

TEST_F(LlmCommand, NamesMistakes) {
  EXPECT_THAT(said({"--prompt", "w1", "--system", "w2"}).errors,
              HasSubstr("has no chat template. Hint: name one by --template"));
  EXPECT_THAT(said({"--prompt", "w1", "--raw", "--system", "w2"}).errors,
              HasSubstr("--raw takes neither --system nor --template"));
  write_template();
  std::string text = "w1";
  for (int i = 0; i < 300; ++i) text += " w1";
  EXPECT_THAT(said({"--prompt", text}).errors,
              HasSubstr("the conversation has 303 tokens, of at most 256. Hint: begin again by "
                        "/reset"));
  fs::remove(folder_.path() / "tokenizer.json");
  EXPECT_THAT(said({"--prompt", "w1"}).errors, HasSubstr("has no tokenizer"));
  EXPECT_THAT(said({"--help"}).out, HasSubstr("--template"));
}

}  // namespace
}  // namespace tg::cli
