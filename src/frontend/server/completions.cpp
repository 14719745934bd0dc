// See completions.h.
#include "frontend/server/completions.h"

#include <fmt/format.h>

#include <ctime>
#include <random>

#include "frontend/server/api_error.h"
#include "frontend/server/connections.h"
#include "support/check.h"

namespace tg::server {
namespace {

uint64_t random_number() {
  std::random_device device;
  return uint64_t{device()} << 32 | device();
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
  if (options_.render) return tokenizer.encode(options_.render(request.messages), false);
  return tokenizer.encode(plain_conversation(request.messages));
}

models::RunningText Completions::submit(Request& request, const std::vector<int32_t>& tokens,
                                        const std::shared_ptr<Exchange>& exchange) {
  const std::string of_prompt = request.endpoint == Endpoint::Chat ? "messages" : "prompt";
  const int64_t context = engine_.info().context;
  if (static_cast<int64_t>(tokens.size()) > context) {
    throw ApiError(400, "invalid_request_error",
                   fmt::format("the prompt has {} tokens, and the context has room for {}",
                               tokens.size(), context),
                   of_prompt, "context_length_exceeded");
  }
  if (!request.limits_tokens) request.options.max_tokens = context;
  if (!request.has_seed) request.options.seed = random_number();
  models::TextRequest text{
      .prompt = tokens, .options = request.options, .stop_texts = request.stop};
  if (request.streams) {
    text.on_text = [exchange](std::string_view piece) {
      exchange->add(piece);
      return true;
    };
    text.on_end = [exchange] { exchange->end(); };
  }
  try {
    return engine_.submit(std::move(text));
  } catch (const models::BusyError& e) {
    if (is_ending_) throw ApiError(503, "server_error", "the server is ending");
    throw ApiError(429, "rate_limit_error", e.what(), {}, "queue_full");
  } catch (const ArgumentError& e) {  // tokens that the model does not have
    refuse(of_prompt, e.what());
  }
}

void Completions::answer(const httplib::Request& http_request, httplib::Response& response,
                         Endpoint endpoint) {
  Request request = parse_request(http_request.body, endpoint);
  std::vector<int32_t> tokens;
  try {
    tokens = tokens_of(request);
  } catch (const Error& e) {  // of the template: a role that it does not know, and the like
    refuse(endpoint == Endpoint::Chat ? "messages" : "prompt", e.what());
  }
  if (tokens.empty()) refuse(endpoint == Endpoint::Chat ? "messages" : "prompt", "it is empty");
  const auto exchange = std::make_shared<Exchange>();
  const models::RunningText text = submit(request, tokens, exchange);
  const AnswerHead head{
      .endpoint = endpoint,
      .id = fmt::format("{}-{:016x}", endpoint == Endpoint::Chat ? "chatcmpl" : "cmpl",
                        random_number()),
      .created = std::time(nullptr),
      .model = options_.model};
  const auto prompt_tokens = static_cast<int64_t>(tokens.size());
  if (request.streams) {
    answer_in_pieces(response, head, text, exchange, prompt_tokens, request.wants_usage);
  } else {
    answer_whole(response, head, text, prompt_tokens);
  }
}

void Completions::answer_whole(httplib::Response& response, const AnswerHead& head,
                               const models::RunningText& text, int64_t prompt_tokens) const {
  while (!text.ended(kLook)) {
    if (client_is_gone()) text.cancel();
  }
  const models::GeneratedText made = text.result();
  if (made.reason == models::StopReason::Cancelled)
    throw ApiError(503, "server_error", "the server is ending");
  response.set_content(written(whole_answer(head, made, prompt_tokens)), kJson);
}

void Completions::answer_in_pieces(httplib::Response& response, const AnswerHead& head,
                                   const models::RunningText& text,
                                   std::shared_ptr<Exchange> exchange, int64_t prompt_tokens,
                                   bool wants_usage) const {
  const auto write = [](httplib::DataSink& sink, std::string_view piece) {
    return sink.write(piece.data(), piece.size());
  };
  const auto finish = [=] {
    try {
      const models::GeneratedText made = text.result();
      std::string out = event(last_piece(head, made.reason));
      if (wants_usage) out += event(usage_piece(head, made, prompt_tokens));
      return out.append(kLastEvent);
    } catch (const std::exception& e) {
      return event(ApiError(500, "server_error", e.what()).body());
    }
  };
  const auto is_first = std::make_shared<bool>(true);
  response.set_header("Cache-Control", "no-cache");
  response.set_chunked_content_provider(
      "text/event-stream",
      [=](size_t, httplib::DataSink& sink) {
        if (std::exchange(*is_first, false)) return write(sink, event(first_piece(head)));
        const auto [piece, has_ended] = exchange->take(kLook);
        if (client_is_gone()) return false;
        if (!piece.empty() && !write(sink, event(text_piece(head, piece)))) return false;
        if (!has_ended) return true;
        const bool is_written = write(sink, finish());
        sink.done();
        return is_written;
      },
      [text](bool) { text.cancel(); });
}

}  // namespace tg::server
