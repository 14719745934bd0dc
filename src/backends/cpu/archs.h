// Which processors the CPU device can compile for, by their names in its settings.
#pragma once

#include <span>
#include <string_view>

namespace tg::cpu {

/// What code can be made for: "native", "generic", and the architecture's levels ("x86-64-v3").
std::span<const std::string_view> known_archs();
bool is_known_arch(std::string_view arch);
/// Whether this processor has all that code for the known `arch` may use.
bool runs_here(std::string_view arch);
/// 3 of "x86-64-v3"; 1 where the name is no level.
int level_of(std::string_view arch);

}  // namespace tg::cpu
