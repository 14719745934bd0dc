// Programs drawn at random: a few functions in a row on shared values, with gradients, gradients of
// gradients, assignments and captured calls in a part of them.
#pragma once

#include <map>
#include <string>

#include "program.h"

namespace tg::conformance {

struct DrawnProgram {
  Program program;
  std::string
      fault;  ///< not empty: a function refused what was drawn for it, a mistake of the tool
  std::map<std::string, int64_t> redrawn;  ///< steps that were drawn again, by reason
};

/// The same program for the same seed and the same float dtypes of inputs on every machine.
DrawnProgram random_program(uint64_t seed, const std::vector<DType>& floats);

/// Appends the scalar that is differentiated: outputs squared, weighted or just summed.
class Maker;
Operand append_loss(Maker& m, const std::vector<Operand>& outputs);

}  // namespace tg::conformance
