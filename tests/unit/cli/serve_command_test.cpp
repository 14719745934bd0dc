// tg serve as a user sees it: from the command to the signal that ends it. What the server answers:
// tests/unit/frontend/server.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <mutex>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>
#include <streambuf>
#include <string>
#include <thread>
#include <vector>

#include "cli/cli.h"
#include "unit/frontend/embedding/word_encoder.h"
#include "unit/frontend/server/served_model.h"

namespace tg::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;

// What one thread prints and another one reads.
class Screen : public std::streambuf {
 public:
  std::string text() const {
    const std::lock_guard lock(mutex_);
    return text_;
  }

 protected:
  int overflow(int c) override {
    const std::lock_guard lock(mutex_);
    text_ += static_cast<char>(c);
    return c;
  }

 private:
  mutable std::mutex mutex_;
  std::string text_;
};

// `tg serve` on a thread, on a port that the system chose.
class Command {
 public:
  explicit Command(const std::filesystem::path& model, std::vector<std::string> more = {}) {
    std::vector<std::string> all = {"serve", model.string(), "--port", "0"};
    all.insert(all.end(), more.begin(), more.end());
    thread_ = std::thread([this, all] {
      status_ = run(all, out_, errors_);
      is_over_ = true;
    });
    while (port_ == 0 && !is_over_) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      port_ = shown_port();
    }
  }
  ~Command() {
    if (thread_.joinable()) end_by(SIGTERM);  // else a test ended it
  }

  httplib::Client client() const { return httplib::Client("127.0.0.1", port_); }
  std::string shown() const { return screen_.text(); }

  // 0 until it is there.
  int shown_port() const {
    static const std::regex line("listening on http://127\\.0\\.0\\.1:([0-9]+)\n");
    const std::string text = shown();
    std::smatch found;
    return std::regex_search(text, found, line) ? std::stoi(found[1]) : 0;
  }

  // The exit status.
  int end_by(int signal) {
    if (!is_over_) std::raise(signal);  // without a server it would end the tests
    return ended();
  }
  int ended() {
    thread_.join();
    EXPECT_EQ(errors_.str(), "");
    return status_;
  }

 private:
  Screen screen_;
  std::ostream out_{&screen_};
  std::ostringstream errors_;
  int port_ = 0, status_ = -1;
  std::atomic<bool> is_over_ = false;
  std::thread thread_;
};

json posted(const Command& command, const std::string& path, const json& body) {
  const auto answer = command.client().Post(path, body.dump(), "application/json");
  if (!answer) return json{{"no answer", httplib::to_string(answer.error())}};
  EXPECT_EQ(answer->status, 200) << answer->body;
  return json::parse(answer->body);
}

TEST(ServeCommand, ServesALanguageModelUntilASignal) {
  const server::WordModel model;
  for (const int signal : {SIGINT, SIGTERM}) {
    Command command(model.path(), {"--name", "words", "--slots", "2", "--context", "64"});
    EXPECT_THAT(command.shown(), HasSubstr("words: llama"));
    EXPECT_THAT(command.shown(), HasSubstr("2 slots of 64 positions"));
    const json answer =
        posted(command, "/v1/completions", {{"prompt", "w5"}, {"max_tokens", 4}, {"seed", 1}});
    EXPECT_EQ(answer["model"], "words") << answer;
    EXPECT_EQ(answer["usage"]["prompt_tokens"], 1) << answer;
    EXPECT_EQ(command.end_by(signal), 0);
    EXPECT_THAT(command.shown(), HasSubstr("ending"));
    EXPECT_FALSE(command.client().Get("/health")) << "nobody listens any more";
  }
}

TEST(ServeCommand, FinishesATextThatTheSignalFindsRunning) {
  const server::WordModel model;
  Command command(model.path());
  const json request = {{"prompt", "w5"}, {"max_tokens", 60}, {"stream", true}};
  std::string text;
  httplib::Request post;
  post.method = "POST";
  post.path = "/v1/completions";
  post.set_header("Content-Type", "application/json");
  post.body = request.dump();
  post.content_receiver = [&](const char* data, size_t size, uint64_t, uint64_t) {
    if (text.empty()) std::raise(SIGINT);
    text.append(data, size);
    return true;
  };
  httplib::Client client = command.client();
  const auto answer = client.send(post);
  ASSERT_TRUE(answer) << httplib::to_string(answer.error());
  EXPECT_EQ(command.ended(), 0);
  EXPECT_THAT(text, HasSubstr("\"finish_reason\":"));
  EXPECT_THAT(text, testing::EndsWith("data: [DONE]\n\n"));
}

TEST(ServeCommand, ServesAnEncoder) {
  const models::WordEncoder model;
  Command command(model.path(), {"--name", "encoder"});
  EXPECT_THAT(command.shown(), HasSubstr("vectors of"));
  const json answer = posted(command, "/v1/embeddings", {{"input", {"w3 w4", "w5"}}});
  EXPECT_EQ(answer["data"].size(), 2u) << answer;
  EXPECT_EQ(command.end_by(SIGTERM), 0);
}

TEST(ServeCommand, NamesMistakes) {
  const auto error_of = [](const std::vector<std::string>& arguments) {
    std::ostringstream out, errors;
    EXPECT_NE(run(arguments, out, errors), 0);
    return errors.str();
  };
  EXPECT_THAT(error_of({"serve", "/nowhere/model"}), HasSubstr("/nowhere/model"));
  const server::WordModel model;
  const Command command(model.path());
  const std::string port = std::to_string(command.shown_port());
  EXPECT_THAT(error_of({"serve", model.path().string(), "--port", port}), HasSubstr(port))
      << "the port is taken";
}

}  // namespace
}  // namespace tg::cli
