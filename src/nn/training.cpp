// Clipped gradients, averages of parameters and scaled losses. Everything is built of tensor
// functions over gradients and storage, so that a captured step holds it like the rest; schedulers,
// which are arithmetic of the host, are in schedulers.cpp.
#include <algorithm>
#include <cmath>

#include "support/check.h"
#include "tg/training.h"
#include "uop/shape.h"

namespace tg::nn {
namespace {

// Small floats in the dtype in which sums of them are exact enough.
Tensor wide(const Tensor& t) { return t.element_size() < 4 ? t.cast(DType::Float32) : t; }

void check_some(std::string_view fn, const std::vector<Tensor>& parameters) {
  if (!parameters.empty()) return;
  user_error<ArgumentError>(fn, "there are no parameters",
                            "Hint: mark tensors with is_param_() and list them in visit().");
}

void check_clip_limit(std::string_view fn, std::string_view what, double x) {
  if (x >= 0) return;
  user_error<ArgumentError>(fn, fmt::format("{} must not be negative, got {}", what, x));
}

Tensor on(const Tensor& t, const std::string& device) {
  return t.device() == device || device.empty() ? t : t.to(device);
}

// What the norm takes of one gradient: the largest element, or the sum of powers.
Tensor part_of_norm(const Tensor& g, double p) {
  const Tensor size = wide(g).abs();
  if (std::isinf(p)) return size.max();
  return (p == 2 ? size.square() : size.pow(p)).sum();
}

}  // namespace

// ---- gradients
Tensor clip_grad_norm(const std::vector<Tensor>& parameters, double max_norm,
                      const ClipOptions& options) {
  constexpr std::string_view kName = "clip_grad_norm";
  const double p = options.norm_type;
  check_some(kName, parameters);
  check_clip_limit(kName, "max_norm", max_norm);
  if (!(p > 0)) {
    user_error<ArgumentError>(kName, fmt::format("norm_type must be above 0, got {}", p));
  }
  const std::string device = parameters[0].device();
  Tensor total = Tensor::zeros({}, {.device = device});
  for (const Tensor& t : parameters) {
    if (!t.has_grad()) continue;
    const Tensor part = on(part_of_norm(t.grad(), p), device);
    total = std::isinf(p) ? total.maximum(part) : total + part;
  }
  if (!std::isinf(p)) total = p == 2 ? total.sqrt() : total.pow(1 / p);
  // Single numbers, computed once rather than in every element of every gradient.
  total = total.contiguous();
  const Tensor factor = (max_norm / (total + 1e-6)).clamp_max(1.0).contiguous();
  for (const Tensor& t : parameters) {
    if (t.has_grad()) t.set_grad(t.grad() * on(factor, t.device()));
  }
  return total;
}

void clip_grad_value(const std::vector<Tensor>& parameters, double clip_value) {
  check_some("clip_grad_value", parameters);
  check_clip_limit("clip_grad_value", "clip_value", clip_value);
  for (const Tensor& t : parameters) {
    if (t.has_grad()) t.set_grad(t.grad().clamp(-clip_value, clip_value));
  }
}

// ---- averages
ExponentialMovingAverage::ExponentialMovingAverage(std::vector<Tensor> parameters, double decay)
    : parameters_(std::move(parameters)), decay_(decay) {
  constexpr std::string_view kName = "ExponentialMovingAverage";
  check_some(kName, parameters_);
  if (!(decay >= 0 && decay <= 1)) {
    user_error<ArgumentError>(kName, fmt::format("decay must lie in [0, 1], got {}", decay));
  }
  for (const Tensor& p : parameters_) {
    if (!p.is_floating_point()) {
      user_error<DTypeError>(
          kName, fmt::format("parameters must be floats, got {}", dtype_name(p.dtype())));
    }
    averages_.push_back(wide(p).detach().clone());
    averages_.back().is_param_(false);
  }
  Tensor::realize(averages_);
}

void ExponentialMovingAverage::update() {
  if (is_swapped()) {
    user_error<ArgumentError>("update", "the averages stand in the place of the parameters",
                              "Hint: call swap() after the evaluation.");
  }
  for (size_t i = 0; i < averages_.size(); ++i) {
    const Tensor& average = averages_[i];
    average.assign(average + (wide(parameters_[i]) - average) * (1 - decay_));
  }
  Tensor::realize(averages_);
}

void ExponentialMovingAverage::swap() {
  if (is_swapped()) {
    for (size_t i = 0; i < parameters_.size(); ++i) parameters_[i].assign(saved_[i]);
    Tensor::realize(parameters_);
    saved_.clear();
    return;
  }
  std::vector<Tensor> saved;
  for (const Tensor& p : parameters_) saved.push_back(p.detach().clone());
  Tensor::realize(saved);
  copy_to(parameters_);
  saved_ = std::move(saved);
}

void ExponentialMovingAverage::copy_to(const std::vector<Tensor>& parameters) const {
  if (parameters.size() != averages_.size()) {
    user_error<ArgumentError>("copy_to", fmt::format("{} averages do not fit into {} parameters",
                                                     averages_.size(), parameters.size()));
  }
  for (size_t i = 0; i < averages_.size(); ++i) {
    if (averages_[i].shape() == parameters[i].shape()) continue;
    user_error<ShapeError>("copy_to", fmt::format("average {} has shape {}, the parameter {}", i,
                                                  format_shape(averages_[i].shape()),
                                                  format_shape(parameters[i].shape())));
  }
  for (size_t i = 0; i < averages_.size(); ++i) {
    const Tensor& p = parameters[i];
    p.assign(on(averages_[i], p.device()).cast(p.dtype()));
  }
  Tensor::realize(parameters);
}

// ---- losses of small floats
GradScaler::GradScaler(const GradScalerOptions& options) : options_(options) {
  const auto& [scale, growth, backoff, interval, device] = options;
  if (!(scale > 0 && std::isfinite(scale) && growth > 1 && backoff > 0 && backoff < 1 &&
        interval >= 1)) {
    user_error<ArgumentError>(
        "GradScaler",
        fmt::format("needs init_scale > 0, growth_factor > 1, 0 < backoff_factor < 1 and "
                    "growth_interval >= 1: {}, {}, {}, {}",
                    scale, growth, backoff, interval));
  }
  const TensorOptions placement = {.device = device};
  scale_ = Tensor(std::vector<float>{static_cast<float>(scale)}, Shape{}, placement);
  tracker_ = Tensor(std::vector<int32_t>{0}, Shape{}, placement);
  for (const Tensor& t : {scale_, tracker_}) t.is_param_(false);
  Tensor::realize({scale_, tracker_});
}

Tensor GradScaler::scale(const Tensor& loss) const {
  return wide(loss) * on(scale_, loss.device());
}

GradScaler::Unscaled* GradScaler::find(const Optimizer& optimizer) {
  const auto it = std::ranges::find(unscaled_, &optimizer, &Unscaled::optimizer);
  return it == unscaled_.end() ? nullptr : &*it;
}

void GradScaler::unscale(const Optimizer& optimizer) {
  if (find(optimizer) != nullptr) {
    user_error<ArgumentError>("unscale",
                              "the gradients of this optimizer were divided by the scale already",
                              "Hint: call update() at the end of each step.");
  }
  const Tensor inverse = scale_.reciprocal().contiguous();
  Tensor found = Tensor::zeros({}, {.dtype = DType::Bool, .device = scale_.device()});
  for (const Tensor& p : optimizer.parameters()) {
    if (!p.has_grad()) continue;
    const Tensor g = wide(p.grad()) * on(inverse, p.device());
    found = found.logical_or(on(g.isfinite().logical_not().any(), scale_.device()));
    p.set_grad(g);
  }
  unscaled_.push_back({&optimizer, found.contiguous()});
}

void GradScaler::step(Optimizer& optimizer) {
  if (find(optimizer) == nullptr) unscale(optimizer);
  Unscaled& u = *find(optimizer);
  if (u.stepped) {
    user_error<ArgumentError>("step", "this optimizer has taken its step already",
                              "Hint: call update() at the end of each step.");
  }
  optimizer.step_unless(on(u.found, optimizer.parameters()[0].device()));
  u.stepped = true;
}

Tensor GradScaler::found_inf() const {
  if (unscaled_.empty()) {
    user_error<ArgumentError>("found_inf", "no gradients were divided by the scale yet",
                              "Hint: call unscale() or step() first.");
  }
  Tensor found = unscaled_[0].found;
  for (size_t i = 1; i < unscaled_.size(); ++i) found = found.logical_or(unscaled_[i].found);
  return found;
}

void GradScaler::update() {
  if (std::ranges::none_of(unscaled_, &Unscaled::stepped))
    user_error<ArgumentError>("update", "no optimizer has taken a step since the last update");
  const Tensor found = found_inf(), good = tracker_ + 1;
  const Tensor grown = scale_ * options_.growth_factor;
  const Tensor full = good >= options_.growth_interval;
  const Tensor grows = full.logical_and(grown.isfinite());
  const Tensor scale = found.where(scale_ * options_.backoff_factor, grows.where(grown, scale_));
  const Tensor tracker = found.logical_or(full).where(0, good);
  scale_.assign(scale);
  tracker_.assign(tracker);
  Tensor::realize({scale_, tracker_});
  unscaled_.clear();
}

}  // namespace tg::nn
