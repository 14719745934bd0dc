// tg serve: a language model, or a sentence encoder, for many clients by HTTP, until Ctrl-C. The
// server: frontend/server/server.h; for users: docs/serving.md.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <csignal>
#include <filesystem>
#include <future>
#include <memory>
#include <ostream>

#include "cli/cli.h"
#include "cli/language_options.h"
#include "cli/loading_bar.h"
#include "frontend/server/server.h"
#include "support/check.h"
#include "support/text.h"
#include "tg/models/chat_template.h"
#include "tg/models/text_encoder.h"

namespace tg::cli {
namespace {

// What a signal handler may touch.
std::atomic<bool> stop_wanted = false;
static_assert(std::atomic<bool>::is_always_lock_free);

// Ends the server gracefully, and at the second time the process.
extern "C" void want_stop(int signal) {
  stop_wanted = true;
  std::signal(signal, SIG_DFL);
}

struct ServeSettings {
  std::filesystem::path model;
  models::LanguageModelOptions load;
  models::TextEngineOptions engine{.warms_up = true};
  server::ServerOptions server;
  int64_t grace = 30;  // seconds
};

// Room for those who are served, those who wait, and those who look at /health.
int threads_for(int64_t served) {
  constexpr int64_t kMoreThreads = 64, kMostThreads = 4096;
  return static_cast<int>(std::min(served + kMoreThreads, kMostThreads));
}

// Until a signal comes, and those who are served then have their answers.
void serve_until_signal(server::Server& server, const ServeSettings& s, std::string_view what,
                        std::ostream& out) {
  const int port = server.bind();
  out << fmt::format("{}: {}\nlistening on http://{}:{}\n", s.server.model, what, s.server.host,
                     port)
      << std::flush;
  stop_wanted = false;
  for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, want_stop);
  auto serving = std::async(std::launch::async, [&] { server.run(); });
  while (!stop_wanted &&
         serving.wait_for(std::chrono::milliseconds(50)) == std::future_status::timeout) {
  }
  out << "ending: texts that are running are finished\n" << std::flush;
  server.end(std::chrono::seconds(s.grace));
  serving.get();
  for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, SIG_DFL);
}

void serve_language_model(ServeSettings& s, std::ostream& out) {
  const std::optional<models::ChatTemplate> chat = models::ChatTemplate::load(s.model);
  if (chat) {
    s.server.render = [&chat](const nlohmann::json& messages, const std::string& tools) {
      return chat->render_json(messages.dump(), {.tools = tools});
    };
    s.server.call_form = server::call_form_of(chat->text());
  }
  models::TextEngine engine = with_loading_bar(s.load, [&](const auto& options) {
    return models::TextEngine::load(s.model, options, s.engine);
  });
  s.server.threads = threads_for(s.engine.slots + s.engine.waiting);
  server::Server server(engine, s.server);
  const auto& info = engine.info();
  serve_until_signal(server, s,
                     fmt::format("{}, {} of weights, {} slots of {} positions in {}", info.family,
                                 human_bytes(info.weight_bytes), s.engine.slots, info.context,
                                 human_bytes(info.cache_bytes)),
                     out);
}

void serve_encoder(ServeSettings& s, std::ostream& out) {
  const models::TextEncoderOptions load{.device = s.load.device, .longest = s.load.context};
  models::TextEncoder encoder = with_loading_bar(
      load, [&](const auto& options) { return models::TextEncoder::load(s.model, options); });
  encoder.warm_up();
  s.server.threads = threads_for(s.engine.waiting);
  s.server.waiting = s.engine.waiting;
  server::Server server(encoder, s.server);
  const auto& info = encoder.info();
  serve_until_signal(
      server, s,
      fmt::format("{}, {} of weights, vectors of {} numbers of texts of {} tokens", info.family,
                  human_bytes(info.weight_bytes), info.size, info.longest),
      out);
}

// A folder's name, dots included, or a file's without its extension.
std::string name_of(const std::filesystem::path& model) {
  std::filesystem::path path = std::filesystem::absolute(model).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  const bool folder = std::filesystem::is_directory(path);
  return (folder ? path.filename() : path.stem()).string();
}

void run_serve(ServeSettings& s, std::ostream& out) {
  if (s.server.model.empty()) s.server.model = name_of(s.model);
  if (models::is_text_encoder(s.model)) {
    if (!s.load.adapter.empty())
      user_error<ArgumentError>("serve", "--adapter is for language models, not for encoders");
    return serve_encoder(s, out);
  }
  serve_language_model(s, out);
}

}  // namespace

void add_serve_command(CLI::App& app, std::ostream& out) {
  auto s = std::make_shared<ServeSettings>();
  s->server.model.clear();
  CLI::App* c = app.add_subcommand(
      "serve",
      "Serve a language model, or a sentence encoder, by HTTP in the form of OpenAI's API, until "
      "Ctrl-C");
  c->add_option("model", s->model,
                "a GGUF file, or a folder with config.json, safetensors and a tokenizer")
      ->required();
  c->add_option("--host", s->server.host, "the address to listen on; 0.0.0.0: all of the machine")
      ->capture_default_str();
  c->add_option("--port", s->server.port, "the port; 0: the system chooses one")
      ->capture_default_str();
  c->add_option("--api-key", s->server.api_key,
                "what clients must name as \"Authorization: Bearer KEY\"")
      ->envname("TG_API_KEY");
  c->add_option("--name", s->server.model, "the model's name in answers; left out: of its file");
  c->add_option("--slots", s->engine.slots, "texts that a language model computes at once")
      ->capture_default_str();
  c->add_option("--max-queue", s->engine.waiting, "texts that may wait; more get status 429")
      ->capture_default_str();
  c->add_option("--context", s->load.context,
                "tokens of each text for which there is room; 0: the model's, at most 4096 of a "
                "language model")
      ->capture_default_str();
  c->add_option("--grace", s->grace, "seconds for running texts after Ctrl-C or SIGTERM")
      ->capture_default_str();
  add_language_options(*c, s->load);
  c->callback([s, &out] { run_serve(*s, out); });
}

}  // namespace tg::cli
