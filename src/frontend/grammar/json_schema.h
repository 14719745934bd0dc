// JSON Schemas as grammars in GBNF. What is supported: docs/language-models.md; everything else is
// refused with its place, since an answer that ignores it would not be what was asked for. GBNF:
// gbnf.h.
#pragma once

#include <string>
#include <string_view>

namespace tg::models::grammar {

/// The grammar of all values of JSON that the schema, a text of JSON, allows. ArgumentError, which
/// names the place, for what is no schema or not supported.
std::string gbnf_of_schema(std::string_view schema);

}  // namespace tg::models::grammar
