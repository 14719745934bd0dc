// JSON whose objects keep the order of their members, where that says something: schemas, and tools
// as templates print them.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

namespace tg::models::grammar {

/// Members of an object, of a text that parse_in_order reads.
inline constexpr size_t kMostOrderedMembers = 1000;

/// ArgumentError, in the name of `what`, for what is no JSON, is nested beyond reason, or has an
/// object with more members than that: each takes a search for its name.
nlohmann::ordered_json parse_in_order(std::string_view text, std::string_view what);

}  // namespace tg::models::grammar
