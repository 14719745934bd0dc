// See server.h: routes and what is common to all of them; texts go to the engine, and its answers
// to the clients.
#include "frontend/server/server.h"

#include <fmt/format.h>

#include <array>
#include <atomic>
#include <ctime>
#include <random>

#include "frontend/server/answer.h"
#include "frontend/server/api_error.h"
#include "frontend/server/connections.h"
#include "frontend/server/exchange.h"
#include "frontend/server/metrics.h"
#include "frontend/server/page.h"
#include "frontend/server/request.h"
#include "support/check.h"

namespace tg::server {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;

constexpr milliseconds kLook(20);  // how often a client is looked after
constexpr size_t kMostHeadBytes = size_t{64} << 10;
constexpr int kMostPort = 65535, kMostThreads = 4096, kClientsAtOnce = 1024;
constexpr const char* kJson = "application/json";
constexpr auto kPaths = std::to_array<std::string_view>(
    {"/", "/health", "/metrics", "/v1/models", "/v1/chat/completions", "/v1/completions"});

uint64_t random_number() {
  std::random_device device;
  return uint64_t{device()} << 32 | device();
}

// Takes as long whatever they have in common, so that time tells nothing about the key.
bool are_equal(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned differences = 0;
  for (size_t i = 0; i < a.size(); ++i)
    differences |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]);
  return differences == 0;
}

// A page of this machine. One in a file has no origin that a foreign page could not have, too.
bool is_local(std::string_view origin) {
  for (const std::string_view host : {"http://localhost", "http://127.0.0.1", "http://[::1]"}) {
    if (origin == host || (origin.starts_with(host) && origin.substr(host.size())[0] == ':'))
      return true;
  }
  return false;
}

void answer_with(httplib::Response& response, const ApiError& error) {
  response.status = error.status();
  response.set_content(written(error.body()), kJson);
}

ApiError of_status(int status) {
  constexpr const char* kType = "invalid_request_error";
  if (status == 404) return {404, kType, "there is no such path", {}, "not_found"};
  if (status == 413) return {413, kType, "the body is too large", {}, "too_large"};
  if (status >= 500) return {status, "server_error", "the server failed"};
  return {status, kType, fmt::format("the request is malformed (status {})", status)};
}

}  // namespace

struct Server::State {
  State(models::TextEngine& e, ServerOptions o)
      : engine(e), options(std::move(o)), http(options.most_bytes + kMostHeadBytes) {}

  models::TextEngine& engine;
  const ServerOptions options;
  const int64_t created = std::time(nullptr);
  Metrics metrics;
  std::atomic<bool> is_ending = false;
  Connections http;

  void set_up();
  void set_routes();
  void check_key(const httplib::Request& request) const;
  std::vector<int32_t> tokens_of(const Request& request) const;
  void answer(const httplib::Request& request, httplib::Response& response, Endpoint endpoint);
  models::RunningText submit(Request& request, const std::vector<int32_t>& tokens,
                             const std::shared_ptr<Exchange>& exchange);
  void answer_whole(httplib::Response& response, const AnswerHead& head,
                    const models::RunningText& text, int64_t prompt_tokens) const;
  void answer_in_pieces(httplib::Response& response, const AnswerHead& head,
                        const models::RunningText& text, std::shared_ptr<Exchange> exchange,
                        int64_t prompt_tokens, bool wants_usage) const;
};

// ---- texts

std::vector<int32_t> Server::State::tokens_of(const Request& request) const {
  if (!request.tokens.empty()) return request.tokens;
  const models::Tokenizer& tokenizer = *engine.tokenizer();
  if (request.endpoint == Endpoint::Completion) return tokenizer.encode(request.prompt);
  if (options.render) return tokenizer.encode(options.render(request.messages), false);
  return tokenizer.encode(plain_conversation(request.messages));
}

models::RunningText Server::State::submit(Request& request, const std::vector<int32_t>& tokens,
                                          const std::shared_ptr<Exchange>& exchange) {
  const std::string of_prompt = request.endpoint == Endpoint::Chat ? "messages" : "prompt";
  const int64_t context = engine.info().context;
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
    return engine.submit(std::move(text));
  } catch (const models::BusyError& e) {
    if (is_ending) throw ApiError(503, "server_error", "the server is ending");
    throw ApiError(429, "rate_limit_error", e.what(), {}, "queue_full");
  } catch (const ArgumentError& e) {  // tokens that the model does not have
    refuse(of_prompt, e.what());
  }
}

void Server::State::answer(const httplib::Request& http_request, httplib::Response& response,
                           Endpoint endpoint) {
  check_key(http_request);
  if (is_ending) throw ApiError(503, "server_error", "the server is ending");
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
      .model = options.model};
  const auto prompt_tokens = static_cast<int64_t>(tokens.size());
  if (request.streams) {
    answer_in_pieces(response, head, text, exchange, prompt_tokens, request.wants_usage);
  } else {
    answer_whole(response, head, text, prompt_tokens);
  }
}

void Server::State::answer_whole(httplib::Response& response, const AnswerHead& head,
                                 const models::RunningText& text, int64_t prompt_tokens) const {
  while (!text.ended(kLook)) {
    if (client_is_gone()) text.cancel();
  }
  const models::GeneratedText made = text.result();
  if (made.reason == models::StopReason::Cancelled)
    throw ApiError(503, "server_error", "the server is ending");
  response.set_content(written(whole_answer(head, made, prompt_tokens)), kJson);
}

