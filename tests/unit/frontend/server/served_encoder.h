// What the tests of vectors by HTTP share: a tiny encoder whose tokens are words, served in this
// process on a port that the system chose.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>

#include "frontend/server/connections.h"
#include "frontend/server/server.h"
#include "tg/interrupt.h"
#include "unit/frontend/embedding/word_encoder.h"

namespace tg::server {

/// Its server, which ends with this.
class ServedEncoder {
 public:
  explicit ServedEncoder(ServerOptions options = {})
      : encoder(models::TextEncoder::load(folder_.path())) {
    encoder.warm_up();
    options.port = 0;
    options.model = "vectors";
    server = std::make_unique<Server>(encoder, options);
    port_ = server->bind();
    thread_ = std::thread([this] { server->run(); });
    while (!client().Get("/health")) std::this_thread::yield();
  }
  ~ServedEncoder() { end(std::chrono::milliseconds(0)); }

  void end(std::chrono::milliseconds limit) {
    if (!thread_.joinable()) return;
    server->end(limit);
    thread_.join();
  }
  httplib::Client client() const {
    httplib::Client out("127.0.0.1", port_);
    out.set_read_timeout(60);
    return out;
  }

 private:
  models::WordEncoder folder_;

 public:
  models::TextEncoder encoder;
  std::unique_ptr<Server> server;

 private:
  int port_ = 0;
  std::thread thread_;
};

/// Holds the thread that computes next, by the hook that may stop it, until it is let go.
class HeldEncoder {
 public:
  HeldEncoder()
      : before_(set_interrupt_hook([this] {
          is_held_ = true;
          while (!is_let_go_) std::this_thread::sleep_for(std::chrono::milliseconds(1));
          return false;
        })) {}
  HeldEncoder(const HeldEncoder&) = delete;
  HeldEncoder& operator=(const HeldEncoder&) = delete;
  ~HeldEncoder() {
    let_go();
    set_interrupt_hook(before_);
  }
  bool holds() const { return is_held_; }
  void let_go() { is_let_go_ = true; }

 private:
  std::atomic<bool> is_held_ = false, is_let_go_ = false;
  InterruptHook before_;
};

}  // namespace tg::server
