// Which values of JSON the grammars of schemas take, and what is refused of schemas.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "frontend/grammar/gbnf_text.h"
#include "tg/error.h"
#include "tg/models/grammar.h"

namespace tg::models {
namespace {

struct SchemaCase {
  std::string schema;
  std::vector<std::string> accepted, refused;
};

TEST(JsonSchemas, TakeTheirValuesAndNoOthers) {
  const SchemaCase table[] = {
      {"true",
       {"1", R"({"a":[1,null,"x"]})", "\"\\ud83d\\ude00\""},
       {"", "{", "\"\\ud83d\"", "01"}},
      {"{}", {"true", "[]"}, {"tru"}},
      {R"({"type":"string"})", {R"("")", R"("a\"b\\\n\u00e9")"}, {"\"", "\"\n\"", R"("\x")", "1"}},
      {R"({"type":"string","minLength":2,"maxLength":3})",
       {R"("ab")", "\"\u4f60\u4f60\u4f60\"", R"("\n\n")"},
       {R"("a")", R"("abcd")"}},
      {R"({"type":"boolean"})", {"true", "false"}, {"null"}},
      {R"({"type":["integer","null"]})", {"-12", "null", "0"}, {"1.5", "-", "007", "\"1\""}},
      {R"({"type":"number"})", {"1", "-0.5", "1e10", "2.5E-3"}, {".5", "1.", "1e999", "+1"}},
      {R"({"type":"number","minimum":0})", {"0.5"}, {"-0.5"}},
      {R"({"type":"integer","minimum":3,"exclusiveMaximum":120})",
       {"3", "9", "10", "99", "119"},
       {"2", "120", "-3", "03", "1000"}},
      {R"({"enum":["a",1,null,{"b":[2]}]})", {R"("a")", "1", "null", R"({"b":[2]})"}, {"2", "a"}},
      {R"({"type":"string","enum":["a",1]})", {R"("a")"}, {"1"}},
      {R"({"const":"x\"y"})", {R"("x\"y")"}, {R"("x")"}},
      {R"({"type":"array","items":{"type":"integer"}})",
       {"[]", "[1]", "[1, 2,3 ]"},
       {"[1,]", "[,1]", "[\"a\"]"}},
      {R"({"type":"array","items":{"type":"integer"},"minItems":2,"maxItems":3})",
       {"[1,2]", "[1,2,3]"},
       {"[]", "[1]", "[1,2,3,4]"}},
      {R"({"type":"array","maxItems":0})", {"[]"}, {"[1]"}},
      {R"({"prefixItems":[{"type":"integer"},{"type":"string"}],"items":false})",
       {"[]", "[1]", R"([1,"a"])"},
       {R"(["a"])", R"([1,"a",2])", "[1,]"}},
      {R"({"prefixItems":[{"type":"integer"}],"items":{"type":"null"},"minItems":2,"maxItems":3})",
       {"[1,null]", "[1,null,null]"},
       {"[1]", "[1,null,null,null]", "[null,null]"}},
      {R"({"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"string"}},"required":["a"]})",
       {R"({"a":1})", R"({"a": 1, "b": "x"})", "{\n  \"a\":1\n}"},
       {"{}", R"({"b":"x"})", R"({"a":1,"c":2})", R"({"a":1,})", R"({"b":"x","a":1})"}},
      {R"({"type":"object","properties":{"a":{"type":"integer"},"b":true,"c":true}})",
       {"{}", R"({"a":1})", R"({"b":[]})", R"({"a":1,"c":{}})", R"({"c":0})"},
       {R"({,"c":0})", R"({"a":1"c":{}})", R"({"d":1})"}},
      {R"({"type":"object","properties":{}})", {"{}"}, {R"({"a":1})"}},
      {R"({"type":"object"})", {"{}", R"({"a":{"b":1}})"}, {"[]", R"({a:1})"}},
      {R"({"type":"object","additionalProperties":{"type":"integer"}})",
       {R"({"x":1,"y":2})"},
       {R"({"x":"1"})"}},
      {R"({"properties":{"ab":{"type":"integer"},"ac":{"type":"null"}},"additionalProperties":{"type":"string"}})",
       {R"({"ab":1,"x":"y"})", R"({"a":"1","abc":"2","":"3","b\n":"4"})", "{}"},
       {R"({"ab":"1"})", R"({"x":1})", R"({"\u0061b":"1"})", R"({"ac":""})"}},
      {R"({"required":["a"]})", {R"({"a":[]})"}, {"{}"}},
      {R"({"anyOf":[{"type":"integer"},{"type":"array","items":{"type":"boolean"}}]})",
       {"1", "[true]"},
       {"true", "[1]"}},
      {R"({"allOf":[{"properties":{"a":{"type":"integer"}},"required":["a"]},
          {"$ref":"#/$defs/more"}],"$defs":{"more":{"properties":{"b":{"type":"null"}},"required":["b"]}}})",
       {R"({"a":1,"b":null})"},
       {R"({"a":1})", R"({"b":null})"}},
      {R"({"$ref":"#/$defs/node","$defs":{"node":{"type":"object","properties":{"value":{"type":"integer"},
          "next":{"anyOf":[{"$ref":"#/$defs/node"},{"type":"null"}]}},"required":["value","next"]}}})",
       {R"({"value":1,"next":{"value":2,"next":null}})"},
       {R"({"value":1,"next":{"value":2}})"}},
      {R"({"type":"array","items":{"$ref":"#"}})", {"[]", "[[],[[]]]"}, {"[1]"}},
      {R"({"type":"string","pattern":"^[a-z]{2}-\\d+$"})",
       {R"("ab-1")", R"("zz-007")"},
       {R"("a-1")", R"("ab-")"}},
      {R"({"type":"string","pattern":"b+"})",
       {R"("abba")", R"("b")", R"("\nb\"")"},
       {R"("")", R"("a")"}},
      {R"({"type":"string","pattern":"^(?:a|\"|\\\\)*?[^x\"]\\.\\w$"})",
       {R"("a\"\\y._")", R"("\\.a")"},
       {R"("x.a")", R"("yza")"}},
      {R"({"type":"string","description":"d","format":"date","title":"t"})", {R"("d")"}, {"1"}},
  };
  for (const SchemaCase& c : table) {
    SCOPED_TRACE(c.schema);
    const Grammar g = Grammar::of_json_schema(c.schema);
    for (const std::string& t : c.accepted) {
      EXPECT_TRUE(g.accepts(t)) << t << "\n" << g.text();
      EXPECT_TRUE(nlohmann::json::accept(t)) << t;
    }
    for (const std::string& t : c.refused) EXPECT_FALSE(g.accepts(t)) << t << "\n" << g.text();
  }
}

