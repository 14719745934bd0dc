// See completions.h.
#include "frontend/server/completions.h"

#include <fmt/format.h>

#include <ctime>
#include <random>

#include "frontend/server/api_error.h"
#include "frontend/server/connections.h"
#include "frontend/server/logprobs.h"
#include "support/check.h"

namespace tg::server {
namespace {

uint64_t random_number() {
  std::random_device device;
  return uint64_t{device()} << 32 | device();
}

std::string name_of_prompt(const Request& request) {
  return request.endpoint == Endpoint::Chat ? "messages" : "prompt";
}

}  // namespace

Completions::Completions(models::TextEngine& engine, const ServerOptions& options)
    : engine_(engine), options_(options) {
  if (engine.tokenizer() == nullptr) {
    user_error<ArgumentError>("Server", "the model has no tokenizer",
                              "Hint: put its tokenizer.json beside it.");
  }
}

std::vector<PostRoute> Completions::routes() {
  const auto route = [this](Endpoint endpoint) {
    return [this, endpoint](const httplib::Request& q, httplib::Response& r) {
      answer(q, r, endpoint);
    };
  };
  return {{"/v1/chat/completions", route(Endpoint::Chat)},
          {"/v1/completions", route(Endpoint::Completion)}};
}

void Completions::add_metrics(MetricsText& out) const {
  const models::TextEngineStats e = engine_.stats();
  out.add("slots", "gauge", "Texts that can be computed at once.", e.slots);
  out.add("texts_running", "gauge", "Texts that are being computed.", e.running);
  out.add("texts_waiting", "gauge", "Texts that wait for a slot.", e.waiting);
  out.add("texts_total", "counter", "Texts that have ended.", e.texts);
  out.add("texts_cancelled_total", "counter", "Texts whose clients left.", e.cancelled);
  out.add("prompt_tokens_total", "counter", "Tokens of prompts that were computed.",
          e.prompt_tokens);
  out.add("reused_tokens_total", "counter", "Tokens of prompts that were known.", e.reused_tokens);
  out.add("answer_tokens_total", "counter", "Tokens of answers.", e.answer_tokens);
  out.add("steps_total", "counter", "Steps, each of which makes a token of each text.", e.steps);
  out.add("busy_seconds_total", "counter", "Seconds of computing.", e.busy_seconds);
}

void Completions::end(std::chrono::milliseconds limit) {
  is_ending_ = true;
  engine_.end(limit);
}

std::vector<int32_t> Completions::tokens_of(const Request& request) const {
  if (!request.tokens.empty()) return request.tokens;
  const models::Tokenizer& tokenizer = *engine_.tokenizer();
  if (request.endpoint == Endpoint::Completion) return tokenizer.encode(request.prompt);
  if (options_.render)
    return tokenizer.encode(options_.render(request.messages, request.tools_json), false);
  return tokenizer.encode(plain_conversation(request.messages));
}

// What the request leaves to the server.
void Completions::prepare(Request& request, const std::vector<int32_t>& tokens) const {
  const int64_t context = engine_.info().context;
  if (static_cast<int64_t>(tokens.size()) > context) {
    throw ApiError(400, "invalid_request_error",
                   fmt::format("the prompt has {} tokens, and the context has room for {}",
                               tokens.size(), context),
                   name_of_prompt(request), "context_length_exceeded");
  }
  if (!request.limits_tokens) request.options.max_tokens = context;
  if (!request.has_seed) request.options.seed = random_number();
  if (!request.must_call) return;
  std::vector<Tool> tools = request.tools;
  if (!request.called.empty())
    std::erase_if(tools, [&](const Tool& t) { return t.name != request.called; });
  try {
    request.options.grammar = grammar_of_calls(tools, options_.call_form, request.called.empty());
  } catch (const ArgumentError& e) {
    refuse("tools", e.what());
  }
}

std::vector<models::RunningText> Completions::submit(const Request& request,
                                                     const std::vector<int32_t>& tokens,
                                                     const std::shared_ptr<Exchange>& exchange) {
  std::vector<models::RunningText> out;
  for (size_t i = 0; i < static_cast<size_t>(request.choices); ++i) {
    models::TextRequest text{
        .prompt = tokens, .options = request.options, .stop_texts = request.stop};
    text.options.seed += i;
    if (request.streams) {
      text.on_logprobs = [exchange, i](const models::TokenLogprobs& logprobs) {
        exchange->add({.choice = i, .logprobs = {logprobs}});
      };
      text.on_text = [exchange, i](std::string_view piece) {
        exchange->add({.choice = i, .text = std::string(piece)});
        return true;
      };
      text.on_end = [exchange, i] { exchange->add({.choice = i, .is_last = true}); };
    }
    try {
      out.push_back(engine_.submit(std::move(text)));
      continue;
    } catch (const models::BusyError& e) {
      for (const models::RunningText& t : out) t.cancel();
      if (is_ending_) throw ApiError(503, "server_error", "the server is ending");
      throw ApiError(429, "rate_limit_error", e.what(), {}, "queue_full");
    } catch (const ArgumentError& e) {  // tokens that the model does not have
      refuse(name_of_prompt(request), e.what());
    }
  }
  return out;
}

void Completions::answer(const httplib::Request& http_request, httplib::Response& response,
                         Endpoint endpoint) {
  Request request = parse_request(http_request.body, endpoint);
  if (!request.tools.empty() && options_.call_form == CallForm::None)
    refuse("tools", "the model's chat template takes no tools");
  std::vector<int32_t> tokens;
  try {
    tokens = tokens_of(request);
  } catch (const Error& e) {  // of the template: a role that it does not know, and the like
    refuse(name_of_prompt(request), e.what());
  }
  if (tokens.empty()) refuse(name_of_prompt(request), "it is empty");
  prepare(request, tokens);
  const auto exchange = std::make_shared<Exchange>();
  const std::vector<models::RunningText> texts = submit(request, tokens, exchange);
  const AnswerHead head{
      .endpoint = endpoint,
      .id = fmt::format("{}-{:016x}", endpoint == Endpoint::Chat ? "chatcmpl" : "cmpl",
                        random_number()),
      .created = std::time(nullptr),
      .model = options_.model};
  const auto prompt_tokens = static_cast<int64_t>(tokens.size());
  if (!request.streams) return answer_whole(response, head, request, texts, prompt_tokens);
  const auto answer = std::make_shared<StreamedAnswer>(head, request, texts, exchange,
                                                       *engine_.tokenizer(), prompt_tokens);
  response.set_header("Cache-Control", "no-cache");
  response.set_chunked_content_provider(
      "text/event-stream",
      [answer](size_t, httplib::DataSink& sink) {
        const std::string events = answer->next(kLook);
        if (client_is_gone()) return false;
        if (!events.empty() && !sink.write(events.data(), events.size())) return false;
        if (answer->has_ended()) sink.done();
        return true;
      },
      [texts](bool) {
        for (const models::RunningText& t : texts) t.cancel();
      });
}

nlohmann::json Completions::choice_of(const AnswerHead& head, size_t index, const Request& request,
                                      const models::GeneratedText& made) const {
  ChoiceFacts facts;
  if (request.options.top_logprobs)
    facts.logprobs = LogprobsWriter(*engine_.tokenizer(), head.endpoint).next(made.logprobs);
  if (request.tools.empty())
    return whole_choice(head, index, made.text, finish_reason(made.reason), std::move(facts));
  const CallsAndContent parts = read_calls(made.text, request.tools);
  const bool has_calls = !parts.calls.empty();
  if (has_calls) facts.tool_calls = calls_json(parts.calls, id_of_calls(head, index), false);
  return whole_choice(head, index, parts.content,
                      has_calls ? "tool_calls" : finish_reason(made.reason), std::move(facts));
}

void Completions::answer_whole(httplib::Response& response, const AnswerHead& head,
                               const Request& request,
                               const std::vector<models::RunningText>& texts,
                               int64_t prompt_tokens) const {
  const auto cancel_all = [&] {
    for (const models::RunningText& t : texts) t.cancel();
  };
  std::vector<models::GeneratedText> made;
  nlohmann::json choices = nlohmann::json::array();
  for (const models::RunningText& text : texts) {
    while (!text.ended(kLook)) {
      if (client_is_gone()) cancel_all();
    }
    try {
      made.push_back(text.result());
    } catch (...) {
      cancel_all();
      throw;
    }
    if (made.back().reason == models::StopReason::Cancelled)
      throw ApiError(503, "server_error", "the server is ending");
    choices.push_back(choice_of(head, choices.size(), request, made.back()));
  }
  response.set_content(written(whole_answer(head, std::move(choices), made, prompt_tokens)), kJson);
}

}  // namespace tg::server
