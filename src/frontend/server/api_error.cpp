// See api_error.h.
#include "frontend/server/api_error.h"

#include "frontend/tokenizer/json_part.h"

namespace tg::server {

using nlohmann::json;

json ApiError::body() const {
  const auto or_null = [](const std::string& s) { return s.empty() ? json() : json(s); };
  return {{"error",
           {{"message", what()},
            {"type", type_},
            {"param", or_null(parameter_)},
            {"code", or_null(code_)}}}};
}

void refuse(const std::string& parameter, const std::string& message) {
  throw ApiError(400, "invalid_request_error", message, parameter);
}

json parse_body(std::string_view body) {
  json out;
  try {
    out = models::parse_json(body, "the body");
  } catch (const FileError& e) {
    throw ApiError(400, "invalid_request_error", e.what());
  }
  if (!out.is_object()) throw ApiError(400, "invalid_request_error", "the body must be an object");
  return out;
}

std::string written(const json& content) {
  return content.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace tg::server