TEST(JsonSchemas, BoundIntegersExactly) {
  const std::pair<int64_t, int64_t> ranges[] = {
      {0, 0},     {0, 9},       {1, 1},  {7, 123},    {10, 99},     {99, 1001}, {-5, 5},
      {-123, -7}, {-100, -100}, {-1, 0}, {100, 1000}, {-999, 1000}, {13, 13}};
  for (const auto& [low, high] : ranges) {
    const Grammar g = Grammar::parse("root ::= " + grammar::gbnf_integers(low, high));
    for (int64_t x = -1300; x <= 1300; ++x)
      ASSERT_EQ(g.accepts(std::to_string(x)), x >= low && x <= high)
          << low << " " << high << " " << x;
    EXPECT_FALSE(g.accepts("-0"));
    EXPECT_FALSE(g.accepts("00"));
  }
}

std::string schema_refusal(const std::string& schema) {
  try {
    Grammar::of_json_schema(schema);
  } catch (const ArgumentError& e) {
    return e.what();
  }
  return {};
}

TEST(JsonSchemas, SayWhatIsNotSupportedAndWhere) {
  const std::pair<std::string, std::string> table[] = {
      {"{", "schema: is not JSON at byte 2."},
      {"1", "schema: must be an object, true or false."},
      {"false", "schema: allows no value."},
      {R"({"properties":{"a":{"type":"array","uniqueItems":true}}})",
       "schema.properties.a: the keyword \"uniqueItems\" is not supported."},
      {R"({"type":"thing"})", "schema.type: no type of JSON: \"thing\"."},
      {R"({"$ref":"#/$defs/none"})", "schema.$ref: \"#/$defs/none\" is not there."},
      {R"({"$ref":"http://x"})", "schema.$ref: \"http://x\" is outside of the schema."},
      {R"({"$ref":"#","type":"object"})",
       "schema: the keyword \"type\" is not supported beside \"$ref\"."},
      {R"({"anyOf":[]})", "schema.anyOf: must be a list of one or more."},
      {R"({"anyOf":[true],"minLength":1})",
       "schema: the keyword \"minLength\" is not supported beside \"anyOf\"."},
      {R"({"type":"string","minLength":5,"maxLength":2})", "schema: maxLength is below minLength."},
      {R"({"type":"string","minLength":-1})",
       "schema.minLength: must be a whole number from 0 to 1000000000."},
      {R"~({"type":"string","pattern":"a(?=b)"})~",
       "schema.pattern: ^, $ and (?…) are not supported here (at byte 1)."},
      {R"({"type":"string","pattern":"("})", "schema.pattern: \")\" is missing (at byte 1)."},
      {R"({"type":"string","pattern":"\\p{L}"})",
       "schema.pattern: \\p is not supported (at byte 2)."},
      {R"({"type":"integer","minimum":5,"maximum":4})",
       "schema: no integer is between its bounds."},
      {R"({"type":"number","maximum":4})",
       "schema: the keyword \"maximum\" is supported of integers only (but \"minimum\": 0)."},
      {R"({"properties":{},"required":["a"],"additionalProperties":false})",
       "schema.required: \"a\" is no property."},
      {R"({"$ref":"#"})",
       "grammar: the rule \"root\" may begin with itself (left recursion). Hint: write a "
       "repetition, "
       "such as item (\",\" item)*."},
  };
  for (const auto& [schema, said] : table) EXPECT_EQ(schema_refusal(schema), said) << schema;
}

// Each either works or says what is too much, soon.
TEST(JsonSchemas, ThatMeanHarmTakeLittleTime) {
  std::string deep;
  for (int i = 0; i < 1000; ++i) deep += R"({"items":)";
  EXPECT_NE(schema_refusal(deep + "true" + std::string(1000, '}')), "");
  std::string doubling = R"({"$ref":"#/$defs/a0","$defs":{)";
  for (int i = 0; i < 60; ++i) {
    const std::string next = R"({"$ref":"#/$defs/a)" + std::to_string(i + 1) + "\"}";
    doubling += "\"a" + std::to_string(i) + R"(":{"allOf":[)" + next + "," + next + "]},";
  }
  EXPECT_NE(schema_refusal(doubling + R"("a60":{"type":"object"}}})"), "");
  EXPECT_NE(schema_refusal(R"({"allOf":[{"$ref":"#"},{"$ref":"#"}]})"), "");
  EXPECT_NE(
      schema_refusal(
          R"({"allOf":[{"properties":{"a":{"allOf":[{"$ref":"#"},{"type":"object"}]}}},{"type":"object"}]})"),
      "");
  EXPECT_EQ(schema_refusal(R"({"type":"string","minLength":1000000,"maxLength":1000000000})"), "");
  EXPECT_EQ(
      schema_refusal(
          R"({"type":"array","items":{"type":"array","maxItems":1000000},"maxItems":1000000})"),
      "");
  std::string many = R"({"properties":{)";
  for (int i = 0; i < 900; ++i) many += "\"p" + std::to_string(i) + R"(":{"type":"integer"},)";
  const Grammar g = Grammar::of_json_schema(many + R"("q":true}})");
  EXPECT_TRUE(g.accepts(R"({"p5":1,"p899":2,"q":3})"));
  EXPECT_FALSE(g.accepts(R"({"p5":1,"p4":2})"));
}

}  // namespace
}  // namespace tg::models
