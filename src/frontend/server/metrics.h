// What the server counts of its requests, as text for Prometheus. The engine counts texts and
// tokens: tg/models/text_engine.h.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "tg/models/text_engine.h"

namespace tg::server {

/// Thread-safe.
class Metrics {
 public:
  /// `path`: of the server's own paths, so that clients cannot make up any number of them.
  void count(const std::string& path, int status);
  /// In the format of https://prometheus.io/docs/instrumenting/exposition_formats/.
  std::string text(const models::TextEngineStats& engine) const;

 private:
  mutable std::mutex mutex_;
  std::map<std::pair<std::string, int>, int64_t> requests_;
};

}  // namespace tg::server
