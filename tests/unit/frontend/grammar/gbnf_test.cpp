// Which texts grammars in GBNF take, and what is refused of grammars. Schemas:
// json_schema_test.cpp; tokens: token_constraint_test.cpp.
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "tg/error.h"
#include "tg/models/grammar.h"

namespace tg::models {
namespace {

struct Case {
  std::string grammar;
  std::vector<std::string> accepted, refused;
};

TEST(Grammars, TakeTheirTextsAndNoOthers) {
  const Case table[] = {
      {R"(root ::= "yes" | "no")", {"yes", "no"}, {"", "ye", "yesno", "Yes"}},
      {R"(root ::= "a"* "b"+ "c"?)", {"b", "aab", "abbbc"}, {"", "a", "ac", "bcc"}},
      {"root ::= [a-c]{2} [^x]", {"abz", "cc\u00e9", "aa\U0001F600"}, {"ab", "adz", "abx", "abzz"}},
      {R"(root ::= "x"{2,3})", {"xx", "xxx"}, {"x", "xxxx"}},
      {R"(root ::= "x"{2,})", {"xx", "xxxxxxx"}, {"", "x"}},
      {R"(root ::= "x"{0,2} "y"{0} "z"{,1})", {"", "x", "xxz"}, {"xxx", "y", "zz"}},
      {R"(root ::= ("ab"){3})", {"ababab"}, {"abab", "abababab"}},
      {R"(root ::= "ab"*)", {"", "abab"}, {"abb"}},
      {"root ::= .", {"a", "\n", "\u4f60"}, {"", "ab", "\xff", "\xc3"}},
      {R"(root ::= "\x41\u00e9\U0001F600\t\"\\\n")", {"A\u00e9\U0001F600\t\"\\\n"}, {"A"}},
      {R"(root ::= [\]\[\\\-^a-])", {"]", "[", "\\", "-", "^", "a"}, {"b"}},
      {"root ::= [^a]", {"b", "\u07ff", "\u0800", "\uffff", "\U0010ffff"}, {"a", "\xed\xa0\x80"}},
      {"root ::= [\u00e0-\u4f60]", {"\u00e0", "\u0fff", "\u4f60"}, {"\u00df", "\u4f61", "a"}},
      {"# a comment\nroot ::= a |\n  b # another\n\na ::= \"1\"\nb ::= (\n\"2\"\n|\n\"3\" )",
       {"1", "2", "3"},
       {"12"}},
      // Nested calls, which a finite automaton could not count.
      {"root ::= list\nlist ::= \"[\" (list (\",\" list)*)? \"]\"",
       {"[]", "[[],[[]]]"},
       {"[", "[]]", "[,]", "[[]"}},
      // Ambiguous in each step.
      {"root ::= x x x\nx ::= \"a\"* \"a\"*", {"", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"}, {"ab"}},
      {"root ::= \"a\" root | \"b\"", {"b", "aaab"}, {"aaa"}},
      {"root ::= (\"a\"?)* (\"\" | \"b\")+", {"", "aab", "bb"}, {"ba"}},
      {"root ::= (\"a\"?){2,5}", {"", "a", "aaaaa"}, {"aaaaaa"}},
      {"root ::= (\"a\" \"b\"?){3,}", {"aaa", "abaab"}, {"aab", "bbb"}},
      {"root ::= \"\"", {""}, {"a"}},
      {"root ::= ", {""}, {"a"}},
  };
  for (const Case& c : table) {
    const Grammar g = Grammar::parse(c.grammar);
    EXPECT_EQ(g.text(), c.grammar);
    for (const std::string& t : c.accepted) {
      EXPECT_TRUE(g.accepts(t)) << c.grammar << " should take " << t;
      for (size_t n = 0; n < t.size(); ++n) EXPECT_TRUE(g.accepts_beginning(t.substr(0, n))) << t;
    }
    for (const std::string& t : c.refused)
      EXPECT_FALSE(g.accepts(t)) << c.grammar << " should not take " << t;
  }
  EXPECT_FALSE(Grammar::parse("root ::= \"ab\"").accepts_beginning("b"));
}

TEST(Grammars, TakeEachCharacterOfARangeAndNoOther) {
  const std::pair<char32_t, char32_t> ranges[] = {
      {0, 0x7f},        {0x41, 0x3000},    {0x7f, 0x80},    {0x7ff, 0x800},
      {0x812, 0x10abc}, {0xffff, 0x10000}, {0x0, 0x10ffff}, {0x100fe, 0x10ffff}};
  const auto utf8 = [](char32_t c) {
    std::string out;
    if (c < 0x80) return out += static_cast<char>(c);
    const int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    out += static_cast<char>((more == 1 ? 0xc0 : more == 2 ? 0xe0 : 0xf0) | c >> (6 * more));
    for (int i = more - 1; i >= 0; --i) out += static_cast<char>(0x80 | (c >> (6 * i) & 0x3f));
    return out;
  };
  char text[64];
  for (const auto& [low, high] : ranges) {
    std::snprintf(text, sizeof text, "root ::= [\\U%08X-\\U%08X]", low, high);
    const Grammar g = Grammar::parse(text);
    for (char32_t c = 0; c <= 0x10ffff; c += c % 64 == 1 && c > 0x3000 ? 61 : 1) {
      if (c >= 0xd800 && c <= 0xdfff) continue;
      ASSERT_EQ(g.accepts(utf8(c)), c >= low && c <= high) << text << " and " << std::hex << +c;
    }
  }
}

std::string refusal(const std::string& grammar) {
  try {
    Grammar::parse(grammar);
  } catch (const ArgumentError& e) {
    return e.what();
  }
  return {};
}

TEST(Grammars, ThatAreWrongAreRefusedWithTheirLine) {
  const std::pair<std::string, std::string> table[] = {
      {"", "grammar: line 1: there is no rule \"root\"."},
      {"a ::= \"b\"", "grammar: line 1: there is no rule \"root\"."},
      {"root ::= a", "grammar: line 1: the rule \"a\" is missing."},
      {"root ::= \"a\"\nroot ::= \"b\"", "grammar: line 2: the rule \"root\" is there twice."},
      {"root := \"a\"", "grammar: line 1: \"::=\" is missing."},
      {"\n\nroot ::= \"a", "grammar: line 3: \" is missing at the end of a text."},
      {"root ::= [a", "grammar: line 1: \"]\" is missing."},
      {"root ::= [a-", "grammar: line 1: \"]\" is missing."},
      {"root ::= [\\", "grammar: line 1: an unknown escape."},
      {"root ::= (\"a\"", "grammar: line 1: \")\" is missing."},
      {"root ::= \"a\")", "grammar: line 1: \")\" closes nothing."},
      {"root ::= *", "grammar: line 1: there is nothing to repeat."},
      {"root ::= \"a\"{2", "grammar: line 1: \"}\" is missing."},
      {"root ::= \"a\"{}", "grammar: line 1: a count is missing."},
      {"root ::= \"a\"{3,2}", "grammar: line 1: the largest count is below the smallest."},
      {"root ::= \"a\"{9999999999}", "grammar: line 1: a count may be 1000000000 at most."},
      {"root ::= \"\\q\"", "grammar: line 1: an unknown escape."},
      {"root ::= \"\\xZ0\"", "grammar: line 1: an escape needs 2 hexadecimal digits."},
      {"root ::= \"\\ud800\"", "grammar: line 1: U+D800 is no character."},
      {"root ::= [z-a]", "grammar: line 1: a range of characters ends before it begins."},
      {"root ::= \"a\" $", "grammar: line 1: \"$\" has no meaning here."},
      {"root ::= <think>", "grammar: line 1: tokens (<name>) are not supported."},
      {"::= \"a\"", "grammar: line 1: a name of a rule is missing."},
      {"root ::= []", "grammar: it allows no text, or too many ways to begin one."},
      {"root ::= root \"a\" | \"b\"",
       "grammar: the rule \"root\" may begin with itself (left recursion). Hint: write a "
       "repetition, "
       "such as item (\",\" item)*."},
  };
  for (const auto& [grammar, said] : table) EXPECT_EQ(refusal(grammar), said) << grammar;
  for (const char* circle :
       {"root ::= x\nx ::= \"\" y\ny ::= \"c\"? x \"d\"", "root ::= \"a\" x\nx ::= (x){2,3}",
        "root ::= x \"b\"\nx ::= (\"z\"?){3} x"}) {
    EXPECT_NE(refusal(circle).find("may begin with itself"), std::string::npos) << circle;
  }
  EXPECT_NE(refusal("root ::= (\"a\"?){2,100000}").find("may be empty"), std::string::npos);
}

double seconds_of(const auto& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

std::string times(std::string_view text, int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += text;
  return out;
}

// Each takes hundredths of a second; the limit is for machines that do other work.
TEST(Grammars, ThatMeanHarmTakeLittleTime) {
  EXPECT_LT(seconds_of([] {
              const Grammar g = Grammar::parse("root ::= \"a\"{0,1000000} [a-z]{1000000000}");
              EXPECT_TRUE(g.accepts_beginning(times("a", 2000)));
            }),
            20);
  EXPECT_LT(seconds_of([] {
              const int deep = 200'000;
              const Grammar g =
                  Grammar::parse("root ::= " + times("(", deep) + "\"a\"" + times(")", deep));
              EXPECT_TRUE(g.accepts("a"));
            }),
            20);
  EXPECT_LT(seconds_of([] {  // a chain of rules that may be empty, and each calls the next twice
              std::string text = "root ::= x-0 \"!\"\n";
              for (int i = 0; i < 5000; ++i)
                text += "x-" + std::to_string(i) + " ::= x-" + std::to_string(i + 1) + " x-" +
                        std::to_string(i + 1) + "\n";
              refusal(text + "x-5000 ::= \"a\"?\n");
            }),
            20);
  EXPECT_LT(seconds_of([] {  // the ways to read it double with each letter
              const Grammar g =
                  Grammar::parse("root ::= \"a\" root \"b\" | \"a\" root \"c\" | \"d\"");
              EXPECT_TRUE(g.accepts_beginning("aaa"));
              EXPECT_FALSE(g.accepts(times("a", 60)));
            }),
            20);
  EXPECT_LT(seconds_of([] {  // each letter may belong to any of the repetitions
              std::string text = "root ::= ";
              for (int i = 0; i < 3000; ++i) text += "\"a\"* ";
              const Grammar g = Grammar::parse(text + "\"b\"");
              try {
                g.accepts(times("a", 3000));
              } catch (const ArgumentError&) {  // in too many ways
              }
            }),
            60);
  // Depth has an end, and nothing worse.
  const Grammar g = Grammar::parse("root ::= \"[\" root \"]\" | \"\"");
  EXPECT_TRUE(g.accepts(times("[", 4000) + times("]", 4000)));
  EXPECT_FALSE(g.accepts(times("[", 5000) + times("]", 5000)));
}

}  // namespace
}  // namespace tg::models
