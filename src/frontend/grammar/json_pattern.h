// Regular expressions of JSON Schema's keyword "pattern" as GBNF. Those of tokenizers are ICU's:
// frontend/tokenizer/unicode.h.
#pragma once

#include <string>
#include <string_view>

namespace tg::models::grammar {

/// The strings of JSON, with their quotes, that a pattern matches, as one right side of a rule that
/// refers to those of json_rules.h. Characters are spelled in one way each. ArgumentError, which
/// names `place`, for what is no pattern and for assertions other than ^ at the beginning and $ at
/// the end, references, and classes of Unicode.
std::string gbnf_of_pattern(std::string_view pattern, const std::string& place);

}  // namespace tg::models::grammar
