// What operators do with values, as in Python. Which operator stands where: renderer.h.
#pragma once

#include "frontend/template/syntax.h"
#include "frontend/template/template_value.h"

namespace tg::models::jinja {

/// `a op b` for arithmetic: numbers, and of texts and lists + and *; % fills in a text. Refusal for
/// other values, division by zero, and whole numbers beyond 64 bits.
Value arithmetic(Op op, const Value& a, const Value& b, Budget& budget);
/// `a op b` for comparisons, `in` among them.
bool compares(Op op, const Value& a, const Value& b, Budget& budget);
/// `item in container`.
bool contains(const Value& container, const Value& item, Budget& budget);
Value negative(const Value& v);

/// `format % values`: %s, %r, %d, %i, %x, %o, %f, %e, %g, %c and %% with flags, width and
/// precision.
std::string filled_in(const std::string& format, const Value& values);

}  // namespace tg::models::jinja
