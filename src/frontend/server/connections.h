// Connections of the HTTP server: httplib's, but a port is one server's alone, a request must come
// within a time and a size, and its handler can ask whether the client is still there.
#pragma once

#include <httplib.h>

#include <chrono>

namespace tg::server {

/// How often a client is looked after while it waits.
inline constexpr std::chrono::milliseconds kLook(20);

/// Whether the client of the request that this thread is handling has hung up. False outside of
/// handlers.
bool client_is_gone();

class Connections : public httplib::Server {
 public:
  /// `most_bytes`: of a request, its head included.
  explicit Connections(size_t most_bytes);
  /// After binding: lets so many clients come at one moment, where httplib has room for five.
  void expect_clients(int count) const { ::listen(svr_sock_, count); }
  /// Connections that are waiting for a next request are closed soon after.
  void close_idle() { closes_idle_ = true; }

 private:
  bool process_and_close_socket(socket_t sock) override;
  bool has_request(socket_t sock) const;

  size_t most_bytes_;
  std::atomic<bool> closes_idle_ = false;
};

}  // namespace tg::server
