// See facts_json.h.
#include "nn/facts_json.h"

#include <nlohmann/json.hpp>

namespace tg::nn {
namespace {

using nlohmann::json;

// Lists are as deep as their readers allow: GGUF's eight.
json as_json(const Fact& fact) {
  return std::visit(
      [](const auto& value) {
        if constexpr (std::is_same_v<std::decay_t<decltype(value)>, Fact::List>) {
          json list = json::array();
          for (const Fact& item : value) list.push_back(as_json(item));
          return list;
        } else {
          return json(value);
        }
      },
      fact.value);
}

}  // namespace

std::string facts_json(const Facts& facts) {
  json object = json::object();
  for (const auto& [name, fact] : facts) object[name] = as_json(fact);
  return object.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace tg::nn
