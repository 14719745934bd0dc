// What the server counts of its requests, as text for Prometheus. What a service counts itself it
// adds to the same text (service.h).
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace tg::server {

/// A text in the format of https://prometheus.io/docs/instrumenting/exposition_formats/.
class MetricsText {
 public:
  void head(std::string_view name, std::string_view kind, std::string_view help) {
    text_ += fmt::format("# HELP tg_{0} {1}\n# TYPE tg_{0} {2}\n", name, help, kind);
  }
  template <typename T>
  void add(std::string_view name, std::string_view kind, std::string_view help, const T& value) {
    head(name, kind, help);
    add_line(fmt::format("{} {}", name, value));
  }
  void add_line(std::string_view line) { text_ += fmt::format("tg_{}\n", line); }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

/// Thread-safe.
class Metrics {
 public:
  /// `path`: of the server's own paths, so that clients cannot make up any number of them.
  void count(const std::string& path, int status);
  void add_to(MetricsText& out) const;

 private:
  mutable std::mutex mutex_;
  std::map<std::pair<std::string, int>, int64_t> requests_;
};

}  // namespace tg::server
