// What the tests of the server share: a tiny model with a tokenizer whose tokens are words, served
// in this process on a port that the system chose.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <thread>

#include "frontend/server/connections.h"
#include "frontend/server/server.h"
#include "support/file.h"

namespace tg::server {

/// The folder of a model of 48 words w0, w1, ….
class WordModel {
 public:
  WordModel() : folder_("served_model") {
    namespace fs = std::filesystem;
    const fs::path from = fs::path(TG_SOURCE_DIR) / "tests/reference/language_models/llama";
    for (const auto& e : fs::directory_iterator(from))
      fs::copy_file(e.path(), folder_.path() / e.path().filename());
    std::string words;
    for (int i = 0; i < 48; ++i)
      words +=
          (i > 0 ? "," : "") + std::string("\"w") + std::to_string(i) + "\":" + std::to_string(i);
    write_file(folder_.path() / "tokenizer.json", R"({"model":{"type":"WordLevel","vocab":{)" +
                                                      words + R"(},"unk_token":"w0"},)" +
                                                      R"("pre_tokenizer":{"type":"Whitespace"}})");
  }
  const std::filesystem::path& path() const { return folder_.path(); }

 private:
  TempDir folder_;
};

/// Its server, which ends with this.
class ServedModel {
 public:
  explicit ServedModel(const models::TextEngineOptions& engine_options = {},
                       ServerOptions options = {})
      : engine(
            models::TextEngine::load(model_.path(), {.context = 96, .chunk = 8}, engine_options)) {
    options.port = 0;
    options.model = "words";
    server = std::make_unique<Server>(engine, std::move(options));
    port = server->bind();
    thread_ = std::thread([this] { server->run(); });
    while (!client().Get("/health")) std::this_thread::yield();
  }
  ~ServedModel() { end(std::chrono::milliseconds(0)); }

  void end(std::chrono::milliseconds limit) {
    if (!thread_.joinable()) return;
    server->end(limit);
    thread_.join();
  }
  httplib::Client client() const {
    httplib::Client out("127.0.0.1", port);
    out.set_read_timeout(60);
    return out;
  }

 private:
  WordModel model_;

 public:
  models::TextEngine engine;
  std::unique_ptr<Server> server;
  int port = 0;

 private:
  std::thread thread_;
};

}  // namespace tg::server
