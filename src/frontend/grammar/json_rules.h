// Values of JSON as rules of GBNF, which grammars of schemas (json_schema.h) refer to.
#pragma once

#include <string_view>

namespace tg::models::grammar {

/// The rules value, object, array, string, char (of a string), number, not-negative, integer,
/// boolean, null, and ws: a space, or the end of a line and up to twenty spaces. White space has an
/// end because models have been seen to write nothing else; numbers have at most 15 digits before
/// and behind the point, so that a reader of JSON takes each; halves of surrogates stand in pairs.
std::string_view json_rules();

}  // namespace tg::models::grammar
