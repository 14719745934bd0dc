// See streamed_answer.h.
#include "frontend/server/streamed_answer.h"

#include <fmt/format.h>

#include <algorithm>

#include "frontend/server/api_error.h"

namespace tg::server {

std::string id_of_calls(const AnswerHead& head, size_t choice) {
  return fmt::format("{}_{}", head.id, choice);
}

StreamedAnswer::StreamedAnswer(AnswerHead head, const Request& request,
                               std::vector<models::RunningText> texts,
                               std::shared_ptr<Exchange> exchange,
                               const models::Tokenizer& tokenizer, int64_t prompt_tokens)
    : head_(std::move(head)),
      tools_(request.tools),
      has_logprobs_(request.options.top_logprobs.has_value()),
      wants_usage_(request.wants_usage),
      exchange_(std::move(exchange)),
      prompt_tokens_(prompt_tokens) {
  for (models::RunningText& text : texts)
    choices_.push_back({.text = std::move(text), .logprobs = {tokenizer, head_.endpoint}});
}

std::string StreamedAnswer::next(std::chrono::milliseconds wait) {
  std::string out;
  if (!has_begun_) {
    has_begun_ = true;
    for (size_t i = 0; i < choices_.size(); ++i) out += event(first_piece(head_, i));
    return out;
  }
  try {
    for (const ChoicePiece& piece : exchange_->take(wait)) out += events_of(piece);
    if (std::ranges::all_of(choices_, &Choice::has_ended)) {
      out += last_events();
      has_ended_ = true;
    }
  } catch (const std::exception& e) {
    out += event(ApiError(500, "server_error", e.what()).body());
    has_ended_ = true;
  }
  return out;
}

std::string StreamedAnswer::events_of(const ChoicePiece& piece) {
  Choice& choice = choices_[piece.choice];
  const std::string text = tools_.empty() ? piece.text : choice.calls.add(piece.text);
  ChoiceFacts facts;
  if (has_logprobs_ && !piece.logprobs.empty())
    facts.logprobs = choice.logprobs.next(piece.logprobs);
  std::string out;
  if (!text.empty() || !facts.logprobs.is_null())
    out = event(text_piece(head_, piece.choice, text, std::move(facts)));
  if (piece.is_last) out += end_of(choice, piece.choice);
  return out;
}

// What was held back, as calls or as the text that it is after all.
std::string StreamedAnswer::end_of(Choice& choice, size_t index) {
  choice.has_ended = true;
  const models::GeneratedText made = choice.text.result();
  std::string_view reason = finish_reason(made.reason);
  std::string out;
  if (!tools_.empty()) {
    const CallsAndContent parts = read_calls(made.text, tools_);
    const std::string rest = made.text.substr(std::min(choice.calls.given(), made.text.size()));
    if (!parts.calls.empty()) {
      reason = "tool_calls";
      out = event(
          text_piece(head_, index, "",
                     {.tool_calls = calls_json(parts.calls, id_of_calls(head_, index), true)}));
    } else if (!rest.empty()) {
      out = event(text_piece(head_, index, rest, {}));
    }
  }
  return out + event(last_piece(head_, index, reason));
}

std::string StreamedAnswer::last_events() {
  std::string out;
  if (wants_usage_) {
    std::vector<models::GeneratedText> made;
    for (const Choice& c : choices_) made.push_back(c.text.result());
    out = event(usage_piece(head_, made, prompt_tokens_));
  }
  return out.append(kLastEvent);
}

}  // namespace tg::server
