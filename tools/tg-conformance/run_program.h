// Runs a program on a device and compares what comes out with the evaluation in float64 and its
// bounds (bounded_graph.h).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "bounded_graph.h"
#include "program.h"
#include "support/options.h"

namespace tg::conformance {

/// One step on the values before it.
Tensor run_step(const Step& step, std::span<const Tensor> values);
/// The inputs as storage of the default device; `call` draws other data.
std::vector<Tensor> make_inputs(const Program& p, uint64_t call = 0);
/// The expressions of the inputs and of all steps.
std::vector<Tensor> build_values(const Program& p, const std::vector<Tensor>& inputs);
/// Outputs, then gradients, then gradients of gradients.
std::vector<Tensor> build_results(const Program& p, const std::vector<Tensor>& inputs);

/// What became of a program.
struct Outcome {
  enum class Kind {
    Passed,
    Differs,  ///< a value lies outside its bounds
    Threw,    ///< an error while computing, or one that no user makes
    Illegal,  ///< the functions refused their arguments
  };
  Kind kind = Kind::Passed;
  std::string text;  ///< the first difference, or the error
  int64_t judged = 0, unknown = 0;

  bool passed() const { return kind == Kind::Passed; }
};

/// Runs the program under these options, whose device is where it runs.
Outcome run_program(const Program& p, const Options& on);
/// Several programs, computed in one call; those that are captured or that fail each by itself.
std::vector<Outcome> run_programs(std::span<const Program> programs, const Options& on);

/// Judges tensors that are not computed yet, in the same way, on the default device.
Outcome judged_results(const std::function<std::vector<Tensor>()>& make);

}  // namespace tg::conformance
