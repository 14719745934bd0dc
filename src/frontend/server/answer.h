// Answers of OpenAI's API for chats and completions: the text at once, or as the pieces of a
// stream. Only JSON; sending it: http_server.cpp.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

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

/// {"prompt_tokens": …, "completion_tokens": …, "total_tokens": …}.
nlohmann::json usage(int64_t prompt_tokens, const models::GeneratedText& made);
/// "stop" or "length".
std::string_view finish_reason(models::StopReason reason);

nlohmann::json whole_answer(const AnswerHead& head, const models::GeneratedText& made,
                            int64_t prompt_tokens);
/// The first piece of a stream, which has no text yet; a piece of the text; the last one.
nlohmann::json first_piece(const AnswerHead& head);
nlohmann::json text_piece(const AnswerHead& head, std::string_view text);
nlohmann::json last_piece(const AnswerHead& head, models::StopReason reason);
/// After that, for those who asked: what the answer took.
nlohmann::json usage_piece(const AnswerHead& head, const models::GeneratedText& made,
                           int64_t prompt_tokens);
/// As an event of a stream.
std::string event(const nlohmann::json& piece);
inline constexpr std::string_view kLastEvent = "data: [DONE]\n\n";

}  // namespace tg::server
