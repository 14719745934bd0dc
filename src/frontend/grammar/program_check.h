// What every grammar has to fulfil before texts are matched by it.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "frontend/grammar/program.h"

namespace tg::models::grammar {

/// ArgumentError for a rule that may begin with itself, which would call itself for ever, and for
/// large counts of what may be empty. `entries`: the first node of each rule, or kNone; `names`: of
/// the rules. Takes time for the nodes times the longest chain of rules that may be empty.
void check_program(const Program& program, std::span<const uint32_t> entries,
                   std::span<const std::string> names);

}  // namespace tg::models::grammar
