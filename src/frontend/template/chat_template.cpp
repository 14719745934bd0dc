// A chat template as a whole: its tree, and the variables that `transformers` gives it. Where
// templates come from: template_file.cpp.
#include "tg/models/chat_template.h"

#include <fmt/format.h>

#include "frontend/template/parser.h"
#include "frontend/template/print.h"
#include "frontend/template/renderer.h"
#include "frontend/tokenizer/unicode.h"
#include "support/check.h"

namespace tg::models {
namespace {

using jinja::Dict;
using jinja::Value;

// The longest published one has 50 kB.
constexpr size_t kMostTemplate = size_t{1} << 20;

Value text_value(std::string_view text) { return valid_text(text); }

Value list_or_none(const std::string& json, const std::string& name) {
  if (json.empty()) return jinja::None{};
  Value out = jinja::value_of_json(json, name);
  if (out.list() == nullptr) user_error<ArgumentError>(name, "is no list");
  return out;
}

void set_all(Dict& into, const std::string& json, const std::string& name) {
  if (json.empty()) return;
  const Value members = jinja::value_of_json(json, name);
  if (members.dict() == nullptr) user_error<ArgumentError>(name, "is no object");
  for (const auto& [key, value] : members.dict()->entries()) into.set(key, value);
}

Value message_value(const Message& m) {
  Dict out;
  out.set(text_value("role"), text_value(m.role));
  out.set(text_value("content"), text_value(m.content));
  set_all(out, m.more, "a message");
  return jinja::make_dict(std::move(out));
}

}  // namespace

struct ChatTemplate::Parts {
  std::string text, name;
  TemplateTokens tokens;
  jinja::Syntax syntax;

  std::string render(Value messages, const ChatOptions& o) const;
  Dict variables(Value messages, const ChatOptions& o) const;
};

// As apply_chat_template of `transformers` has them: tools and documents are there in any case.
Dict ChatTemplate::Parts::variables(Value messages, const ChatOptions& o) const {
  Dict out;
  for (const auto& [token, content] : tokens) out.set(text_value(token), text_value(content));
  out.set(text_value("messages"), std::move(messages));
  out.set(text_value("tools"), list_or_none(o.tools, "tools"));
  out.set(text_value("documents"), list_or_none(o.documents, "documents"));
  out.set(text_value("add_generation_prompt"), o.add_generation_prompt);
  set_all(out, o.variables, "variables");
  return out;
}

std::string ChatTemplate::Parts::render(Value messages, const ChatOptions& o) const {
  const auto fail = [&](uint32_t line, std::string_view problem) {
    user_error<ArgumentError>(fmt::format("{}: line {}", name, line), problem);
  };
  std::optional<jinja::Renderer> renderer;
  try {
    renderer.emplace(syntax, variables(std::move(messages), o),
                     o.now.value_or(std::chrono::system_clock::now()));
    return renderer->render();
  } catch (const jinja::Refusal& e) {
    fail(renderer ? renderer->line() : 1, e.what());
  }
  return {};
}

ChatTemplate::ChatTemplate(std::shared_ptr<const Parts> parts) : parts_(std::move(parts)) {}

ChatTemplate ChatTemplate::parse(std::string_view text, const TemplateTokens& tokens,
                                 const std::string& name) {
  if (text.size() > kMostTemplate) {
    user_error<FileError>(
        name, fmt::format("a template has {} bytes, of at most {}", text.size(), kMostTemplate));
  }
  auto parts = std::make_shared<Parts>();
  parts->text = valid_text(text);
  parts->name = name;
  parts->tokens = tokens;
  try {
    parts->syntax = jinja::syntax_of(parts->text);
  } catch (const jinja::SyntaxProblem& e) {
    user_error<FileError>(fmt::format("{}: line {}", name, e.line), e.problem);
  }
  return ChatTemplate(std::move(parts));
}

std::string ChatTemplate::render(const std::vector<Message>& messages,
                                 const ChatOptions& options) const {
  std::vector<Value> values;
  for (const Message& m : messages) values.push_back(message_value(m));
  return parts_->render(jinja::make_list(std::move(values)), options);
}

std::string ChatTemplate::render_json(std::string_view messages, const ChatOptions& options) const {
  Value list = jinja::value_of_json(messages, "messages");
  if (list.list() == nullptr) user_error<ArgumentError>("messages", "is no list");
  return parts_->render(std::move(list), options);
}

const std::string& ChatTemplate::text() const { return parts_->text; }
const TemplateTokens& ChatTemplate::tokens() const { return parts_->tokens; }

}  // namespace tg::models
