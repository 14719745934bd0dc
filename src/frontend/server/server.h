// An HTTP server for one model, in the form of OpenAI's API, many clients at a time: chats and
// completions by a language model, at once or as streams (completions.h), or vectors of texts by a
// sentence encoder (embeddings.h). The command: src/cli/serve_command.cpp; for users:
// docs/serving.md.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "frontend/server/tool_calls.h"
#include "tg/models/text_encoder.h"
#include "tg/models/text_engine.h"

namespace tg::server {

class Service;

struct ServerOptions {
  std::string host = "127.0.0.1";
  int port = 8080;                      ///< 0: the system chooses
  std::string api_key = {};             ///< what clients must name; empty: nothing
  std::string model = "model";          ///< its name in answers
  size_t most_bytes = size_t{4} << 20;  ///< of a request's body
  int64_t waiting = 64;                 ///< most requests for vectors that wait, 0 or more
  int threads = 128;                    ///< connections that are served at a time
  /// The text of a conversation, a list of messages that have been checked, with all special tokens
  /// of the model; `tools`: a list of JSON, or empty. Without it: plain_conversation. May throw
  /// tg::Error.
  std::function<std::string(const nlohmann::json& messages, const std::string& tools)> render = {};
  CallForm call_form = CallForm::None;  ///< how the model calls tools
};

/// Any thread may call anything, except that only one runs it.
class Server {
 public:
  /// ArgumentError for options out of range, or if the model has no tokenizer. The engine outlives
  /// the server.
  Server(models::TextEngine& engine, const ServerOptions& options);
  /// The same; nothing else may use the encoder meanwhile.
  Server(models::TextEncoder& encoder, const ServerOptions& options);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// Takes the port, and returns it. ArgumentError if that is impossible.
  int bind();
  /// Serves until end(), after bind().
  void run();
  /// New requests get status 503, texts that are running go on for so long; then run() returns.
  void end(std::chrono::milliseconds limit);

 private:
  struct State;
  Server(std::unique_ptr<Service> service, ServerOptions options);
  std::unique_ptr<State> state_;
};

}  // namespace tg::server
