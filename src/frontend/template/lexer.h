// A chat template as tokens: text to print as it is, and the parts of tags. White space beside tags
// is removed here, as Jinja does with trim_blocks and lstrip_blocks. What tokens mean: parser.h.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tg::models::jinja {

enum class TokenKind : uint8_t {
  Data,           ///< text between tags
  VariableBegin,  ///< {{
  VariableEnd,
  BlockBegin,  ///< {%
  BlockEnd,
  Name,
  Text,  ///< in quotes; `text` has what it stands for
  Whole,
  Float,
  Operator,  ///< `text` is it
  End,
};

struct Token {
  TokenKind kind;
  uint32_t line;
  std::string text;
  int64_t whole = 0;
  double number = 0;
};

/// A template that is wrong: the line, and what is wrong there.
struct SyntaxProblem {
  uint32_t line;
  std::string problem;
};

/// The tokens of a template, which is valid UTF-8; the last one is End. Throws SyntaxProblem.
std::vector<Token> tokens_of(std::string_view source);

}  // namespace tg::models::jinja
