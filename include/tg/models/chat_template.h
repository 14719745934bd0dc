// Conversations as the text that a model was trained on: templates in the language Jinja, which
// models are published with. They render here as in the package `transformers`. Link
// `tinygrad::models`.
//
//   const auto chat = tg::models::ChatTemplate::load("SmolLM2-135M-Instruct");
//   const std::string prompt = chat->render({{{"user", "Who are you?"}}});
//   model.tokenizer()->encode(prompt, false);  // the text has the special tokens itself
//
// What templates may use, and what is refused: docs/language-models.md.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tg/export.h"

namespace tg::models {

/// What one side says.
struct Message {
  std::string role;     ///< "system", "user", "assistant", "tool", …
  std::string content;  ///< the text
  /// An object of JSON with what else a template reads of it, such as "tool_calls"; empty: nothing.
  /// A member "content" here takes the place of the text.
  std::string more = {};
};

/// Of ChatTemplate::render.
struct ChatOptions {
  /// Whether the text ends with the beginning of the assistant's answer.
  bool add_generation_prompt = true;
  std::string tools = {};      ///< a list of JSON, each a function that may be called; empty: none
  std::string documents = {};  ///< a list of JSON, each a text to answer from; empty: none
  std::string variables = {};  ///< an object of JSON: further variables, such as enable_thinking
  /// The time that strftime_now of the template shows, in the machine's zone; none: now.
  std::optional<std::chrono::system_clock::time_point> now = {};
};

/// Special tokens by the names that templates know them by: "bos_token", "eos_token", …
using TemplateTokens = std::map<std::string, std::string, std::less<>>;

/// A template. Immutable; a copy shares everything; any thread may use one.
///
/// Rendering ends with an ArgumentError where it takes more than ten million steps, texts of 8 MiB,
/// lists of a million items or a hundred lists within one another: a file may ask for more than any
/// machine has.
class TG_API ChatTemplate {
 public:
  /// From the text of a template, which messages call `name`. FileError, with the line, for what is
  /// no template of the language.
  static ChatTemplate parse(std::string_view text, const TemplateTokens& tokens = {},
                            const std::string& name = "chat template");

  /// The template of a model: of a folder as Hugging Face has it, or of a GGUF file. Where a model
  /// has several, that of the name `which`, or the usual one if it is empty. None if the model has
  /// no such template. FileError for files that are wrong.
  static std::optional<ChatTemplate> load(const std::filesystem::path& folder_or_gguf,
                                          std::string_view which = {});

  /// The text of a conversation. It holds the special tokens, also that of the beginning: encode it
  /// without adding any. ArgumentError, with the line, for what the template refuses
  /// (raise_exception), what its language does not allow, and beyond the limits above.
  std::string render(const std::vector<Message>& messages, const ChatOptions& options = {}) const;

  /// The same of messages as a list of JSON, each with its role and content, which may be a list of
  /// parts. ArgumentError also for what is no JSON.
  std::string render_json(std::string_view messages, const ChatOptions& options = {}) const;

  /// The text that it was made of.
  const std::string& text() const;
  const TemplateTokens& tokens() const;

 private:
  struct Parts;
  explicit ChatTemplate(std::shared_ptr<const Parts> parts);
  std::shared_ptr<const Parts> parts_;
};

/// The special tokens of a model's files, as load gives them to its template.
TG_API TemplateTokens template_tokens(const std::filesystem::path& folder_or_gguf);

}  // namespace tg::models
