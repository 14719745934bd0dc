// What the conformance suite is made of: cases with names, and a runner that counts. Three kinds:
// graphs of primitive operations, whose values the evaluator knows (uop/evaluate_tensor.h),
// programs of recorded functions, judged by bounds of the rounding error (run_program.h), and
// programs of tensors, which run on the device and on a reference device. The cases themselves:
// *_cases.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "compare.h"
#include "random_programs.h"
#include "runtime/device.h"
#include "tg/tensor.h"
#include "uop/evaluate_tensor.h"

namespace tg::conformance {

struct Settings {
  std::string device;
  std::string reference = "INTERP";
  std::string filter;   ///< cases whose names contain it
  std::string without;  ///< and do not contain this; empty: all
  uint64_t seed = 1;
  int64_t every = 1;   ///< run only one of this many cases, of the next as many, and so on
  int64_t first = 0;   ///< which one of them
  bool quick = false;  ///< fewer random cases
  bool list = false;   ///< print names only
};

struct Graph {
  std::vector<UOp> roots;
  BufferContents contents;
};

/// A graph on storage of the device. Many are computed in one call, which is what costs little on
/// devices whose compiler takes long to start.
struct GraphCase {
  std::string name;
  Tolerance tolerance;
  std::function<Graph(Device&)> make;
  std::string skip = {};  ///< the reason why the device cannot be asked; empty: run it
};

/// A program whose results are the same on every device. It creates its tensors on the default
/// device; the random numbers start from the same seed.
struct ProgramCase {
  std::string name;
  Tolerance tolerance;
  std::function<std::vector<Tensor>()> run;
  DType dtype = DType::Float32;  ///< that the device must compute in
};

/// A program of recorded functions, judged by the evaluation in float64 with bounds.
struct DrawnCase {
  std::string name;
  std::function<DrawnProgram()> make;  ///< one without values is left out for the reason it gives
  std::string skip = {};
};

/// Tensors that are not computed yet, judged in the same way.
struct JudgedCase {
  std::string name;
  std::function<std::vector<Tensor>()> results;
};

struct Suite {
  std::vector<GraphCase> graphs;
  std::vector<DrawnCase> drawn;
  std::vector<JudgedCase> judged;
  std::vector<ProgramCase> programs;
};

void add_element_cases(Suite& suite, const Settings& settings);   ///< elementwise ops, casts
void add_movement_cases(Suite& suite, const Settings& settings);  ///< views, reductions, indexing
void add_graph_cases(Suite& suite, const Settings& settings);     ///< random graphs, gradients
void add_function_cases(Suite& suite, const Settings& settings);  ///< every recorded function
void add_product_cases(Suite& suite, const Settings& settings);   ///< matmul, convolutions
void add_layer_cases(Suite& suite);                               ///< layers and their gradients
void add_regressions(Suite& suite);                               ///< what was once wrong
void add_step_cases(Suite& suite, const Settings& settings);  ///< assignments, captures, training

struct Counts {
  int64_t passed = 0, failed = 0, skipped = 0;
};
/// Runs the cases that the filter picks, a line for each that fails, and a line for each reason of
/// skips; throws ArgumentError if the filter picks none.
Counts run(const Suite& suite, const Settings& settings);

/// Contents for leaves: the same for the same seed in every process.
TensorValue random_value(const Shape& shape, DType t, double low, double high, uint64_t seed);
/// Puts `v` on the device and notes it in `graph`.
UOp leaf(Graph& graph, Device& device, const TensorValue& v);
/// Why a device with these facts cannot compute in `t`; empty if it can.
std::string lacks(const Target& target, DType t);

}  // namespace tg::conformance
