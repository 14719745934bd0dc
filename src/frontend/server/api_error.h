// What the server answers in place of a result: a status of HTTP and OpenAI's object "error".
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "tg/error.h"

namespace tg::server {

class ApiError : public Error {
 public:
  /// `parameter`: the member of the request that is wrong, empty if it is none; `code`: for
  /// programs, may be empty.
  ApiError(int status, std::string type, const std::string& message, std::string parameter = {},
           std::string code = {})
      : Error(message),
        status_(status),
        type_(std::move(type)),
        parameter_(std::move(parameter)),
        code_(std::move(code)) {}

  int status() const { return status_; }
  const std::string& parameter() const { return parameter_; }
  /// {"error": {"message": …, "type": …, "param": …, "code": …}}.
  nlohmann::json body() const;

 private:
  int status_;
  std::string type_, parameter_, code_;
};

/// 400 for a wrong member of a request.
[[noreturn]] void refuse(const std::string& parameter, const std::string& message);

/// The object of JSON that a request is. ApiError for a body that is none.
nlohmann::json parse_body(std::string_view body);

/// The type of answers.
inline constexpr const char* kJson = "application/json";

/// JSON as the server writes it: what is no UTF-8 becomes U+FFFD.
std::string written(const nlohmann::json& content);

}  // namespace tg::server
