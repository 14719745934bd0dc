// Calls of tools: reading them from answers in the forms of several models, the grammars of these
// forms, and what a stream gives out before it is clear. What requests say of tools:
// request_test.cpp.
#include "frontend/server/tool_calls.h"

#include <gtest/gtest.h>

#include "tg/error.h"

namespace tg::server {
namespace {

using nlohmann::ordered_json;

std::vector<Tool> tools() {
  return {{"weather",
           ordered_json::parse(R"({"type":"object","properties":{"city":{"$ref":"#/$defs/city"},
              "days":{"type":"integer"}},"required":["city"],"$defs":{"city":{"type":"string"}}})")},
          {"now", ordered_json::parse(R"({"type":"object","properties":{}})")}};
}

TEST(ToolCalls, AreReadInTheFormsOfSeveralModels) {
  const std::string weather = R"({"name": "weather", "arguments": {"city": "Graz", "days": 2}})";
  const std::string now = R"({"name": "now", "parameters": {}})";
  const struct {
    std::string answer, content;
    size_t calls;
  } table[] = {
      {"<tool_call>\n" + weather + "\n</tool_call>", "", 1},
      {"I look.\n<tool_call>" + weather + "</tool_call>\n<tool_call>\n" + now + "</tool_call>",
       "I look.", 2},
      {"<tool_call>\n" + weather, "", 1},  // a stop token took the place of its end
      {"[TOOL_CALLS] [" + weather + "," + now + "]", "", 2},
      {"[" + weather + "]", "", 1},
      {"\n" + now + "\n", "", 1},
      {weather, "", 1},
  };
  for (const auto& c : table) {
    const CallsAndContent parts = read_calls(c.answer, tools());
    ASSERT_EQ(parts.calls.size(), c.calls) << c.answer;
    EXPECT_EQ(parts.content, c.content);
    if (parts.calls[0].name == "weather") {
      EXPECT_EQ(parts.calls[0].arguments, R"({"city":"Graz","days":2})");
    }
  }
  for (const std::string& text :
       {std::string("It is warm."), std::string("{}"), std::string("[]"), std::string("[1]"),
        std::string("<tool_call>nonsense</tool_call>"),
        std::string(R"({"name":"other","arguments":{}})"),
        std::string(R"({"name":"now","arguments":"x"})"), std::string(100000, '[')}) {
    const CallsAndContent parts = read_calls(text, tools());
    EXPECT_TRUE(parts.calls.empty()) << text.substr(0, 99);
    EXPECT_EQ(parts.content, text);
  }
}

TEST(ToolCalls, HaveTheFormThatATemplateNames) {
  EXPECT_EQ(call_form_of("{{ messages }}"), CallForm::None);
  EXPECT_EQ(call_form_of("{% if tools %}<tool_call>"), CallForm::Tagged);
  EXPECT_EQ(call_form_of("{% if tools %}[TOOL_CALLS]"), CallForm::List);
  EXPECT_EQ(call_form_of("{% if tools %}"), CallForm::Bare);
}

TEST(ToolCalls, ThatAreRequiredHaveAGrammar) {
  const std::string arguments = R"({"name":"weather","arguments":{"city":"Graz"}})";
  const models::Grammar tagged = grammar_of_calls(tools(), CallForm::Tagged, true);
  const std::string call = "<tool_call>\n" + arguments + "\n</tool_call>";
  EXPECT_TRUE(tagged.accepts(call));
  EXPECT_TRUE(tagged.accepts(call + "\n" + call));
  EXPECT_FALSE(
      tagged.accepts("<tool_call>\n{\"name\":\"weather\",\"arguments\":{}}\n</tool_call>"));
  EXPECT_FALSE(tagged.accepts("no"));
  EXPECT_FALSE(grammar_of_calls(tools(), CallForm::Tagged, false).accepts(call + "\n" + call));
  EXPECT_TRUE(grammar_of_calls(tools(), CallForm::List, true)
                  .accepts("[" + arguments + ", " + arguments + "]"));
  const models::Grammar bare = grammar_of_calls(tools(), CallForm::Bare, true);
  EXPECT_TRUE(bare.accepts(R"({"name": "now", "parameters": {}})"));
  EXPECT_FALSE(bare.accepts(R"({"name": "then", "parameters": {}})"));
  EXPECT_THROW(
      grammar_of_calls({{"f", ordered_json::parse(R"({"not":{}})")}}, CallForm::Bare, true),
      ArgumentError);
}

TEST(ToolCalls, AreHeldBackInAStreamAndOtherTextIsNot) {
  const auto given = [](std::initializer_list<const char*> pieces) {
    CallFilter filter;
    std::string out;
    for (const char* p : pieces) out += filter.add(p) + "|";
    EXPECT_LE(filter.given(), out.size());
    return out;
  };
  EXPECT_EQ(given({"It", " is", " <b>"}), "It| is| <b>|");
  EXPECT_EQ(given({"Wait", " <tool", "_call>", "x"}), "Wait| |||");
  EXPECT_EQ(given({"\n", " {", "}"}), "|||");
  EXPECT_EQ(given({" ", "a"}), "| a|");
}

}  // namespace
}  // namespace tg::server
