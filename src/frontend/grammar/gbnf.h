// Reads grammars in the syntax GBNF of llama.cpp, as
// https://github.com/ggml-org/llama.cpp/blob/master/grammars/README.md describes it, without tokens
// (<think>). What becomes of them: program.h.
#pragma once

#include <string_view>

#include "frontend/grammar/program.h"

namespace tg::models::grammar {

/// ArgumentError, with the line, for what is no grammar, has no rule "root", or more than a million
/// bytes or nodes. Time and memory are linear in the text; counts take none.
Program parse_gbnf(std::string_view text);

}  // namespace tg::models::grammar
