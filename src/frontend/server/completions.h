// Chats and completions of texts by a language model: what a request asks for becomes a text of the
// engine, and the engine's text the answer, at once or as a stream. What requests say: request.h;
// how answers look: answer.h.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "frontend/server/answer.h"
#include "frontend/server/exchange.h"
#include "frontend/server/request.h"
#include "frontend/server/server.h"
#include "frontend/server/service.h"
#include "frontend/server/streamed_answer.h"

namespace tg::server {

class Completions final : public Service {
 public:
  /// ArgumentError if the model has no tokenizer. The engine outlives this.
  Completions(models::TextEngine& engine, const ServerOptions& options);

  std::vector<PostRoute> routes() override;
  bool has_page() const override { return true; }
  void add_metrics(MetricsText& out) const override;
  void end(std::chrono::milliseconds limit) override;

 private:
  std::vector<int32_t> tokens_of(const Request& request) const;
  void answer(const httplib::Request& request, httplib::Response& response, Endpoint endpoint);
  void prepare(Request& request, const std::vector<int32_t>& tokens) const;
  std::vector<models::RunningText> submit(const Request& request,
                                          const std::vector<int32_t>& tokens,
                                          const std::shared_ptr<Exchange>& exchange);
  nlohmann::json choice_of(const AnswerHead& head, size_t index, const Request& request,
                           const models::GeneratedText& made) const;
  void answer_whole(httplib::Response& response, const AnswerHead& head, const Request& request,
                    const std::vector<models::RunningText>& texts, int64_t prompt_tokens) const;

  models::TextEngine& engine_;
  const ServerOptions options_;
  std::atomic<bool> is_ending_ = false;
};

}  // namespace tg::server
