// Requests of OpenAI's API for chats and completions, as this server understands them: JSON in,
// options out. What would change the answer and is not supported is refused, by name; nothing is
// ignored but what says nothing about the answer. What happens to a request: http_server.cpp.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/server/tool_calls.h"
#include "tg/models/language_model.h"

namespace tg::server {

enum class Endpoint { Chat, Completion };

struct Request {
  Endpoint endpoint = Endpoint::Chat;
  nlohmann::json messages;      ///< of a chat: a list of objects with "role" and "content"
  std::vector<Tool> tools;      ///< of a chat: functions that the answer may call
  std::string tools_json;       ///< the same as the request has them; empty if there are none
  /// The answer has to be a call: of any tool, or of the one of this name if it is not empty.
  bool must_call = false;
  std::string called;
  std::string prompt;           ///< of a completion,
  std::vector<int32_t> tokens;  ///< which may be tokens instead
  models::GenerateOptions options;
  bool limits_tokens = false;  ///< max_tokens was asked for; else there is the context's end
  bool has_seed = false;
  int64_t choices = 1;  ///< answers, each by a seed of its own
  std::vector<std::string> stop;
  bool streams = false, wants_usage = false;  ///< usage: at the end of a stream
};

/// ApiError for a body that is no such request, which names the member.
Request parse_request(std::string_view body, Endpoint endpoint);

/// A conversation for a model without a template: "role: content" in lines of their own, and
/// "assistant:" at the end.
std::string plain_conversation(const nlohmann::json& messages);

}  // namespace tg::server
