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

json piece(const AnswerHead& head, size_t index, json content, json reason, json logprobs) {
  json choice = {
      {"index", index}, {"logprobs", std::move(logprobs)}, {"finish_reason", std::move(reason)}};
  choice[is_chat(head) ? "delta" : "text"] = std::move(content);
  return with_head(head, is_chat(head) ? "chat.completion.chunk" : "text_completion",
                   json::array({std::move(choice)}));
}

}  // namespace

json usage(int64_t prompt_tokens, const std::vector<models::GeneratedText>& made) {
  int64_t answer = 0;
  for (const models::GeneratedText& m : made) answer += std::ssize(m.tokens);
  const int64_t reused = made.empty() ? 0 : made.front().reused;
  return {{"prompt_tokens", prompt_tokens},
          {"completion_tokens", answer},
          {"total_tokens", prompt_tokens + answer},
          {"prompt_tokens_details", {{"cached_tokens", reused}}}};
}

std::string_view finish_reason(models::StopReason reason) {
  using Reason = models::StopReason;
  const bool is_complete =
      reason == Reason::StopToken || reason == Reason::StopText || reason == Reason::GrammarEnd;
  return is_complete ? "stop" : "length";
}

json whole_choice(const AnswerHead& head, size_t index, const std::string& text,
                  std::string_view reason, ChoiceFacts facts) {
  json choice = {
      {"index", index}, {"logprobs", std::move(facts.logprobs)}, {"finish_reason", reason}};
  if (!is_chat(head)) {
    choice["text"] = text;
    return choice;
  }
  const bool has_calls = !facts.tool_calls.is_null();
  choice["message"] = {{"role", "assistant"},
                       {"content", has_calls && text.empty() ? json() : json(text)}};
  if (has_calls) choice["message"]["tool_calls"] = std::move(facts.tool_calls);
  return choice;
}

json whole_answer(const AnswerHead& head, json choices,
                  const std::vector<models::GeneratedText>& made, int64_t prompt_tokens) {
  json out =
      with_head(head, is_chat(head) ? "chat.completion" : "text_completion", std::move(choices));
  out["usage"] = usage(prompt_tokens, made);
  return out;
}

json first_piece(const AnswerHead& head, size_t index) {
  return piece(head, index, is_chat(head) ? json{{"role", "assistant"}, {"content", ""}} : json(""),
               {}, {});
}

json text_piece(const AnswerHead& head, size_t index, std::string_view text, ChoiceFacts facts) {
  json content = is_chat(head) ? json{{"content", text}} : json(text);
  if (!facts.tool_calls.is_null()) content = {{"tool_calls", std::move(facts.tool_calls)}};
  return piece(head, index, std::move(content), {}, std::move(facts.logprobs));
}

json last_piece(const AnswerHead& head, size_t index, std::string_view reason) {
  return piece(head, index, is_chat(head) ? json::object() : json(""), reason, {});
}

json usage_piece(const AnswerHead& head, const std::vector<models::GeneratedText>& made,
                 int64_t prompt_tokens) {
  json out =
      with_head(head, is_chat(head) ? "chat.completion.chunk" : "text_completion", json::array());
  out["usage"] = usage(prompt_tokens, made);
  return out;
}

std::string event(const json& piece) { return "data: " + written(piece) + "\n\n"; }

}  // namespace tg::server
