// Chat templates that are wrong or meant to harm: an error with the line, in bounded time and
// memory. What right ones give: template_reference_test.cpp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "tg/error.h"
#include "tg/models/chat_template.h"

namespace tg::models {
namespace {

using testing::AnyOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

std::string repeated(std::string_view text, int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += text;
  return out;
}

// What is said of the template; its text where nothing is.
std::string said(const std::string& text, const ChatOptions& o = {},
                 const std::string& messages = "[]") {
  try {
    return "gives " + ChatTemplate::parse(text).render_json(messages, o);
  } catch (const FileError& e) {
    return std::string("file: ") + e.what();
  } catch (const ArgumentError& e) {
    return std::string("argument: ") + e.what();
  }
}

TEST(WrongTemplates, AreRefusedWithTheirLine) {
  EXPECT_EQ(said("a\n{% if x %}\nb"),
            "file: chat template: line 2: \"elif\" or \"else\" or \"endif\" is missing.");
  EXPECT_EQ(said("a\n\n{{ 1 + }}"),
            "file: chat template: line 3: expected an expression, got \"}}\".");
  EXPECT_EQ(said("{# a"), "file: chat template: line 1: a comment has no end.");
  EXPECT_EQ(said("\n{{ 'a"), "file: chat template: line 2: a text in quotes has no end.");
  EXPECT_EQ(said("{% include 'x' %}"),
            "file: chat template: line 1: \"include\" needs other templates, which a chat template "
            "does not have.");
  EXPECT_EQ(said("{{ 99999999999999999999 }}"),
            "file: chat template: line 1: the number 99999999999999999999 has more than 64 bits.");
  EXPECT_EQ(said("a\n{{ raise_exception('Roles must alternate!') }}"),
            "argument: chat template: line 2: the template refuses this: Roles must alternate!.");
  EXPECT_EQ(said("a\n{{ nobody.name }}"),
            "argument: chat template: line 2: \"nobody\" is undefined.");
  EXPECT_EQ(said("{{ 1 + 'a' }}"),
            "argument: chat template: line 1: + does not take 'int' and 'str'.");
  EXPECT_EQ(said("{{ 9223372036854775807 + 1 }}"),
            "argument: chat template: line 1: a whole number has more than 64 bits.");
  EXPECT_EQ(said("{{ messages.append(1) }}"),
            "argument: chat template: line 1: \"append\" would change a value, which no template "
            "may.");
}

TEST(WrongTemplates, HaveConversationsThatAreNone) {
  EXPECT_EQ(said("a", {}, "{}"), "argument: messages: is no list.");
  EXPECT_THAT(said("a", {}, "[1,"), StartsWith("argument: messages: is not JSON at byte"));
  EXPECT_THAT(said("a", {}, "[1e999]"), EndsWith("messages: has a number that is out of range."));
  EXPECT_EQ(said("a", {}, repeated("[", 100000)), "argument: messages: is nested too deeply.");
  EXPECT_EQ(said("a", {.tools = "1"}), "argument: tools: is no list.");
  EXPECT_EQ(said("a", {.variables = "[]"}), "argument: variables: is no object.");
}

TEST(HostileTemplates, NestTooDeeply) {
  constexpr int kMany = 40'000;
  for (const auto& [open, close] : {std::pair("(", ")"),
                                    {"[", "]"},
                                    {"{1:", "}"},
                                    {"not ", ""},
                                    {"-", ""},
                                    {"a[", "]"},
                                    {"f(", ")"},
                                    {"1 if 1 else ", ""}}) {
    EXPECT_THAT(said("{{ " + repeated(open, kMany) + "1" + repeated(close, kMany) + " }}"),
                HasSubstr("line 1: the template is nested too deeply"))
        << open;
  }
  for (const char* chain : {"a + ", "a * ", "a and ", "a or ", "a ** "}) {
    EXPECT_THAT(said("{{ " + repeated(chain, kMany) + "a }}"),
                HasSubstr("the template is nested too deeply"))
        << chain;
  }
  for (const char* chain : {".a", "|upper", "[0]", "()"})
    EXPECT_THAT(said("{{ a" + repeated(chain, kMany) + " }}"), HasSubstr("nested too deeply"));
  EXPECT_THAT(said(repeated("{% if 1 %}", kMany) + repeated("{% endif %}", kMany)),
              HasSubstr("nested too deeply"));
  EXPECT_EQ(said("{{ 'a'" + repeated(" ~ 'b'", 1000) + " }}"), "gives a" + repeated("b", 1000));
}

TEST(HostileTemplates, CallThemselvesForEver) {
  const std::string error = "calls are nested too deeply";
  EXPECT_THAT(said("{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}"), HasSubstr(error));
  EXPECT_THAT(said("{% macro f(x) %}{{ f([x|string|upper]) ~ 'a' if 1 else 2 }}{% endmacro %}"
                   "{{ f(1) }}"),
              AnyOf(HasSubstr(error), HasSubstr("grows too long")));
  EXPECT_THAT(said("{% for x in [1] recursive %}{{ loop([1]) }}{% endfor %}"), HasSubstr(error));
  EXPECT_THAT(said("{% macro f() %}{% call f() %}{% endcall %}{% endmacro %}{{ f() }}"),
              HasSubstr("nested too deeply"));
}

TEST(HostileTemplates, TakeTooManySteps) {
  const std::string error = "the template takes too many steps";
  const std::string loops = repeated("{% for i in range(100000) %}", 3);
  EXPECT_THAT(said(loops + repeated("{% endfor %}", 3)), HasSubstr(error));
  EXPECT_THAT(said(loops + "{% set x = [1] * 1000 %}" + repeated("{% endfor %}", 3)),
              HasSubstr(error));
  // Two lists of 2^60 items each, which are equal: each level is compared twice.
  EXPECT_THAT(said("{% set ns = namespace(a=[], b=[]) %}{% for i in range(60) %}"
                   "{% set ns.a = [ns.a, ns.a] %}{% set ns.b = [ns.b, ns.b] %}{% endfor %}"
                   "{{ ns.a == ns.b }}"),
              HasSubstr(error));
}

TEST(HostileTemplates, MakeTooMuch) {
  EXPECT_THAT(said("{{ range(100001) }}"),
              HasSubstr("a range has 100001 items, of at most 100000"));
  EXPECT_THAT(said("{{ range(-9223372036854775807, 9223372036854775807, 1)|list }}"),
              HasSubstr("of at most 100000"));
  EXPECT_THAT(said("{{ 'a' * 99999999999 }}"), HasSubstr("a text grows too long"));
  EXPECT_THAT(said("{{ [1] * 99999999999 }}"), HasSubstr("a list has too many items"));
  EXPECT_THAT(said("{{ 'a'.center(99999999999) }}"), HasSubstr("a text grows too long"));
  EXPECT_THAT(said("{{ 'a'|indent(99999999999, true) }}"), HasSubstr("a text grows too long"));
  EXPECT_THAT(said("{{ '%99999999999d' % 1 }}"), HasSubstr("too wide a field"));
  EXPECT_THAT(said("{{ [[1]]|tojson(indent=99999999999) }}"), HasSubstr("too wide"));
  EXPECT_THAT(said("{{ strftime_now('%999999999d') }}"), HasSubstr("line 1"));
  const std::string grows = "{% set ns = namespace(x='ab') %}{% for i in range(60) %}";
  for (const char* step :
       {"ns.x ~ ns.x", "ns.x + ns.x", "ns.x.replace('a', ns.x)", "ns.x|replace('', ns.x)",
        "ns.x.join(ns.x)", "[ns.x, ns.x]|join(ns.x)"}) {
    EXPECT_THAT(said(grows + "{% set ns.x = " + step + " %}{% endfor %}"),
                HasSubstr("a text grows too long"))
        << step;
  }
  EXPECT_THAT(said("{% for i in range(100000) %}" + repeated("text ", 100) + "{% endfor %}"),
              HasSubstr("too long"));
  EXPECT_THAT(said("{% set ns = namespace(x=[]) %}{% for i in range(1000) %}"
                   "{% set ns.x = [ns.x] %}{% endfor %}"),
              HasSubstr("values are nested too deeply"));
  EXPECT_THAT(said("{% set ns = namespace(x=[]) %}{% for i in range(40) %}"
                   "{% set ns.x = [ns.x, ns.x] %}{% endfor %}{{ ns.x }}"),
              HasSubstr("a text grows too long"));
}

// Texts that are found late, or nearly, again and again.
TEST(HostileTemplates, SearchForLong) {
  const auto begin = std::chrono::steady_clock::now();
  const std::string texts =
      "{% set a = 'a' * 4000000 %}{% set b = 'a' * 2000000 ~ 'b' %}{% for i in range(100) %}";
  for (const char* step : {"{{ b in a }}", "{{ a.count(b) }}", "{{ a.strip(b)|length }}",
                           "{{ a.rsplit(b)|length }}", "{{ a.replace(b, '')|length }}",
                           "{{ a|wordcount }}", "{{ {a: 1}[a] }}", "{{ a is sameas(b) }}",
                           "{{ ([a] * 1000)|sort|length }}", "{{ [a]|unique(true)|list|length }}",
                           "{{ b.startswith((a, a, a)) }}", "{{ (a ~ i) is lower }}"})
    EXPECT_THAT(said(texts + step + "{% endfor %}"), HasSubstr("too many steps")) << step;
  const auto seconds = std::chrono::steady_clock::now() - begin;
  EXPECT_LT(std::chrono::duration<double>(seconds).count(), 60);
}

TEST(HostileTemplates, KeepWhatIsGone) {
  EXPECT_THAT(said("{% set ns = namespace() %}{% for i in [1] %}{% set ns.l = loop %}{% endfor %}"
                   "{{ ns.l.index }}"),
              HasSubstr("this loop is over"));
  EXPECT_EQ(said("{% set ns = namespace() %}{% for i in [1] %}{% macro f() %}{{ i }}{% endmacro %}"
                 "{% set ns.f = f %}{% endfor %}[{{ ns.f() }}]"),
            "gives []");
  EXPECT_EQ(said("{% set ns = namespace() %}{% set ns.a = ns %}{{ ns.a.a.a is defined }}"),
            "gives True");
  EXPECT_THAT(said("{% set ns = namespace() %}{% set ns.a = [ns] %}{{ ns.a }}"),
              HasSubstr("'Namespace' cannot be printed"));
}

TEST(HostileTemplates, AreNoUtf8) {
  EXPECT_EQ(said("a\xff{{ '\xc3' }}"), "gives a\uFFFD\uFFFD");
  const auto chat = ChatTemplate::parse("{{ messages[0].content[::-1] }}");
  EXPECT_EQ(chat.render({{"user", "a\xff"}}),
            "\uFFFD"
            "a");
}

}  // namespace
}  // namespace tg::models
