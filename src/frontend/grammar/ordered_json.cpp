// See ordered_json.h.
#include "frontend/grammar/ordered_json.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "frontend/tokenizer/json_part.h"
#include "support/check.h"

namespace tg::models::grammar {

nlohmann::ordered_json parse_in_order(std::string_view text, std::string_view what) {
  nlohmann::json whole;
  try {
    whole = parse_json(text, std::string(what));
  } catch (const FileError& e) {
    throw ArgumentError(e.what());
  }
  std::vector<const nlohmann::json*> todo = {&whole};
  while (!todo.empty()) {
    const nlohmann::json* at = todo.back();
    todo.pop_back();
    if (at->is_object() && at->size() > kMostOrderedMembers) {
      user_error<ArgumentError>(
          what, fmt::format("an object has more than {} members", kMostOrderedMembers));
    }
    if (at->is_structured())
      for (const nlohmann::json& part : *at) todo.push_back(&part);
  }
  return nlohmann::ordered_json::parse(text);
}

}  // namespace tg::models::grammar
