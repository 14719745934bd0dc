// See connections.h. Only what httplib declares is used, so that no system's header is.
#include "frontend/server/connections.h"

#include <cerrno>

namespace tg::server {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kLongestRequest = std::chrono::seconds(30);  // until it has been read
constexpr time_t kWaitMicroseconds = 50'000;

// The socket of the request that this thread handles, one at a time.
thread_local socket_t current_socket = INVALID_SOCKET;

// What httplib reads a request through: ends it when it takes too long or is too large.
class LimitedStream final : public httplib::Stream {
 public:
  LimitedStream(httplib::Stream& stream, size_t most_bytes)
      : stream_(stream), bytes_left_(most_bytes), end_(Clock::now() + kLongestRequest) {}

  bool is_readable() const override { return stream_.is_readable(); }
  bool is_writable() const override { return stream_.is_writable(); }
  ssize_t read(char* to, size_t size) override {
    if (bytes_left_ == 0 || Clock::now() > end_) return -1;
    const ssize_t n = stream_.read(to, std::min(size, bytes_left_));
    if (n > 0) bytes_left_ -= static_cast<size_t>(n);
    return n;
  }
  ssize_t write(const char* from, size_t size) override { return stream_.write(from, size); }
  void get_remote_ip_and_port(std::string& ip, int& port) const override {
    stream_.get_remote_ip_and_port(ip, port);
  }
  void get_local_ip_and_port(std::string& ip, int& port) const override {
    stream_.get_local_ip_and_port(ip, port);
  }
  socket_t socket() const override { return stream_.socket(); }

 private:
  httplib::Stream& stream_;
  size_t bytes_left_;
  Clock::time_point end_;
};

// Where httplib's own options let a second server have the same port, and half of the clients, a
// port that is taken is an error here. One whose server has just ended is free at once.
void take_port_alone(socket_t sock) {
  httplib::default_socket_options(sock);
#ifdef SO_REUSEPORT
  const int no = 0, yes = 1;
  ::setsockopt(sock, SOL_SOCKET, SO_REUSEPORT, &no, sizeof(no));
  ::setsockopt(sock, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
#endif
}

}  // namespace

Connections::Connections(size_t most_bytes) : most_bytes_(most_bytes) {
  set_socket_options(take_port_alone);
}

bool client_is_gone() {
  if (current_socket == INVALID_SOCKET) return false;
  char byte = 0;
  const ssize_t n = httplib::detail::read_socket(current_socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return n == 0 || (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK);
}

// Waits for the first byte of a request, in short steps.
bool Connections::has_request(socket_t sock) const {
  const auto end = Clock::now() + std::chrono::seconds(keep_alive_timeout_sec_);
  while (!closes_idle_ && Clock::now() < end) {
    if (httplib::detail::process_client_socket(sock, 0, kWaitMicroseconds, 0, 0,
                                               [](httplib::Stream& s) { return s.is_readable(); }))
      return true;
  }
  return false;
}

bool Connections::process_and_close_socket(socket_t sock) {
  bool is_fine = true;
  for (size_t left = keep_alive_max_count_; is_fine && left > 0 && has_request(sock); --left) {
    is_fine = httplib::detail::process_client_socket(
        sock, read_timeout_sec_, read_timeout_usec_, write_timeout_sec_, write_timeout_usec_,
        [&](httplib::Stream& stream) {
          LimitedStream limited(stream, most_bytes_);
          current_socket = sock;
          bool is_closed = false;
          const bool done = process_request(limited, left == 1 || closes_idle_, is_closed, nullptr);
          current_socket = INVALID_SOCKET;
          return done && !is_closed;
        });
  }
  httplib::detail::close_socket(sock);
  return is_fine;
}

}  // namespace tg::server
