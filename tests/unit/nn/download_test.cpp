// Downloads from a server inside the test: whole, redirected, wrong, missing, cut short, too large,
// too slow, interrupted. Where the machine has no libcurl, the one test that remains is the message
// that says so.
#include "nn/data/download.h"

#include <gtest/gtest.h>

#include "http_server.h"
#include "nn_test_util.h"
#include "support/dynamic_library.h"
#include "support/interrupt.h"
#include "support/sha256.h"

namespace tg::nn {
namespace {

class Download : public testing::Test {
 protected:
  void SetUp() override {
    if (!can_download()) GTEST_SKIP() << "no libcurl on this machine";
    options_.use_proxy = false;
  }

  std::string error(const std::string& url) {
    return file_error_of([&] { download(url, options_); });
  }

  DownloadOptions options_;
};

TEST_F(Download, GivesTheWholeBody) {
  const HttpServer server({{"f", {.body = sample_text(300'000)}}});
  EXPECT_EQ(download(server.url("f"), options_), sample_text(300'000));
}

TEST_F(Download, GivesAnEmptyBody) {
  const HttpServer server({{"f", Answer{}}});
  EXPECT_EQ(download(server.url("f"), options_), "");
}

TEST_F(Download, KeepsZeroBytes) {
  const std::string body("a\0b\0", 4);
  const HttpServer server({{"f", {.body = body}}});
  EXPECT_EQ(download(server.url("f"), options_), body);
}

TEST_F(Download, FollowsRedirects) {
  const HttpServer server({{"old", {.status = "302 Found", .extra_headers = "Location: /new\r\n"}},
                           {"new", {.body = "here"}}});
  EXPECT_EQ(download(server.url("old"), options_), "here");
  EXPECT_EQ(server.requests(), (std::vector<std::string>{"old", "new"}));
}

TEST_F(Download, GivesUpOnARedirectToItself) {
  const HttpServer server({{"f", {.status = "302 Found", .extra_headers = "Location: /f\r\n"}}});
  EXPECT_EQ(error(server.url("f")), "download: \"" + server.url("f") +
                                        "\" cannot be fetched: Maximum (8) redirects followed.");
}

TEST_F(Download, DoesNotFollowARedirectToAFile) {
  const HttpServer server(
      {{"f", {.status = "302 Found", .extra_headers = "Location: file:///etc/hostname\r\n"}}});
  EXPECT_EQ(error(server.url("f"))
                .rfind("download: \"" + server.url("f") + "\" cannot be fetched: Protocol", 0),
            0u);
}

TEST_F(Download, RefusesFileAddresses) {
  EXPECT_EQ(error("file:///etc/hostname")
                .rfind("download: \"file:///etc/hostname\" cannot be fetched: Protocol", 0),
            0u);
}

TEST_F(Download, NamesTheStatusOfAMissingFile) {
  const HttpServer server({});
  EXPECT_EQ(error(server.url("gone")),
            "download: \"" + server.url("gone") +
                "\" cannot be fetched: the server answered with status 404.");
}

TEST_F(Download, NamesTheStatusOfABrokenServer) {
  const HttpServer server({{"f", {.body = "oops", .status = "503 Unavailable"}}});
  EXPECT_EQ(error(server.url("f")),
            "download: \"" + server.url("f") +
                "\" cannot be fetched: the server answered with status 503.");
}

TEST_F(Download, RefusesATruncatedBody) {
  const HttpServer server({{"f", {.body = "half", .missing = 4}}});
  const std::string message = error(server.url("f"));
  EXPECT_EQ(message.rfind("download: \"" + server.url("f") + "\" cannot be fetched: ", 0), 0u)
      << message;
  EXPECT_NE(message.find("4 bytes remaining"), std::string::npos) << message;
}

TEST_F(Download, StopsAtTheLimit) {
  const HttpServer server({{"f", {.body = std::string(100'000, 'x')}}});
  options_.max_bytes = 1000;
  EXPECT_EQ(error(server.url("f")),
            "download: \"" + server.url("f") + "\" is larger than 1000 bytes.");
}

TEST_F(Download, AcceptsExactlyTheLimit) {
  const HttpServer server({{"f", {.body = std::string(1000, 'x')}}});
  options_.max_bytes = 1000;
  EXPECT_EQ(download(server.url("f"), options_).size(), 1000u);
}

TEST_F(Download, GivesUpOnASlowServerAfterItsTime) {
  const HttpServer server({{"f", {.body = "late", .stall = std::chrono::seconds(20)}}});
  options_.total_timeout_ms = 150;
  const std::string message = error(server.url("f"));
  EXPECT_NE(message.find("cannot be fetched: Operation timed out after"), std::string::npos)
      << message;
}

TEST_F(Download, GivesUpOnAStalledServer) {
  const HttpServer server({{"f", {.body = "late", .stall = std::chrono::seconds(30)}}});
  options_.stall_timeout_s = 1;
  const std::string message = error(server.url("f"));
  EXPECT_NE(message.find("Operation too slow"), std::string::npos) << message;
}

TEST_F(Download, NamesARefusedConnection) {
  std::string url;
  {
    const HttpServer server({});
    url = server.url("f");
  }
  EXPECT_EQ(error(url).rfind("download: \"" + url + "\" cannot be fetched: Failed to connect", 0),
            0u)
      << error(url);
}

TEST_F(Download, NamesAnAddressThatIsNone) {
  EXPECT_EQ(error("http://").rfind("download: \"http://\" cannot be fetched: ", 0), 0u);
}

TEST_F(Download, ReportsProgressUpToTheEnd) {
  const HttpServer server({{"f", {.body = std::string(50'000, 'x')}}});
  uint64_t last = 0, total = 0;
  options_.on_progress = [&](uint64_t received, uint64_t all) {
    EXPECT_GE(received, last);
    last = received;
    total = all;
  };
  download(server.url("f"), options_);
  EXPECT_EQ(last, 50'000u);
  EXPECT_EQ(total, 50'000u);
}

TEST_F(Download, CarriesAnExceptionOutOfTheProgressFunction) {
  const HttpServer server({{"f", {.body = "x"}}});
  options_.on_progress = [](uint64_t, uint64_t) { throw std::runtime_error("enough"); };
  EXPECT_EQ(message_of<std::runtime_error>([&] { download(server.url("f"), options_); }), "enough");
}

TEST_F(Download, StopsWhenInterrupted) {
  const HttpServer server({{"f", {.body = "late", .stall = std::chrono::seconds(20)}}});
  request_interrupt();
  EXPECT_THROW(download(server.url("f"), options_), CancelledError);
  clear_interrupt();
}

TEST_F(Download, AcceptsTheRightChecksum) {
  const HttpServer server({{"f", {.body = "abc"}}});
  EXPECT_EQ(download_checked(server.url("f"), sha256_hex("abc"), options_), "abc");
}

TEST_F(Download, RefusesAWrongChecksum) {
  const HttpServer server({{"f", {.body = "abd"}}});
  EXPECT_EQ(file_error_of([&] { download_checked(server.url("f"), sha256_hex("abc"), options_); }),
            "download: \"" + server.url("f") + "\" has the wrong SHA-256: " + sha256_hex("abd") +
                " of 3 bytes, expected " + sha256_hex("abc") + ".");
}

TEST_F(Download, WorksFromSeveralThreads) {
  const HttpServer server({{"f", {.body = sample_text(20'000)}}});
  std::vector<std::thread> threads;
  std::atomic<int> good{0};
  for (int i = 0; i < 4; ++i)
    threads.emplace_back(
        [&] { good += download(server.url("f"), options_) == sample_text(20'000); });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(good, 4);
}

TEST(DownloadWithoutCurl, SaysSo) {
  const std::string_view none[] = {"libno-such-curl.so.4"};
  EXPECT_EQ(
      file_error_of([&] { download_through(none, "http://127.0.0.1/"); }),
      "download: \"http://127.0.0.1/\" cannot be fetched: there is no libcurl on this machine. "
      "Hint: install it (Debian, Ubuntu: apt install libcurl4).");
}

TEST(DownloadWithoutCurl, TakesAnotherLibraryOfThatNameForNone) {
  const std::string_view other[] = {"libz.so.1"};
  EXPECT_NE(file_error_of([&] {
              download_through(other, "http://127.0.0.1/");
            }).find("there is no libcurl on this machine"),
            std::string::npos);
}

TEST_F(Download, WorksThroughEveryLibcurlOfThisMachine) {
  const HttpServer server({{"f", {.body = "abc"}}});
  int tried = 0;
  for (const std::string_view name : {"libcurl.so.4", "libcurl-gnutls.so.4", "libcurl-nss.so.4"}) {
    if (!DynamicLibrary::find({&name, 1})) continue;
    EXPECT_EQ(download_through({&name, 1}, server.url("f"), options_), "abc") << name;
    ++tried;
  }
  if (tried == 0) GTEST_SKIP() << "libcurl has an unusual name on this machine";
}

}  // namespace
}  // namespace tg::nn
