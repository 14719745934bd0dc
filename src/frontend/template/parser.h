// The tree of a chat template, by the grammar of jinja2/parser.py. What may follow what: tokens are
// in lexer.h, what nodes mean in renderer.h.
#pragma once

#include <string_view>

#include "frontend/template/lexer.h"
#include "frontend/template/syntax.h"

namespace tg::models::jinja {

/// The tree of a template, which is valid UTF-8. Throws SyntaxProblem for what the grammar refuses,
/// statements that need other templates, and more than a hundred levels of nesting.
Syntax syntax_of(std::string_view source);

}  // namespace tg::models::jinja
