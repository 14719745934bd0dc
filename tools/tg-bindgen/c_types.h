// How parameters and results look in C: shared by the header and the shims behind it.
#pragma once

#include <string>

#include "tg-bindgen/manifest.h"

namespace bindgen {

/// "tg_softmax"; a name that tg.h gives a type gets "_of" behind it.
std::string c_name(const Function& f);
/// "tg_softmax_options"; empty if there are no optional parameters.
std::string c_options(const Function& f);
/// A parameter's declarators: "int64_t axis", "const int64_t* shape, size_t shape_count".
std::string c_declarator(const Param& p);
/// The expression that makes a tg_value of a parameter.
std::string c_value(const Param& p);
/// The type of what the result's pointer points to; empty if there is no result.
std::string c_result(const Function& f);
/// "tg_status tg_softmax(tg_tensor self, const tg_softmax_options* options, tg_tensor* result)".
std::string c_signature(const Function& f);

}  // namespace bindgen
