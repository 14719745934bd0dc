// Thread-local scopes (training, no gradients) and gradient checking against finite differences.
// Gradients themselves: Tensor::backward and Tensor::gradient in tensor.h.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tg/export.h"
#include "tg/options.h"
#include "tg/tensor.h"

namespace tg {

/// While it lives, this thread trains (or not), which affects dropout and batch_norm. Scopes nest.
class TG_API TrainingScope {
 public:
  explicit TrainingScope(bool training = true);
  ~TrainingScope();
  TrainingScope(const TrainingScope&) = delete;
  TrainingScope& operator=(const TrainingScope&) = delete;

 private:
  bool before_;
};
/// Whether this thread is in a TrainingScope; false without one.
TG_API bool is_training();
/// Switches training of this thread on or off, and returns the old value: for programs whose
/// language has no scopes.
TG_API bool set_training(bool training);

/// While it lives, results of this thread's operations carry no gradients. Scopes nest.
class TG_API NoGradScope {
 public:
  explicit NoGradScope(bool no_grad = true);
  ~NoGradScope();
  NoGradScope(const NoGradScope&) = delete;
  NoGradScope& operator=(const NoGradScope&) = delete;

 private:
  bool before_;
};
/// Whether operations of this thread record gradients; true without a NoGradScope.
TG_API bool is_grad_enabled();
/// Switches that, and returns the old value.
TG_API bool set_grad_enabled(bool enabled);

/// For custom_gradient: computes the value from the inputs.
using CustomForward = std::function<Tensor(const std::vector<Tensor>& inputs)>;
/// For custom_gradient: computes the inputs' gradients from the inputs, the value, and its
/// gradient; none for an input without one.
using CustomBackward = std::function<std::vector<std::optional<Tensor>>(
    const std::vector<Tensor>& inputs, const Tensor& value, const Tensor& gradient)>;

/// forward(inputs), differentiated by `backward` instead of by the operations of forward: for
/// gradients that are cheaper, more exact or other than the true ones (straight-through estimators,
/// clipping, reversal). `backward` is called for each gradient through the value; it is built of
/// tensor functions, so that the result can be differentiated again. ShapeError or DTypeError, when
/// differentiating, if it gives a gradient of another shape than its input or one that is no float;
/// ArgumentError if it does not give one entry per input.
///
///   // Rounds, and lets gradients pass as if it did not.
///   Tensor y = custom_gradient(
///       [](const auto& x) { return x[0].round(); },
///       [](const auto&, const Tensor&, const Tensor& dy) {
///         return std::vector<std::optional<Tensor>>{dy};
///       },
///       {x});
TG_API Tensor custom_gradient(const CustomForward& forward, CustomBackward backward,
                              const std::vector<Tensor>& inputs);

/// f(inputs), with only the inputs kept in memory for the gradient: intermediate values are
/// computed a second time when a gradient is needed, after the value's own gradient. The function
/// is called once; the recomputation follows its graph, so random numbers are the same and running
/// statistics change once. Parameters and other stored tensors that the function reads have
/// gradients as without a checkpoint, those of parameters together with those of the inputs; pass
/// values computed outside as inputs, or they are computed a second time too. ArgumentError without
/// inputs.
///
///   Tensor h = checkpoint([&](const auto& in) { return block(in[0]); }, {x});
TG_API Tensor checkpoint(const CustomForward& f, const std::vector<Tensor>& inputs);

/// The result of gradcheck: the worst disagreement, and a message that says where it is.
struct TG_API GradcheckReport {
  bool ok = true;
  double max_error = 0;  ///< largest |analytic − numeric|
  int64_t checked = 0;   ///< number of slopes compared
  std::string message;   ///< empty if ok; else input, place, both slopes
  explicit operator bool() const { return ok; }
};

/// Compares the gradient of sum(f(inputs) · weights) with central differences, in float64: every
/// element of every input in turn, so 2·n evaluations of `f` for n elements. The weights are fixed
/// numbers in [0.5, 1.5), so that no output can hide behind another. Inputs are copied and cast to
/// float64. `f` must be smooth within eps of the inputs.
TG_API GradcheckReport gradcheck(const std::function<Tensor(const std::vector<Tensor>&)>& f,
                                 const std::vector<Tensor>& inputs,
                                 const GradcheckOptions& options = {});

}  // namespace tg
