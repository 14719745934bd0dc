// What types alone do not say about a function's arguments, by its name: arguments.h uses it.
#pragma once

#include <string_view>

#include "maker.h"

namespace tg::conformance {

struct ArgumentRule {
  std::string_view name;
  /// Calls the function on `x` or on what it makes of it.
  Operand (*call)(Maker& m, Operand x);
};
/// The rule of a function, or null.
const ArgumentRule* find_rule(std::string_view name);

/// `x` within the domain of the function: positive for a logarithm, integers for bits.
Operand guarded_operand(Maker& m, std::string_view function, Operand x);

/// Something that can be combined with x elementwise: a value of the program, data, or a number.
/// It can be broadcast to x's shape; `wider`: or x to its.
Argument partner(Maker& m, Operand x, bool wider = false);
Operand partner_tensor(Maker& m, Operand x, bool wider = false);

/// All functions with a domain, and all that are excepted.
std::vector<std::string_view> guarded_names();
std::vector<std::string_view> excepted_names();

// One family a file.
const std::vector<ArgumentRule>& movement_rules();
const std::vector<ArgumentRule>& creation_rules();
const std::vector<ArgumentRule>& element_rules();
const std::vector<ArgumentRule>& network_rules();

}  // namespace tg::conformance
