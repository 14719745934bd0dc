// See answer.h.
#include "frontend/server/answer.h"

#include "frontend/server/api_error.h"

namespace tg::server {
namespace {

using nlohmann::json;

bool is_chat(const AnswerHead& head) { return head.endpoint == Endpoint::Chat; }

json with_head(const AnswerHead& head, std::string_view object, json choices) {
  return {{"id", head.id},
          {"object", object},
          {"created", head.created},
          {"model", head.model},
          {"choices", std::move(choices)}};
}

json piece(const AnswerHead& head, json content, json reason) {
  json choice = {{"index", 0}, {"logprobs", nullptr}, {"finish_reason", std::move(reason)}};
  choice[is_chat(head) ? "delta" : "text"] = std::move(content);
  return with_head(head, is_chat(head) ? "chat.completion.chunk" : "text_completion",
                   json::array({std::move(choice)}));
}

}  // namespace

json usage(int64_t prompt_tokens, const models::GeneratedText& made) {
  const auto answer = static_cast<int64_t>(made.tokens.size());
  return {{"prompt_tokens", prompt_tokens},
          {"completion_tokens", answer},
          {"total_tokens", prompt_tokens + answer},
          {"prompt_tokens_details", {{"cached_tokens", made.reused}}}};
}

std::string_view finish_reason(models::StopReason reason) {
  using Reason = models::StopReason;
  const bool is_complete =
      reason == Reason::StopToken || reason == Reason::StopText || reason == Reason::GrammarEnd;
  return is_complete ? "stop" : "length";
}

json whole_answer(const AnswerHead& head, const models::GeneratedText& made,
                  int64_t prompt_tokens) {
  json choice = {
      {"index", 0}, {"logprobs", nullptr}, {"finish_reason", finish_reason(made.reason)}};
  if (is_chat(head)) {
    choice["message"] = {{"role", "assistant"}, {"content", made.text}};
  } else {
    choice["text"] = made.text;
  }
  json out = with_head(head, is_chat(head) ? "chat.completion" : "text_completion",
                       json::array({std::move(choice)}));
  out["usage"] = usage(prompt_tokens, made);
  return out;
}

json first_piece(const AnswerHead& head) {
  return piece(head, is_chat(head) ? json{{"role", "assistant"}, {"content", ""}} : json(""), {});
}

json text_piece(const AnswerHead& head, std::string_view text) {
  return piece(head, is_chat(head) ? json{{"content", text}} : json(text), {});
}

json last_piece(const AnswerHead& head, models::StopReason reason) {
  return piece(head, is_chat(head) ? json::object() : json(""), finish_reason(reason));
}

json usage_piece(const AnswerHead& head, const models::GeneratedText& made, int64_t prompt_tokens) {
  json out =
      with_head(head, is_chat(head) ? "chat.completion.chunk" : "text_completion", json::array());
  out["usage"] = usage(prompt_tokens, made);
  return out;
}

std::string event(const json& piece) { return "data: " + written(piece) + "\n\n"; }

}  // namespace tg::server