void Server::State::answer_in_pieces(httplib::Response& response, const AnswerHead& head,
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

// ---- routes

void Server::State::check_key(const httplib::Request& request) const {
  if (options.api_key.empty()) return;
  if (are_equal(request.get_header_value("Authorization"), "Bearer " + options.api_key)) return;
  throw ApiError(401, "invalid_request_error", "the API key is missing or wrong", {},
                 "invalid_api_key");
}

void Server::State::set_up() {
  http.set_payload_max_length(options.most_bytes);
  http.set_read_timeout(std::chrono::seconds(10));
  http.set_write_timeout(std::chrono::seconds(10));
  http.set_tcp_nodelay(true);
  http.set_keep_alive_max_count(1000);
  http.new_task_queue = [n = static_cast<size_t>(options.threads)] {
    return new httplib::ThreadPool(n);  // httplib's own to delete
  };
  http.set_exception_handler(
      [](const httplib::Request&, httplib::Response& r, const std::exception_ptr& error) {
        try {
          std::rethrow_exception(error);
        } catch (const ApiError& e) {
          answer_with(r, e);
          if (e.status() == 429 || e.status() == 503) r.set_header("Retry-After", "1");
          if (e.status() == 401) r.set_header("WWW-Authenticate", "Bearer");
        } catch (const std::exception& e) {
          answer_with(r, ApiError(500, "server_error", e.what()));
        }
      });
  http.set_error_handler([](const httplib::Request&, httplib::Response& r) {
    if (r.body.empty()) answer_with(r, of_status(r.status));
  });
  http.set_post_routing_handler([](const httplib::Request& q, httplib::Response& r) {
    const std::string origin = q.get_header_value("Origin");
    if (origin.empty() || !is_local(origin)) return;
    r.set_header("Access-Control-Allow-Origin", origin);
    r.set_header("Vary", "Origin");
  });
  http.set_logger([this](const httplib::Request& q, const httplib::Response& r) {
    const bool is_known = std::ranges::find(kPaths, q.path) != kPaths.end();
    metrics.count(is_known ? q.path : "other", r.status);
  });
  set_routes();
}

void Server::State::set_routes() {
  http.Get("/", [](const httplib::Request&, httplib::Response& r) {
    r.set_content(std::string(kPage), "text/html; charset=utf-8");
  });
  http.Get("/health", [this](const httplib::Request&, httplib::Response& r) {
    r.status = is_ending ? 503 : 200;
    r.set_content(is_ending ? R"({"status":"ending"})" : R"({"status":"ok"})", kJson);
  });
  http.Get("/metrics", [this](const httplib::Request& q, httplib::Response& r) {
    check_key(q);
    r.set_content(metrics.text(engine.stats()), "text/plain; version=0.0.4");
  });
  http.Get("/v1/models", [this](const httplib::Request& q, httplib::Response& r) {
    check_key(q);
    const json model = {
        {"id", options.model}, {"object", "model"}, {"created", created}, {"owned_by", "tinygrad"}};
    r.set_content(written({{"object", "list"}, {"data", json::array({model})}}), kJson);
  });
  http.Post("/v1/chat/completions", [this](const httplib::Request& q, httplib::Response& r) {
    answer(q, r, Endpoint::Chat);
  });
  http.Post("/v1/completions", [this](const httplib::Request& q, httplib::Response& r) {
    answer(q, r, Endpoint::Completion);
  });
  http.Options(".*", [](const httplib::Request&, httplib::Response& r) {
    r.status = 204;
    r.set_header("Access-Control-Allow-Methods", "GET, POST, OPTIONS");
    r.set_header("Access-Control-Allow-Headers", "Authorization, Content-Type");
  });
}

// ---- what others call

Server::Server(models::TextEngine& engine, ServerOptions options) {
  constexpr std::string_view kServer = "Server";
  if (options.port < 0 || options.port > kMostPort) {
    user_error<ArgumentError>(kServer,
                              fmt::format("port must be 0 to {}, got {}", kMostPort, options.port));
  }
  if (options.threads < 1 || options.threads > kMostThreads) {
    user_error<ArgumentError>(
        kServer, fmt::format("threads must be 1 to {}, got {}", kMostThreads, options.threads));
  }
  if (engine.tokenizer() == nullptr) {
    user_error<ArgumentError>(kServer, "the model has no tokenizer",
                              "Hint: put its tokenizer.json beside it.");
  }
  state_ = std::make_unique<State>(engine, std::move(options));
  state_->set_up();
}

Server::~Server() = default;

int Server::bind() {
  State& s = *state_;
  const ServerOptions& o = s.options;
  int port = o.port;
  if (port == 0) {
    port = s.http.bind_to_any_port(o.host);
  } else if (!s.http.bind_to_port(o.host, port)) {
    port = -1;
  }
  if (port > 0) {
    s.http.expect_clients(kClientsAtOnce);
    return port;
  }
  user_error<ArgumentError>("Server", fmt::format("cannot take {}:{}", o.host, o.port),
                            "Hint: another program may have this port; choose one by --port.");
}

void Server::run() { state_->http.listen_after_bind(); }

void Server::end(std::chrono::milliseconds limit) {
  state_->is_ending = true;
  state_->engine.end(limit);
  state_->http.close_idle();
  state_->http.stop();
}

}  // namespace tg::server
