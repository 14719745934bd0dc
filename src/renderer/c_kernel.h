// One linear kernel as two C functions: the body, whose parameters are named, typed and restrict,
// and the entry that unpacks the launch's arguments. Statements and names are made here;
// expressions in c_elementwise.cpp, memory in c_memory.h.
#pragma once

#include <string>

#include "codegen/linear.h"
#include "renderer/c_unit.h"

namespace tg {

/// The text of `kernel`; types and helpers that it needs are added to `unit`.
std::string c_kernel(CUnit& unit, const LinearKernel& kernel);

}  // namespace tg
