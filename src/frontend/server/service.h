// What a server serves: paths of its own, and the model behind them. The server around it, with
// keys, errors and the paths that all have: server.h; the two kinds: completions.h, embeddings.h.
#pragma once

#include <httplib.h>

#include <chrono>
#include <functional>
#include <string_view>
#include <vector>

#include "frontend/server/metrics.h"

namespace tg::server {

/// A path that is posted to. The handler may throw an ApiError.
struct PostRoute {
  std::string_view path;
  std::function<void(const httplib::Request&, httplib::Response&)> handle;
};

/// Thread-safe, but for routes().
class Service {
 public:
  virtual ~Service() = default;
  virtual std::vector<PostRoute> routes() = 0;
  /// Whether the page for chats goes with it.
  virtual bool has_page() const = 0;
  virtual void add_metrics(MetricsText& out) const = 0;
  /// Takes no more requests; those that are running go on for so long. Returns when all have ended.
  virtual void end(std::chrono::milliseconds limit) = 0;
};

}  // namespace tg::server
