// Answers of OpenAI's API for chats and completions: all choices at once, or as the pieces of a
// stream. Only JSON; sending it: completions.cpp.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/server/request.h"
#include "tg/models/text_engine.h"

namespace tg::server {

/// What all pieces of an answer have in common.
struct AnswerHead {
  Endpoint endpoint = Endpoint::Chat;
  std::string id;       ///< "chatcmpl-…" or "cmpl-…"
  int64_t created = 0;  ///< seconds since 1970
  std::string model;
};

/// {"prompt_tokens": …, "completion_tokens": …, "total_tokens": …}; tokens of all choices.
nlohmann::json usage(int64_t prompt_tokens, const std::vector<models::GeneratedText>& made);
/// "stop" or "length".
std::string_view finish_reason(models::StopReason reason);

/// What is said of a choice: null, or as LogprobsWriter and calls_json write it.
struct ChoiceFacts {
  nlohmann::json logprobs = nullptr;
  nlohmann::json tool_calls = nullptr;  ///< with them the text is what stands before
};

/// One of the choices. `text`: of it, or what stands before its calls.
nlohmann::json whole_choice(const AnswerHead& head, size_t index, const std::string& text,
                            std::string_view reason, ChoiceFacts facts);
nlohmann::json whole_answer(const AnswerHead& head, nlohmann::json choices,
                            const std::vector<models::GeneratedText>& made, int64_t prompt_tokens);

/// The first piece of a choice in a stream, which has no text yet; a piece of the text; the last.
nlohmann::json first_piece(const AnswerHead& head, size_t index);
nlohmann::json text_piece(const AnswerHead& head, size_t index, std::string_view text,
                          ChoiceFacts facts);
nlohmann::json last_piece(const AnswerHead& head, size_t index, std::string_view reason);
/// After that, for those who asked: what the answer took.
nlohmann::json usage_piece(const AnswerHead& head, const std::vector<models::GeneratedText>& made,
                           int64_t prompt_tokens);
/// As an event of a stream.
std::string event(const nlohmann::json& piece);
inline constexpr std::string_view kLastEvent = "data: [DONE]\n\n";

}  // namespace tg::server
