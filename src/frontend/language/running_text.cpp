// See running_text.h.
#include "frontend/language/running_text.h"

#include <algorithm>

#include "frontend/language/loaded_model.h"
#include "support/check.h"

namespace tg::models {

RunningText::State::State(TextRequest asked, const Tokenizer* tokenizer,
                          const std::vector<int32_t>& stops, const TokenIndex* index)
    : request(std::move(asked)),
      stop_tokens(request.options.stop.value_or(stops)),
      choice(request.options, stop_tokens, index),
      stop_texts(request.stop_texts),
      tokens(request.prompt),
      submitted(seconds_now()) {
  if (tokenizer != nullptr) {
    stream.emplace(*tokenizer);
  } else if (request.on_text || !request.stop_texts.empty()) {
    user_error<ArgumentError>("submit", "the model has no tokenizer",
                              "Hint: put its tokenizer.json beside it.");
  }
  if (std::ranges::find(request.stop_texts, "") != request.stop_texts.end())
    user_error<ArgumentError>("submit", "a stop text is empty");
}

bool RunningText::State::give(std::string_view piece) {
  made.text += piece;
  return piece.empty() || !request.on_text || request.on_text(piece);
}

bool RunningText::State::take(int32_t token) {
  if (made.tokens.empty()) first = seconds_now();
  if (std::ranges::find(stop_tokens, token) != stop_tokens.end()) {
    made.reason = StopReason::StopToken;
    return false;
  }
  tokens.push_back(token);
  made.tokens.push_back(token);
  if (choice.logprobs()) {
    made.logprobs.push_back(*choice.logprobs());
    if (request.on_logprobs) request.on_logprobs(*choice.logprobs());
  }
  choice.take(token);
  bool goes_on = !request.on_token || request.on_token(token);
  if (stream) goes_on = give(stop_texts.add(stream->add(token))) && goes_on;
  made.reason = stop_texts.found()  ? StopReason::StopText
                : !goes_on          ? StopReason::Callback
                : choice.must_end() ? StopReason::GrammarEnd
                                    : StopReason::MaxTokens;
  return made.reason == StopReason::MaxTokens &&
         static_cast<int64_t>(made.tokens.size()) < request.options.max_tokens;
}

void RunningText::State::finish(StopReason reason) {
  std::exception_ptr error;
  try {
    if (stream && !stop_texts.found()) {
      give(stop_texts.add(stream->finish()));
      give(stop_texts.finish());
    }
  } catch (...) {
    error = std::current_exception();
  }
  made.reason = reason;
  if (error) return fail(std::move(error));
  end();
}

void RunningText::State::fail(std::exception_ptr error) {
  error_ = std::move(error);
  end();
}

void RunningText::State::end() {
  const double now = seconds_now();
  if (started == 0) started = now;
  if (first == 0) first = now;
  made.waited_seconds = started - submitted;
  made.prompt_seconds = first - started;
  made.answer_seconds = now - first;
  {
    const std::scoped_lock lock(mutex_);
    has_ended_ = true;
  }
  ended_.notify_all();
  try {
    if (request.on_end) request.on_end();
  } catch (...) {  // nobody is left to tell
  }
}

RunningText::RunningText(std::shared_ptr<State> state) : state_(std::move(state)) {}

void RunningText::cancel() const { state_->is_cancelled = true; }

bool RunningText::ended(std::chrono::milliseconds wait) const {
  std::unique_lock lock(state_->mutex_);
  return state_->ended_.wait_for(lock, wait, [this] { return state_->has_ended_; });
}

GeneratedText RunningText::result() const {
  std::unique_lock lock(state_->mutex_);
  state_->ended_.wait(lock, [this] { return state_->has_ended_; });
  if (state_->error_) std::rethrow_exception(state_->error_);
  return state_->made;
}

}  // namespace tg::models
