// Where chat templates come from: folders of Hugging Face and GGUF files; and what a program gives
// them. What they mean: template_reference_test.cpp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "support/file.h"
#include "tg/error.h"
#include "tg/models/chat_template.h"
#include "unit/nn/file_builders.h"

namespace tg::models {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

std::string text_of(const std::optional<ChatTemplate>& chat) {
  return chat ? chat->render({}) : "none";
}

class TemplateFiles : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) const {
    fs::create_directories((folder_.path() / name).parent_path());
    write_file(folder_.path() / name, text);
  }
  std::string loaded(std::string_view which = {}) const {
    return text_of(ChatTemplate::load(folder_.path(), which));
  }

  const TempDir folder_{"chat_template"};
};

TEST_F(TemplateFiles, AreOfTheSettingsOfAFolder) {
  EXPECT_EQ(loaded(), "none");
  write("tokenizer_config.json", "{}");
  EXPECT_EQ(loaded(), "none");
  write("tokenizer_config.json", R"({"bos_token":"<s>","eos_token":{"content":"</s>"},)"
                                 R"("pad_token":null,"add_bos_token":true,)"
                                 R"("chat_template":"{{ bos_token }}a{{ eos_token }}"})");
  EXPECT_EQ(loaded(), "<s>a</s>");
  EXPECT_EQ(loaded("default"), "<s>a</s>");
  EXPECT_EQ(loaded("tool_use"), "none");
  EXPECT_EQ(template_tokens(folder_.path()),
            (TemplateTokens{{"bos_token", "<s>"}, {"eos_token", "</s>"}}));
}

TEST_F(TemplateFiles, HaveNames) {
  write("tokenizer_config.json", R"({"chat_template":[{"name":"default","template":"a"},)"
                                 R"({"name":"tool_use","template":"b"}]})");
  EXPECT_EQ(loaded(), "a");
  EXPECT_EQ(loaded("tool_use"), "b");
  EXPECT_EQ(loaded("rag"), "none");
  write("additional_chat_templates/rag.jinja", "c");
  EXPECT_EQ(loaded("rag"), "c");
  EXPECT_EQ(loaded("../additional_chat_templates/rag"), "none");
}

TEST_F(TemplateFiles, OfTheirOwnGoBeforeTheSettings) {
  write("tokenizer_config.json", R"({"bos_token":"<s>","chat_template":"a"})");
  write("chat_template.jinja", "{{ bos_token }}own\n");
  EXPECT_EQ(loaded(), "<s>own");
}

TEST_F(TemplateFiles, AreRefusedByNameAndLine) {
  const auto said = [&] {
    try {
      loaded();
    } catch (const FileError& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  write("tokenizer_config.json", "[]");
  EXPECT_THAT(said(), HasSubstr("tokenizer_config.json: is no object."));
  write("tokenizer_config.json", R"({"chat_template":5})");
  EXPECT_THAT(said(), HasSubstr("tokenizer_config.json.chat_template: is no list."));
  write("tokenizer_config.json", R"({"chat_template":[{"name":"default"}]})");
  EXPECT_THAT(said(), HasSubstr("chat_template[0].template: is missing."));
  write("tokenizer_config.json", R"({"chat_template":"\n{{ a"})");
  EXPECT_THAT(said(), HasSubstr("line 2: a tag has no end"));
}

TEST_F(TemplateFiles, AreAmongTheFactsOfGguf) {
  // A fact is its type and its bytes: 4 a whole number, 8 a text, 9 a list.
  const auto text = [](std::string_view t) { return nn::bytes_le(8, 4) + nn::gguf_text(t); };
  const auto whole = [](uint64_t v) { return nn::bytes_le(4, 4) + nn::bytes_le(v, 4); };
  const std::string tokens = nn::bytes_le(9, 4) + nn::bytes_le(8, 4) + nn::bytes_le(2, 8) +
                             nn::gguf_text("<unk>") + nn::gguf_text("<s>");
  const std::string file_text =
      nn::gguf({{"general.architecture", text("llama")},
                {"tokenizer.ggml.tokens", tokens},
                {"tokenizer.ggml.bos_token_id", whole(1)},
                {"tokenizer.ggml.eos_token_id", whole(7)},
                {"tokenizer.chat_template", text("{{ bos_token }}{{ eos_token }}a")},
                {"tokenizer.chat_template.rag", text("b")}},
               {});
  write("model.gguf", file_text);
  const fs::path file = folder_.path() / "model.gguf";
  EXPECT_EQ(text_of(ChatTemplate::load(file)), "<s>a");
  EXPECT_EQ(text_of(ChatTemplate::load(file, "rag")), "b");
  EXPECT_EQ(text_of(ChatTemplate::load(file, "tool_use")), "none");
}

TEST(ChatTemplates, SeeWhatMessagesHaveBesideTheirText) {
  const auto chat = ChatTemplate::parse(
      "{% for m in messages %}{{ m.role }}:{{ m.content }}:{{ m.tool_calls }};{% endfor %}"
      "{{ add_generation_prompt }}{{ tools }}{{ documents }}{{ thinking }}");
  EXPECT_EQ(
      chat.render(
          {{"user", "a"}, {"assistant", "b", R"({"tool_calls":[1],"content":null})"}},
          {.add_generation_prompt = false, .tools = "[2]", .variables = R"({"thinking":true})"}),
      "user:a:;assistant:None:[1];False[2]NoneTrue");
}

TEST(ChatTemplates, AreTheSameAfterACopy) {
  std::optional<ChatTemplate> first = ChatTemplate::parse("{{ bos_token }}", {{"bos_token", "x"}});
  const ChatTemplate copy = *first;
  first.reset();
  EXPECT_EQ(copy.render({}), "x");
  EXPECT_EQ(copy.text(), "{{ bos_token }}");
  EXPECT_EQ(copy.tokens().at("bos_token"), "x");
}

}  // namespace
}  // namespace tg::models
