// See embeddings.h.
#include "frontend/server/embeddings.h"

#include <fmt/format.h>

#include "frontend/server/api_error.h"
#include "frontend/server/connections.h"
#include "support/check.h"
#include "tg/models/text_engine.h"

namespace tg::server {

Embeddings::Embeddings(models::TextEncoder& encoder, const ServerOptions& options)
    : encoder_(encoder), options_(options), queue_(encoder, options.waiting) {
  if (encoder.tokenizer() == nullptr) {
    user_error<ArgumentError>("Server", "the model has no tokenizer",
                              "Hint: put its tokenizer.json beside it.");
  }
}

std::vector<PostRoute> Embeddings::routes() {
  return {{"/v1/embeddings",
           [this](const httplib::Request& q, httplib::Response& r) { answer(q, r); }}};
}

void Embeddings::add_metrics(MetricsText& out) const {
  const EmbeddingStats s = queue_.stats();
  out.add("requests_waiting", "gauge", "Requests that wait for the encoder.", s.waiting);
  out.add("requests_total", "counter", "Requests that were computed.", s.requests);
  out.add("requests_cancelled_total", "counter", "Requests whose clients left.", s.cancelled);
  out.add("texts_total", "counter", "Texts that were computed.", s.texts);
  out.add("prompt_tokens_total", "counter", "Tokens of these texts.", s.tokens);
  out.add("busy_seconds_total", "counter", "Seconds of computing.", s.busy_seconds);
}

void Embeddings::end(std::chrono::milliseconds limit) {
  is_ending_ = true;
  queue_.end(limit);
}

std::vector<int32_t> Embeddings::tokens_of(const EmbeddingInput& input, size_t number) const {
  std::vector<int32_t> out;
  if (const auto* text = std::get_if<std::string>(&input)) {
    try {
      out = encoder_.tokenizer()->encode(encoder_.info().prompt + *text);
    } catch (const ArgumentError& e) {
      refuse("input", e.what());
    }
  } else {
    out = std::get<std::vector<int32_t>>(input);
  }
  const int64_t most = encoder_.info().longest;
  if (std::ssize(out) > most) {
    throw ApiError(400, "invalid_request_error",
                   fmt::format("text {} has {} tokens, and the model reads {} at most", number,
                               out.size(), most),
                   "input", "context_length_exceeded");
  }
  for (const int32_t t : out) {
    if (t >= encoder_.info().vocabulary)
      refuse("input", fmt::format("text {} has the token {}, and the vocabulary {}", number, t,
                                  encoder_.info().vocabulary));
  }
  return out;
}

void Embeddings::answer(const httplib::Request& http_request, httplib::Response& response) {
  const EmbeddingRequest request = parse_embedding_request(http_request.body, encoder_.info().size);
  EmbeddingQueue::Texts texts;
  int64_t tokens = 0;
  for (const EmbeddingInput& input : request.inputs) {
    texts.push_back(tokens_of(input, texts.size()));
    tokens += std::ssize(texts.back());
  }
  try {
    const auto job = queue_.submit(std::move(texts));
    while (job->result.wait_for(kLook) == std::future_status::timeout) {
      if (!client_is_gone()) continue;
      job->cancel();
      return;
    }
    response.set_content(
        written(embedding_answer(request, job->result.get(), options_.model, tokens)), kJson);
  } catch (const models::BusyError& e) {
    if (is_ending_) throw ApiError(503, "server_error", "the server is ending");
    throw ApiError(429, "rate_limit_error", e.what(), {}, "queue_full");
  }
}

}  // namespace tg::server
