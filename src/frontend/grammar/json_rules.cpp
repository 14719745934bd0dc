// See json_rules.h.
#include "frontend/grammar/json_rules.h"

namespace tg::models::grammar {

// The last of the names in two pieces: it is that of a backend too, which stands nowhere alone.
std::string_view json_rules() {
  return R"(value ::= object | array | string | number | boolean | null
object ::= "{" ws (member ("," ws member)*)? "}"
member ::= string ":" ws value ws
array ::= "[" ws (value ws ("," ws value ws)*)? "]"
string ::= "\"" char* "\""
char ::= [^"\\\x00-\x1F\x7F] | "\\" (["\\/bfnrt] | "u" unit)
unit ::= [0-9a-cA-CefEF] hex{3} | [dD] [0-7] hex{2} | [dD] [89abAB] hex{2} "\\u" [dD] [c-fC-F] hex{2}
hex ::= [0-9a-fA-F]
number ::= "-"? not-negative
not-negative ::= natural ("." [0-9]{1,15})? ([eE] [-+]? [0-9]{1,2})?
integer ::= "-"? natural
natural ::= "0" | [1-9] [0-9]{0,14}
boolean ::= "true" | "false"
null ::= "nul" "l"
ws ::= | " " | "\n" [ \t]{0,20}
)";
}

}  // namespace tg::models::grammar
