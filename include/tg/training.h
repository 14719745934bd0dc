// Additions to a model and an optimiser (nn.h) for training loops: learning rate schedulers,
// gradient clipping, averages of parameters, and loss scaling for small floats. Names and defaults
// are PyTorch's. Numbers that change from step to step are data on the device, like the learning
// rate: a change reschedules and recompiles nothing, and steps that use them can be captured
// (jit.h).
//
//   tg::nn::Adam adam(net, {.lr = 0.01});
//   tg::nn::CosineAnnealingLR schedule(adam, 100);
//   for (int epoch = 0; epoch < 100; ++epoch) {
//     for (const auto& [x, y] : batches) {
//       adam.zero_grad();
//       net(x).cross_entropy(y).backward();
//       tg::nn::clip_grad_norm(net, 1.0);
//       adam.step();
//     }
//     schedule.step();
//   }
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include "tg/export.h"
#include "tg/nn.h"
#include "tg/tensor.h"

namespace tg::nn {

// ---- schedulers

/// Base of all schedulers: they set the learning rate of an optimiser, which must outlive them,
/// first at construction and then at every step(), after the optimiser's steps of an epoch (or of a
/// batch). The program decides what an epoch is. Each starts from the rate that the optimiser had
/// before its first scheduler, called the base below. Steps start from the current rate, so several
/// schedulers of one optimiser, and set_lr() between steps, multiply.
class TG_API LRScheduler {
 public:
  virtual ~LRScheduler();
  LRScheduler(const LRScheduler&) = delete;
  LRScheduler& operator=(const LRScheduler&) = delete;

  /// Sets the learning rate of the next epoch.
  void step();
  /// Sets the learning rate and the epoch to their values after `epochs` steps from the start: to
  /// resume from a checkpoint. ArgumentError for a negative number.
  void resume(int64_t epochs);
  /// Steps since the start.
  int64_t last_epoch() const { return epoch_; }
  /// The learning rate that it set last.
  double last_lr() const { return last_lr_; }

 protected:
  explicit LRScheduler(Optimizer& optimizer);
  /// Call this last in a subclass's constructor: sets the rate of epoch 0.
  void start();
  /// The rate of epoch 0, given the current one.
  virtual double first(double lr) { return lr; }
  /// The rate of last_epoch(), which is above 0, given that of the epoch before.
  virtual double next(double lr) = 0;
  double base() const;

 private:
  friend class SequentialLR;
  friend class ChainedScheduler;
  double restart(double lr);
  double advance(double lr);
  void set(double lr);

  Optimizer& optimizer_;
  int64_t epoch_ = 0;
  double last_lr_ = 0;
};

/// Multiplies by `gamma` after every `step_size` epochs. ArgumentError for a step size below 1.
class TG_API StepLR : public LRScheduler {
 public:
  StepLR(Optimizer& optimizer, int64_t step_size, double gamma = 0.1);

 protected:
  double next(double lr) override;

 private:
  int64_t step_size_;
  double gamma_;
};

/// Multiplies by `gamma` at each of the epochs in `milestones`, once per occurrence.
class TG_API MultiStepLR : public LRScheduler {
 public:
  MultiStepLR(Optimizer& optimizer, std::vector<int64_t> milestones, double gamma = 0.1);

 protected:
  double next(double lr) override;

 private:
  std::vector<int64_t> milestones_;
  double gamma_;
};

/// Multiplies by `gamma` every epoch.
class TG_API ExponentialLR : public LRScheduler {
 public:
  ExponentialLR(Optimizer& optimizer, double gamma);

 protected:
  double next(double lr) override;

 private:
  double gamma_;
};

/// Of LinearLR.
struct LinearLROptions {
  double start_factor = 1.0 / 3;  ///< of epoch 0, in (0, 1]
  double end_factor = 1;          ///< from epoch total_iters on, in [0, 1]
  int64_t total_iters = 5;        ///< epochs from one to the other
};

/// A warm-up: the base times a factor that changes linearly from one value to another.
/// ArgumentError for factors outside their range, or less than one epoch.
class TG_API LinearLR : public LRScheduler {
 public:
  explicit LinearLR(Optimizer& optimizer, const LinearLROptions& options = {});

 protected:
  double first(double lr) override;
  double next(double lr) override;

 private:
  LinearLROptions options_;
};

/// From the base to `eta_min` in `t_max` epochs along half a cosine, and back in the next `t_max`
/// (Loshchilov and Hutter, 2017). ArgumentError for less than one epoch.
class TG_API CosineAnnealingLR : public LRScheduler {
 public:
  CosineAnnealingLR(Optimizer& optimizer, int64_t t_max, double eta_min = 0);

 protected:
  double next(double lr) override;

 private:
  int64_t t_max_;
  double eta_min_;
};

/// Of CosineAnnealingWarmRestarts.
struct WarmRestartsOptions {
  int64_t t_mult = 1;  ///< times the length of the cycle before
  double eta_min = 0;  ///< least rate
};

/// Half a cosine from the base to `eta_min` again and again: `t_0` epochs the first time, then
/// t_mult times as many as the time before. ArgumentError for numbers below 1.
class TG_API CosineAnnealingWarmRestarts : public LRScheduler {
 public:
  CosineAnnealingWarmRestarts(Optimizer& optimizer, int64_t t_0,
                              const WarmRestartsOptions& options = {});

