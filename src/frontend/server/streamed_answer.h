// An answer as a stream of events: what comes of its choices, as it comes. Only text; sending it:
// completions.cpp.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "frontend/server/answer.h"
#include "frontend/server/exchange.h"
#include "frontend/server/logprobs.h"

namespace tg::server {

/// How calls in a choice of an answer are named, before their number.
std::string id_of_calls(const AnswerHead& head, size_t choice);

class StreamedAnswer {
 public:
  /// `texts`: of the choices, whose pieces come by `exchange`. The tokenizer outlives this.
  StreamedAnswer(AnswerHead head, const Request& request, std::vector<models::RunningText> texts,
                 std::shared_ptr<Exchange> exchange, const models::Tokenizer& tokenizer,
                 int64_t prompt_tokens);

  /// The events since the last call, for which it waits so long; first the beginnings of all
  /// choices.
  std::string next(std::chrono::milliseconds wait);
  /// Whether there are no more.
  bool has_ended() const { return has_ended_; }

 private:
  struct Choice {
    models::RunningText text;
    LogprobsWriter logprobs;
    CallFilter calls = {};
    bool has_ended = false;
  };

  std::string events_of(const ChoicePiece& piece);
  std::string end_of(Choice& choice, size_t index);
  std::string last_events();

  AnswerHead head_;
  std::vector<Tool> tools_;
  bool has_logprobs_, wants_usage_;
  std::vector<Choice> choices_;
  std::shared_ptr<Exchange> exchange_;
  int64_t prompt_tokens_;
  bool has_begun_ = false, has_ended_ = false;
};

}  // namespace tg::server
