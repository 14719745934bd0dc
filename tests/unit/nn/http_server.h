// A small HTTP server on 127.0.0.1 for tests of downloads: one thread, one connection at a time,
// canned answers by path. It can misbehave: announce more than it sends, or send nothing for a
// while.
#pragma once

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace tg::nn {

/// What the server answers for one path.
struct Answer {
  std::string body;
  std::string status = "200 OK";
  std::string extra_headers;           ///< each line with \r\n
  size_t missing = 0;                  ///< bytes announced but never sent
  std::chrono::milliseconds stall{0};  ///< silence after the headers
};

class HttpServer {
 public:
  explicit HttpServer(std::map<std::string, Answer> answers) : answers_(std::move(answers)) {
    listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    if (listener_ < 0 || bind(listener_, generic, size) != 0 || listen(listener_, 16) != 0 ||
        getsockname(listener_, generic, &size) != 0)
      throw std::runtime_error("no local server");
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  ~HttpServer() {
    stop_ = true;
    thread_.join();
    close(listener_);
  }
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  /// The address of a path without its leading slash.
  std::string url(const std::string& path = {}) const {
    return "http://127.0.0.1:" + std::to_string(port_) + "/" + path;
  }

  /// Paths asked for so far.
  std::vector<std::string> requests() const {
    const std::lock_guard lock(mutex_);
    return requests_;
  }

 private:
  void serve() {
    while (!stop_) {
      if (!readable(listener_, 20)) continue;
      const int client = accept(listener_, nullptr, nullptr);
      if (client < 0) continue;
      answer(client);
      close(client);
    }
  }

  static bool readable(int fd, int ms) {
    pollfd wait{fd, POLLIN, 0};
    return poll(&wait, 1, ms) > 0;
  }

  std::string read_request(int client) const {
    std::string request;
    char buffer[4096];
    while (!stop_ && request.find("\r\n\r\n") == std::string::npos) {
      if (!readable(client, 20)) continue;
      const ssize_t got = recv(client, buffer, sizeof buffer, 0);
      if (got <= 0) break;
      request.append(buffer, static_cast<size_t>(got));
    }
    return request;
  }

  void answer(int client) {
    const std::string request = read_request(client);
    const size_t begin = request.find('/');
    if (begin == std::string::npos) return;
    const std::string path = request.substr(begin + 1, request.find(' ', begin) - begin - 1);
    {
      const std::lock_guard lock(mutex_);
      requests_.push_back(path);
    }
    const auto found = answers_.find(path);
    const Answer a =
        found == answers_.end() ? Answer{.body = "no", .status = "404 Not Found"} : found->second;
    const std::string head =
        "HTTP/1.1 " + a.status + "\r\nConnection: close\r\n" + a.extra_headers +
        "Content-Length: " + std::to_string(a.body.size() + a.missing) + "\r\n\r\n";
    send_all(client, head);
    const auto until = std::chrono::steady_clock::now() + a.stall;
    while (!stop_ && std::chrono::steady_clock::now() < until)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    send_all(client, a.body);
  }

  static void send_all(int client, std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = send(client, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return;
      bytes.remove_prefix(static_cast<size_t>(sent));
    }
  }

  std::map<std::string, Answer> answers_;
  int listener_ = -1;
  int port_ = 0;
  std::atomic<bool> stop_{false};
  mutable std::mutex mutex_;
  std::vector<std::string> requests_;
  std::thread thread_;
};

}  // namespace tg::nn