 protected:
  double first(double lr) override;
  double next(double lr) override;

 private:
  double at(int64_t epoch) const;
  int64_t t_0_;
  WarmRestartsOptions options_;
};

/// How a rate changes from one value to another.
enum class Anneal : uint8_t {
  Cos,     ///< along half a cosine
  Linear,  ///< linearly
};

/// Of OneCycleLR.
struct OneCycleOptions {
  double pct_start = 0.3;         ///< share of the steps in which the rate rises
  Anneal anneal = Anneal::Cos;    ///< how it rises and falls
  double div_factor = 25;         ///< the first rate is max_lr / div_factor
  double final_div_factor = 1e4;  ///< the last one is the first / final_div_factor
  bool three_phase = false;       ///< fall back to the first rate as slowly as it rose, then on
};

/// One rise to `max_lr` and a fall far below the first rate in `total_steps` steps of batches
/// (Smith and Topin, 2018). The optimiser's own rate does not count, its momentum stays.
/// ArgumentError for less than one step, a share outside [0, 1], factors that are not above 0, and
/// for a step after the last.
class TG_API OneCycleLR : public LRScheduler {
 public:
  OneCycleLR(Optimizer& optimizer, double max_lr, int64_t total_steps,
             const OneCycleOptions& options = {});

 protected:
  double first(double lr) override;
  double next(double lr) override;

 private:
  double at(int64_t step) const;
  double max_lr_;
  int64_t total_steps_;
  OneCycleOptions options_;
};

/// The base times a function of the epoch.
class TG_API LambdaLR : public LRScheduler {
 public:
  LambdaLR(Optimizer& optimizer, std::function<double(int64_t epoch)> factor);

 protected:
  double first(double lr) override;
  double next(double lr) override;

 private:
  std::function<double(int64_t)> factor_;
};

/// Schedulers in sequence: scheduler i starts at epoch milestones[i − 1], from the base. They
/// belong to this scheduler's optimiser and must outlive it; step only this one. ArgumentError for
/// none, for one of another optimiser, and unless there is one milestone fewer than schedulers, in
/// ascending order.
class TG_API SequentialLR : public LRScheduler {
 public:
  SequentialLR(Optimizer& optimizer, std::vector<LRScheduler*> schedulers,
               std::vector<int64_t> milestones);

 protected:
  double first(double lr) override;
  double next(double lr) override;

 private:
  std::vector<LRScheduler*> schedulers_;
  std::vector<int64_t> milestones_;
};

/// Several schedulers of one optimiser that step together, each starting from the rate of the one
/// before. They must outlive it. ArgumentError for none, or for different optimisers.
class TG_API ChainedScheduler : public LRScheduler {
 public:
  explicit ChainedScheduler(std::vector<LRScheduler*> schedulers);

 protected:
  double first(double lr) override;
  double next(double lr) override;

 private:
  static Optimizer& optimizer_of(const std::vector<LRScheduler*>& schedulers);
  std::vector<LRScheduler*> schedulers_;
};

/// Of ReduceLROnPlateau.
struct PlateauOptions {
  bool maximize = false;    ///< larger numbers are better
  double factor = 0.1;      ///< times the rate, below 1
  int64_t patience = 10;    ///< epochs without improvement that are tolerated
  double threshold = 1e-4;  ///< minimum improvement that counts
  bool relative = true;     ///< as a share of the best one; else as a difference
  int64_t cooldown = 0;     ///< epochs after a change that do not count
  double min_lr = 0;        ///< least rate
  double eps = 1e-8;        ///< smaller changes of the rate are skipped
};

/// Lowers the learning rate when a number measured by the program, such as a validation loss, stops
/// improving. ArgumentError for a factor of 1 or more. The optimiser must outlive it.
class TG_API ReduceLROnPlateau {
 public:
  explicit ReduceLROnPlateau(Optimizer& optimizer, const PlateauOptions& options = {});

  /// Ends an epoch with this number; NaN is never an improvement.
  void step(double metric);
  /// The best number so far; infinite before the first.
  double best() const { return best_; }
  /// Epochs since then that counted.
  int64_t num_bad_epochs() const { return bad_; }
  int64_t last_epoch() const { return epoch_; }

