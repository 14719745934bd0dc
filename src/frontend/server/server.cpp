// See server.h: the paths that all servers have, and what is common to all paths. What is posted
// goes to the service (completions.cpp, embeddings.cpp).
#include "frontend/server/server.h"

#include <fmt/format.h>

#include <atomic>
#include <ctime>
#include <set>

#include "frontend/server/api_error.h"
#include "frontend/server/completions.h"
#include "frontend/server/connections.h"
#include "frontend/server/embeddings.h"
#include "frontend/server/metrics.h"
#include "frontend/server/page.h"
#include "support/check.h"

namespace tg::server {
namespace {

using nlohmann::json;

constexpr size_t kMostHeadBytes = size_t{64} << 10;
constexpr int kMostPort = 65535, kMostThreads = 4096, kClientsAtOnce = 1024;

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
  State(std::unique_ptr<Service> s, ServerOptions o)
      : options(std::move(o)), service(std::move(s)), http(options.most_bytes + kMostHeadBytes) {}

  const ServerOptions options;
  const int64_t created = std::time(nullptr);
  std::unique_ptr<Service> service;
  std::set<std::string, std::less<>> paths;  // that there are
  Metrics metrics;
  std::atomic<bool> is_ending = false;
  Connections http;

  void set_up();
  void set_routes();
  void check_key(const httplib::Request& request) const;
};

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
    metrics.count(paths.contains(q.path) ? q.path : "other", r.status);
  });
  set_routes();
}

void Server::State::set_routes() {
  const auto get = [this](const char* path, httplib::Server::Handler handle) {
    paths.emplace(path);
    http.Get(path, std::move(handle));
  };
  if (service->has_page()) {
    get("/", [](const httplib::Request&, httplib::Response& r) {
      r.set_content(std::string(kPage), "text/html; charset=utf-8");
    });
  }
  get("/health", [this](const httplib::Request&, httplib::Response& r) {
    r.status = is_ending ? 503 : 200;
    r.set_content(is_ending ? R"({"status":"ending"})" : R"({"status":"ok"})", kJson);
  });
  get("/metrics", [this](const httplib::Request& q, httplib::Response& r) {
    check_key(q);
    MetricsText text;
    metrics.add_to(text);
    service->add_metrics(text);
    r.set_content(text.text(), "text/plain; version=0.0.4");
  });
  get("/v1/models", [this](const httplib::Request& q, httplib::Response& r) {
    check_key(q);
    const json model = {
        {"id", options.model}, {"object", "model"}, {"created", created}, {"owned_by", "tinygrad"}};
    r.set_content(written({{"object", "list"}, {"data", json::array({model})}}), kJson);
  });
  for (PostRoute& route : service->routes()) {
    paths.emplace(route.path);
    http.Post(std::string(route.path), [this, handle = std::move(route.handle)](
                                           const httplib::Request& q, httplib::Response& r) {
      check_key(q);
      if (is_ending) throw ApiError(503, "server_error", "the server is ending");
      handle(q, r);
    });
  }
  http.Options(".*", [](const httplib::Request&, httplib::Response& r) {
    r.status = 204;
    r.set_header("Access-Control-Allow-Methods", "GET, POST, OPTIONS");
    r.set_header("Access-Control-Allow-Headers", "Authorization, Content-Type");
  });
}

// ---- what others call

Server::Server(std::unique_ptr<Service> service, ServerOptions options) {
  constexpr std::string_view kServer = "Server";
  if (options.port < 0 || options.port > kMostPort) {
    user_error<ArgumentError>(kServer,
                              fmt::format("port must be 0 to {}, got {}", kMostPort, options.port));
  }
  if (options.threads < 1 || options.threads > kMostThreads) {
    user_error<ArgumentError>(
        kServer, fmt::format("threads must be 1 to {}, got {}", kMostThreads, options.threads));
  }
  state_ = std::make_unique<State>(std::move(service), std::move(options));
  state_->set_up();
}

Server::Server(models::TextEngine& engine, const ServerOptions& options)
    : Server(std::make_unique<Completions>(engine, options), options) {}

Server::Server(models::TextEncoder& encoder, const ServerOptions& options)
    : Server(std::make_unique<Embeddings>(encoder, options), options) {}

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
  state_->service->end(limit);
  state_->http.close_idle();
  state_->http.stop();
}

}  // namespace tg::server
