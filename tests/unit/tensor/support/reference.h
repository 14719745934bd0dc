// The programs that cases of tests/reference/torch.txt name. A program gets the float inputs of its
// case, then the integer ones.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tg/tensor.h"

namespace tg::testing {

using List = std::vector<Tensor>;
using ReferenceProgram = std::function<Tensor(const List&)>;

/// Adds the functions beyond the basic ones: reference_programs.cpp.
void add_further_programs(std::map<std::string, ReferenceProgram>& p);

}  // namespace tg::testing