 private:
  bool better(double metric) const;
  Optimizer& optimizer_;
  PlateauOptions options_;
  double best_;
  int64_t bad_ = 0, cooldown_left_ = 0, epoch_ = 0;
};

// ---- gradients

/// Of clip_grad_norm.
struct ClipOptions {
  double norm_type = 2;  ///< p of the norm Σ|g|ᵖ to the power 1/p; infinity: the largest |g|
};

/// Multiplies the gradients of `parameters` by max_norm / (norm + 1e-6), or by 1 where that is
/// more: then their norm, as if they were one vector, is at most max_norm. Returns the norm before,
/// float32 [] (float64 if a gradient is). Call it between backward() and step(); nothing is
/// computed yet. Parameters without a gradient do not count. An infinite norm turns finite
/// gradients into 0 and infinite ones into NaN, a NaN norm turns all of them into NaN.
/// ArgumentError for no parameters, a max_norm that is negative or NaN, and a norm_type that is not
/// above 0.
TG_API Tensor clip_grad_norm(const std::vector<Tensor>& parameters, double max_norm,
                             const ClipOptions& options = {});
template <Model M>
Tensor clip_grad_norm(M& model, double max_norm, const ClipOptions& options = {}) {
  return clip_grad_norm(parameters(model), max_norm, options);
}

/// Clips every element of the gradients to ±clip_value; NaN stays. Nothing is computed yet.
/// ArgumentError for no parameters, or a value that is negative or NaN.
TG_API void clip_grad_value(const std::vector<Tensor>& parameters, double clip_value);
template <Model M>
void clip_grad_value(M& model, double clip_value) {
  clip_grad_value(parameters(model), clip_value);
}

// ---- averages of parameters

/// An exponential moving average: average = decay · average + (1 − decay) · parameter. Networks
/// often do better with it than with the parameters of the last step (Polyak and Juditsky, 1992).
/// Averages start as the parameters, and are float32 at least.
class TG_API ExponentialMovingAverage {
 public:
  /// ArgumentError for no parameters, or a decay outside [0, 1]; DTypeError for one that is no
  /// float.
  explicit ExponentialMovingAverage(std::vector<Tensor> parameters, double decay = 0.999);
  template <Model M>
    requires(!std::is_same_v<M, ExponentialMovingAverage>)
  explicit ExponentialMovingAverage(M& model, double decay = 0.999)
      : ExponentialMovingAverage(nn::parameters(model), decay) {}

  /// Takes in the parameters as they are; after each step. ArgumentError while they are swapped.
  void update();
  /// Puts the averages into the parameters, or the parameters back: around an evaluation.
  void swap();
  bool is_swapped() const { return !saved_.empty(); }
  /// Writes the averages into the parameters of another model. ArgumentError for another number of
  /// them, ShapeError for other shapes; nothing is changed then.
  void copy_to(const std::vector<Tensor>& parameters) const;
  template <Model M>
  void copy_to(M& model) const {
    copy_to(nn::parameters(model));
  }
  const std::vector<Tensor>& averages() const { return averages_; }

  /// The averages, for state_dict, save and load.
  template <typename F>
  void visit(F&& f) {
    f("average", averages_);
  }

 private:
  std::vector<Tensor> parameters_, averages_;
  std::vector<Tensor> saved_;  // the parameters while the averages are in their place
  double decay_;
};

// ---- losses of small floats

/// Of GradScaler.
struct GradScalerOptions {
  double init_scale = 65536;
  double growth_factor = 2;        ///< times the scale after growth_interval good steps, above 1
  double backoff_factor = 0.5;     ///< times the scale after a step that was skipped, in (0, 1)
  int64_t growth_interval = 2000;  ///< steps
  std::string device = {};         ///< of the parameters; empty: the default one
};

/// Keeps gradients of small floats away from 0: it multiplies the loss by a scale and divides the
/// gradients by it, and skips a step whose gradients are not all finite, changing neither
/// parameters nor the optimiser's state. The scale falls after such a step and grows after many
/// good ones, on the device: the host never waits.
///
///   scaler.scale(loss).backward();
///   scaler.unscale(adam);                // only if the gradients are looked at, e.g. clipped
///   scaler.step(adam);
///   scaler.update();
class TG_API GradScaler {
 public:
  /// ArgumentError for numbers outside the documented ranges.
  explicit GradScaler(const GradScalerOptions& options = {});

  /// `loss` times the scale; float32 at least, so that the scale fits.
  Tensor scale(const Tensor& loss) const;
  /// Divides the gradients of the optimiser's parameters by the scale. Not computed yet.
  /// ArgumentError a second time before update().
  void unscale(const Optimizer& optimizer);
  /// optimizer.step(), without effect if a gradient is not finite; after unscale(), unless that was
  /// called. ArgumentError as Optimizer::step, and a second time before update().
  void step(Optimizer& optimizer);
  /// The end of a step: sets the scale of the next. ArgumentError without a step().
  void update();

  /// The scale now, float32 [].
  const Tensor& current_scale() const { return scale_; }
  /// Whether a gradient of the step before the next update() is not finite, bool []; ArgumentError
  /// before unscale() or step().
  Tensor found_inf() const;

  /// The scale and the number of good steps, for state_dict, save and load.
  template <typename F>
  void visit(F&& f) {
    f("scale", scale_);
    f("growth_tracker", tracker_);
  }

 private:
  // What is known of an optimiser since the last update().
  struct Unscaled {
    const Optimizer* optimizer;
    Tensor found;  // a gradient is not finite, bool []
    bool stepped = false;
  };
  Unscaled* find(const Optimizer& optimizer);

  GradScalerOptions options_;
  Tensor scale_;    // float32 []
  Tensor tracker_;  // good steps since the scale changed, int32 []
  std::vector<Unscaled> unscaled_;
};

}  // namespace tg::nn
