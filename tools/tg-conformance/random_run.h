// The random part of the tool: draws programs, runs them in blocks under several options, and
// prints what fails, made short.
#pragma once

#include <string>
#include <vector>

#include "random_programs.h"
#include "run_program.h"

namespace tg::conformance {

struct RandomSettings {
  std::string device;
  uint64_t seed = 1;  ///< of the first program; the next ones count on
  int64_t programs = 0;
  /// What the evaluator is compared with: "evaluator" (as programs run), "noopt", "threads" (one to
  /// four), "clang" (the C compiler where the device has both); empty: all that the device has.
  std::string against;
  bool print_all = false;  ///< every program as text, before it runs
};

/// 0 if nothing failed, else 1. Prints counts, time, and the share of elements that could not be
/// judged.
int run_random(const RandomSettings& s);

/// Prints a failing program, made short, as C++ and as Python.
void report(const Program& p, const Outcome& failure, const Options& on);

/// The types of floats that programs on this device may have.
std::vector<DType> floats_of(const std::string& device);

}  // namespace tg::conformance
