// Makes a failing program shorter while it fails in the same way: fewer outputs, gradients and
// steps, shorter axes, smaller numbers.
#pragma once

#include <functional>

#include "run_program.h"

namespace tg::conformance {

/// `run` says what becomes of a candidate. Tries at most `most` of them.
Program shrunk(Program p, const Outcome& failure, const std::function<Outcome(const Program&)>& run,
               int most);

}  // namespace tg::conformance
