// How the tests ask a server of this process, and wait.
#pragma once

#include <gtest/gtest.h>
#include <httplib.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "frontend/server/api_error.h"

namespace tg::server {

/// What it answers to a body of JSON; the test fails for another status.
template <typename Served>
nlohmann::json post(const Served& served, const char* path, const nlohmann::json& body,
                    int status = 200) {
  const auto result = served.client().Post(path, body.dump(), kJson);
  if (!result) {
    ADD_FAILURE() << to_string(result.error());
    return {};
  }
  EXPECT_EQ(result->status, status) << result->body;
  EXPECT_EQ(result->get_header_value("Content-Type"), kJson);
  return nlohmann::json::parse(result->body);
}

/// Whether something holds within a minute.
template <typename F>
bool soon(F holds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!holds()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

}  // namespace tg::server
