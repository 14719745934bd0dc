// What all devices share whose kernels are written by the emitter of C-like languages: the part of
// their facts that the emitter and a calibration decide.
#pragma once

#include <initializer_list>
#include <string_view>

#include "target/target.h"

namespace tg {

/// Sets the ops and types that the emitter spells in all its languages.
void set_c_language(Target& target);

/// The same, and the speeds that `tg bench --calibrate` has
/// measured for `backend` on the machine `target.machine`, if it has.
void finish_c_target(Target& target, std::string_view backend);

/// Adds the matrix units of these names, which find_matrix_unit() knows.
void add_matrix_units(Target& target, std::initializer_list<std::string_view> names);

}  // namespace tg
