// What the tests of the server share: a tiny model with a tokenizer whose tokens are words, served
// in this process on a port that the system chose.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <thread>

#include "frontend/server/connections.h"
#include "frontend/server/server.h"
#include "support/file.h"
#include "support/source_dir.h"

namespace tg::server {

/// A tokenizer of the words w0 to w47.
inline std::string words_tokenizer() {
  std::string words;
  for (int i = 0; i < 48; ++i)
    words +=
        (i > 0 ? "," : "") + std::string("\"w") + std::to_string(i) + "\":" + std::to_string(i);
  return R"({"model":{"type":"WordLevel","vocab":{)" + words + R"(},"unk_token":"w0"},)" +
         R"("pre_tokenizer":{"type":"Whitespace"}})";
}

/// A tokenizer of letters, enough for JSON without capitals.
inline std::string letters_tokenizer() {
  nlohmann::json letters;
  // The first ones are the model's stop tokens.
  for (const char c : std::string_view("ABCabcdefghijklmnoprstuvwxy01234{}[]<>/_\":,"))
    letters[std::string(1, c)] = letters.size();
  letters["\u0120"] = letters.size();  // a space, as GPT-2 has it
  letters["\u010a"] = letters.size();  // the end of a line
  const nlohmann::json steps = {{"type", "ByteLevel"}, {"add_prefix_space", false}};
  return nlohmann::json{
      {"model", {{"type", "BPE"}, {"vocab", letters}, {"merges", nlohmann::json::array()}}},
      {"pre_tokenizer", steps},
      {"decoder", steps}}
      .dump();
}

/// The folder of a model of 48 tokens.
class WordModel {
 public:
  explicit WordModel(const std::string& tokenizer = words_tokenizer()) : folder_("served_model") {
    namespace fs = std::filesystem;
    const fs::path from = test::source_dir() / "tests/reference/language_models/llama";
    for (const auto& e : fs::directory_iterator(from))
      fs::copy_file(e.path(), folder_.path() / e.path().filename());
    write_file(folder_.path() / "tokenizer.json", tokenizer);
  }
  const std::filesystem::path& path() const { return folder_.path(); }

 private:
  TempDir folder_;
};

/// Its server, which ends with this.
class ServedModel {
 public:
  explicit ServedModel(const models::TextEngineOptions& engine_options = {},
                       ServerOptions options = {}, const std::string& tokenizer = words_tokenizer())
      : model_(tokenizer),
        engine(
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
