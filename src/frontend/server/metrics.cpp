// See metrics.h.
#include "frontend/server/metrics.h"

namespace tg::server {

void Metrics::count(const std::string& path, int status) {
  const std::scoped_lock lock(mutex_);
  ++requests_[{path, status}];
}

void Metrics::add_to(MetricsText& out) const {
  out.head("http_requests_total", "counter", "Requests that were answered, by path and status.");
  const std::scoped_lock lock(mutex_);
  for (const auto& [key, number] : requests_) {
    out.add_line(fmt::format("http_requests_total{{path=\"{}\",status=\"{}\"}} {}", key.first,
                             key.second, number));
  }
}

}  // namespace tg::server
