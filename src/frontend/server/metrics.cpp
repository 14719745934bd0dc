// See metrics.h.
#include "frontend/server/metrics.h"

#include <fmt/format.h>

namespace tg::server {

void Metrics::count(const std::string& path, int status) {
  const std::scoped_lock lock(mutex_);
  ++requests_[{path, status}];
}

std::string Metrics::text(const models::TextEngineStats& e) const {
  std::string out;
  const auto head = [&](std::string_view name, std::string_view kind, std::string_view help) {
    out += fmt::format("# HELP tg_{0} {1}\n# TYPE tg_{0} {2}\n", name, help, kind);
  };
  const auto add = [&](std::string_view name, std::string_view kind, std::string_view help,
                       const auto& value) {
    head(name, kind, help);
    out += fmt::format("tg_{} {}\n", name, value);
  };
  head("http_requests_total", "counter", "Requests that were answered, by path and status.");
  {
    const std::scoped_lock lock(mutex_);
    for (const auto& [key, number] : requests_) {
      out += fmt::format("tg_http_requests_total{{path=\"{}\",status=\"{}\"}} {}\n", key.first,
                         key.second, number);
    }
  }
  add("slots", "gauge", "Texts that can be computed at once.", e.slots);
  add("texts_running", "gauge", "Texts that are being computed.", e.running);
  add("texts_waiting", "gauge", "Texts that wait for a slot.", e.waiting);
  add("texts_total", "counter", "Texts that have ended.", e.texts);
  add("texts_cancelled_total", "counter", "Texts whose clients left.", e.cancelled);
  add("prompt_tokens_total", "counter", "Tokens of prompts that were computed.", e.prompt_tokens);
  add("reused_tokens_total", "counter", "Tokens of prompts that were known.", e.reused_tokens);
  add("answer_tokens_total", "counter", "Tokens of answers.", e.answer_tokens);
  add("steps_total", "counter", "Steps, each of which makes a token of each text.", e.steps);
  add("busy_seconds_total", "counter", "Seconds of computing.", e.busy_seconds);
  return out;
}

}  // namespace tg::server
