// Vectors of texts by a sentence encoder: POST /v1/embeddings. What requests say and how answers
// look: embedding_request.h; what computes them: embedding_queue.h.
#pragma once

#include <atomic>

#include "frontend/server/embedding_queue.h"
#include "frontend/server/embedding_request.h"
#include "frontend/server/server.h"
#include "frontend/server/service.h"

namespace tg::server {

class Embeddings final : public Service {
 public:
  /// ArgumentError if the model has no tokenizer. The encoder outlives this, which alone uses it.
  Embeddings(models::TextEncoder& encoder, const ServerOptions& options);

  std::vector<PostRoute> routes() override;
  bool has_page() const override { return false; }
  void add_metrics(MetricsText& out) const override;
  void end(std::chrono::milliseconds limit) override;

 private:
  void answer(const httplib::Request& request, httplib::Response& response);
  std::vector<int32_t> tokens_of(const EmbeddingInput& input, size_t number) const;

  const models::TextEncoder& encoder_;  // what does not change: any thread may ask
  const ServerOptions options_;
  std::atomic<bool> is_ending_ = false;
  EmbeddingQueue queue_;
};

}  // namespace tg::server
