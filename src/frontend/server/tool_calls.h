// Calls of functions ("tools") in a model's answer: the forms in which models were trained to write
// them, the grammar of such a form, and reading them. What requests say of tools: request.h.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/language/stop_texts.h"
#include "tg/models/grammar.h"

namespace tg::server {

/// How a model writes calls.
enum class CallForm {
  None,    ///< its template takes no tools
  Tagged,  ///< <tool_call>{"name": …, "arguments": {…}}</tool_call>: Hermes, Qwen
  List,    ///< [TOOL_CALLS] [{"name": …, "arguments": {…}}, …]: Mistral
  Bare,    ///< {"name": …, "parameters": {…}}: Llama 3
};

/// The form that a chat template tells its model to use.
CallForm call_form_of(std::string_view chat_template);

struct Tool {
  std::string name;
  nlohmann::ordered_json parameters;  ///< a JSON Schema
};

/// The texts that are calls of some of these tools: one, or one or more if `several`. ArgumentError
/// as of Grammar::of_json_schema.
models::Grammar grammar_of_calls(const std::vector<Tool>& tools, CallForm form, bool several);

struct ToolCall {
  std::string name, arguments;  ///< arguments: an object of JSON, as text
};

/// An answer taken apart. Without a call it is all content.
struct CallsAndContent {
  std::vector<ToolCall> calls;
  std::string content;  ///< what stands before the calls
};

/// Reads the calls of tools with one of these names, whatever the form; a text that looks like one
/// and is none stays a text.
CallsAndContent read_calls(std::string_view answer, const std::vector<Tool>& tools);

/// Divides a text that comes piece by piece into what certainly is no call, which can be given out
/// at once, and the rest.
class CallFilter {
 public:
  CallFilter() : marks_({"<tool_call>", "[TOOL_CALLS]"}) {}
  std::string add(std::string_view piece);
  /// How many bytes were given out: the rest begins there.
  size_t given() const { return given_; }

 private:
  models::StopTexts marks_;
  bool has_begun_ = false, is_held_ = false;
  std::string spaces_;
  size_t given_ = 0;
};

/// As choices of an answer have them: [{"id", "type": "function", "function": {"name",
/// "arguments"}}, …]. `id` begins the names of the calls; `indexed`: of a stream.
nlohmann::json calls_json(const std::vector<ToolCall>& calls, const std::string& id, bool indexed);

}  // namespace tg::server
