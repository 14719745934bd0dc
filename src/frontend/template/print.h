// How values print: as Python's str and repr do, and as the JSON of Python's package json.
#pragma once

#include <optional>
#include <string>

#include "frontend/template/template_value.h"

namespace tg::models::jinja {

/// str(v). Refusal for too long a text.
std::string text_of(const Value& v);
/// repr(v): texts in quotes.
std::string repr_of(const Value& v);

struct JsonOptions {
  bool ascii_only = false;  ///< other letters as \u…
  /// What indents a level, with each item on a line of its own; none: all on one line.
  std::optional<std::string> indent = {};
  std::string item_separator = ", ", key_separator = ": ";
  bool sort_keys = false;
};

/// json.dumps(v). Refusal for a value that JSON has no form of.
std::string json_of(const Value& v, const JsonOptions& options);

/// A value of a text of JSON. ArgumentError, in the name of `name`, for what is no JSON, nested too
/// deeply or has numbers beyond 64 bits.
Value value_of_json(std::string_view text, const std::string& name);

}  // namespace tg::models::jinja
