// Interned names (variables, devices): a name becomes a small number that is equal exactly when the
// name is. The table only grows: names are few and come from programs, not from data.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tg {

/// Number of `name`, the same for the whole process; thread-safe.
int64_t intern_symbol(std::string_view name);
/// The name of a number that intern_symbol gave.
const std::string& symbol_name(int64_t id);
/// Hash of the name's text: structural hashes use it, for numbers depend on the order of first use.
uint64_t symbol_hash(int64_t id);

}  // namespace tg
