// Chat templates give what Jinja gives, set up as `transformers` does, which made the files in
// tests/reference/chat_templates (make_chat_templates.py). Limits: template_hostile_test.cpp.
#include <gtest/gtest.h>

#include <ctime>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "support/file.h"
#include "support/source_dir.h"
#include "tg/error.h"
#include "tg/models/chat_template.h"

namespace tg::models {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

const fs::path kFolder = test::source_dir() / "tests/reference/chat_templates";
const TemplateTokens kTokens = {{"bos_token", "<s>"}, {"eos_token", "</s>"}};

// As in the script: 26 July 2024, 14:03:09, wherever this runs.
std::chrono::system_clock::time_point reference_time() {
  std::tm t{};
  t.tm_year = 124;
  t.tm_mon = 6;
  t.tm_mday = 26;
  t.tm_hour = 14;
  t.tm_min = 3;
  t.tm_sec = 9;
  t.tm_isdst = -1;
  return std::chrono::system_clock::from_time_t(std::mktime(&t));
}

ordered_json reference(const std::string& name) {
  return ordered_json::parse(read_file(kFolder / name));
}

// The text, or null for an error of the template or the conversation.
ordered_json rendered(const std::string& text, const std::string& messages, ChatOptions o) {
  o.now = reference_time();
  try {
    return ChatTemplate::parse(text, kTokens).render_json(messages, o);
  } catch (const FileError&) {
    return nullptr;
  } catch (const ArgumentError&) {
    return nullptr;
  }
}

std::string shown(const ordered_json& j) { return j.dump(); }

void expect_cases(const std::string& file, size_t least) {
  const ordered_json all = reference(file);
  ASSERT_GE(all.size(), least);
  const ChatOptions o{.variables = all[0]["variables"].dump()};
  for (size_t i = 1; i < all.size(); ++i) {
    const auto text = all[i]["template"].get<std::string>();
    EXPECT_EQ(shown(rendered(text, "[]", o)), shown(all[i]["text"])) << "of: " << text;
  }
}

TEST(TemplateReference, EachPartOfTheLanguageDoesWhatJinjaDoes) {
  expect_cases("snippets.json", 400);
}

TEST(TemplateReference, RandomTemplatesDoWhatJinjaDoes) { expect_cases("random.json", 300); }

class Published : public testing::TestWithParam<size_t> {};

TEST_P(Published, GivesTheTextsOfItsConversations) {
  const ordered_json all = reference("published.json");
  const ordered_json& conversations = all[0]["conversations"];
  const ordered_json& family = all[GetParam()];
  const auto name = family["template"].get<std::string>();
  const std::string text = read_file(kFolder / (name + ".jinja"));
  ASSERT_EQ(family["texts"].size(), conversations.size());
  for (size_t i = 0; i < conversations.size(); ++i) {
    const ordered_json& c = conversations[i];
    const ChatOptions o{
        .add_generation_prompt = c.value("add_generation_prompt", true),
        .tools = c.contains("tools") ? c["tools"].dump() : "",
        .variables = c.contains("variables") ? c["variables"].dump() : "",
    };
    EXPECT_EQ(shown(rendered(text, c["messages"].dump(), o)), shown(family["texts"][i]))
        << name << ", conversation " << i;
  }
}

std::vector<size_t> families() {
  std::vector<size_t> out;
  for (size_t i = 1; i < reference("published.json").size(); ++i) out.push_back(i);
  return out;
}

INSTANTIATE_TEST_SUITE_P(All, Published, testing::ValuesIn(families()), [](const auto& info) {
  return reference("published.json")[info.param]["template"].template get<std::string>();
});

TEST(TemplateReference, HasAllPublishedFamilies) { EXPECT_EQ(families().size(), 21U); }

}  // namespace
}  // namespace tg::models
