// One linear kernel in a C-like language. Statements and names are made here; expressions in
// c_elementwise.cpp, memory in c_memory.h; what the languages spell differently, and the head of
// the function, in c_dialect.h.
#pragma once

#include <string>

#include "codegen/linear.h"
#include "renderer/c_unit.h"

namespace tg {

/// The text of `kernel`; types and helpers that it needs are added to `unit`.
std::string c_kernel(CUnit& unit, const LinearKernel& kernel);

}  // namespace tg
