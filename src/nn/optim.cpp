// Optimisers. A step builds one graph of the same structure every time (what changes is data, never
// a constant), and computes it in one go.
#include <cmath>

#include "support/check.h"
#include "tg/autograd.h"
#include "tg/nn.h"

namespace tg::nn {
namespace {

// A number as data, so that its value is no part of the graph.
Tensor scalar_data(double value, const std::string& device) {
  return Tensor(std::vector<float>{static_cast<float>(value)}, Shape{}, {.device = device});
}

double checked_rate(double rate) {
  if (std::isfinite(rate) && rate >= 0) return rate;
  user_error<ArgumentError>(
      "optimizer", fmt::format("the learning rate must be finite and not negative, got {}", rate));
}

void check_below_one(std::string_view fn, std::string_view what, double x) {
  if (x >= 0 && x < 1) return;
  user_error<ArgumentError>(fn, fmt::format("{} must lie in [0, 1), got {}", what, x));
}

void check_not_negative(std::string_view fn, std::string_view what, double x) {
  if (std::isfinite(x) && x >= 0) return;
  user_error<ArgumentError>(fn, fmt::format("{} must be finite and not negative, got {}", what, x));
}

std::vector<Tensor> checked(std::vector<Tensor> parameters) {
  if (parameters.empty()) {
    user_error<ArgumentError>("optimizer", "there are no parameters",
                              "Hint: mark tensors with is_param_() and list them in visit().");
  }
  for (const Tensor& p : parameters) {
    const std::string first = parameters[0].device(), here = p.device();
    if (!first.empty() && !here.empty() && first != here) {
      user_error<DeviceError>(
          "optimizer", fmt::format("parameters live on different devices: {} and {}", first, here),
          "Hint: move them with to(), or use one optimizer for each device.");
    }
    if (p.is_floating_point()) continue;
    user_error<DTypeError>("optimizer",
                           fmt::format("parameters must be floats, got {}", dtype_name(p.dtype())));
  }
  return parameters;
}

}  // namespace

Optimizer::Optimizer(std::vector<Tensor> parameters, double rate)
    : parameters_(checked(std::move(parameters))), rate_(checked_rate(rate)) {
  for (const Tensor& p : parameters_) p.is_param_();
  rate_tensor_ = scalar_data(rate_, parameters_[0].device());
}

Optimizer::~Optimizer() = default;

std::vector<Tensor> Optimizer::zeros_like_parameters() const {
  std::vector<Tensor> out;
  for (const Tensor& p : parameters_) {
    Tensor z = p.zeros_like();
    z.is_param_(false);
    out.push_back(std::move(z));
  }
  return out;
}

void Optimizer::start(std::vector<Tensor> more) {
  more.insert(more.end(), parameters_.begin(), parameters_.end());
  const auto own = state();
  more.insert(more.end(), own.begin(), own.end());
  Tensor::realize(more);
}

void Optimizer::set_lr(double rate) {
  rate_ = checked_rate(rate);
  // In place, so that captured steps see it.
  rate_tensor_.assign(scalar_data(rate_, parameters_[0].device()));
}

void Optimizer::zero_grad() {
  for (const Tensor& p : parameters_) p.zero_grad();
}

void Optimizer::step(const Tensor& loss) {
  const auto gradients = loss.gradient(parameters_);
  std::vector<Tensor> wanted = {loss};
  stage(gradients, std::vector<bool>(parameters_.size(), true), wanted);
  Tensor::realize(wanted);
}

void Optimizer::step() { step_unless({}); }

void Optimizer::step_unless(const std::optional<Tensor>& skip) {
  std::vector<Tensor> gradients;
  std::vector<bool> reached;
  bool any = false;
  for (const Tensor& p : parameters_) {
    reached.push_back(p.has_grad());
    gradients.push_back(p.has_grad() ? p.grad() : Tensor());
    any = any || p.has_grad();
  }
  if (!any) {
    user_error<ArgumentError>("step", "no parameter has a gradient",
                              "Hint: call backward() on the loss first, or step(loss).");
  }
  std::vector<Tensor> wanted;
  stage(gradients, reached, wanted, skip);
  Tensor::realize(wanted);
}

void Optimizer::set(const Tensor& target, const Tensor& value) const {
  const NoGradScope leaves;  // parameters are what gradients are of, not what they were made of
  target.assign(skip_ ? skip_->where(target, value.cast(target.dtype())) : value);
}

void Optimizer::stage(const std::vector<Tensor>& gradients, const std::vector<bool>& reached,
                      std::vector<Tensor>& wanted, const std::optional<Tensor>& skip) {
  skip_ = skip;
  begin_step();
  for (size_t i = 0; i < parameters_.size(); ++i) {
    if (!reached[i]) continue;
    update(i, gradients[i]);
    wanted.push_back(parameters_[i]);
  }
  const auto own = state();
  wanted.insert(wanted.end(), own.begin(), own.end());
  skip_.reset();
}

// ---- SGD
SGD::SGD(std::vector<Tensor> parameters, const SgdOptions& options)
    : SGD(std::move(parameters), options, "SGD") {}

SGD::SGD(std::vector<Tensor> parameters, const SgdOptions& options, std::string_view name)
    : Optimizer(std::move(parameters), options.lr), options_(options) {
  check_below_one(name, "momentum", options.momentum);
  check_not_negative(name, "weight_decay", options.weight_decay);
  if (options.nesterov && options.momentum == 0) {
    user_error<ArgumentError>(name, "nesterov needs a momentum above 0");
  }
  if (options.momentum != 0) momentum_ = zeros_like_parameters();
  start({});
}

void SGD::update(size_t i, const Tensor& gradient) {
  const Tensor& p = parameters()[i];
  Tensor g = direction(p, gradient.cast(p.dtype()));
  if (options_.momentum != 0) {
    const Tensor& b = momentum_[i];
    set(b, b * options_.momentum + g);
    g = options_.nesterov ? g + b * options_.momentum : b;
  }
  set(p, next(p, g).cast(p.dtype()));
}

Tensor SGD::direction(const Tensor& p, const Tensor& gradient) {
  return options_.weight_decay != 0 ? gradient + p * options_.weight_decay : gradient;
}

Tensor SGD::next(const Tensor& p, const Tensor& step) { return p - step * rate(); }

// ---- Adam
Adam::Adam(std::vector<Tensor> parameters, const AdamOptions& options)
    : Adam(std::move(parameters), options, "Adam") {}

Adam::Adam(std::vector<Tensor> parameters, const AdamOptions& options, std::string_view name)
    : Optimizer(std::move(parameters), options.lr), options_(options) {
  check_below_one(name, "beta1", options.beta1);
  check_below_one(name, "beta2", options.beta2);
  check_not_negative(name, "eps", options.eps);
  check_not_negative(name, "weight_decay", options.weight_decay);
  m_ = zeros_like_parameters();
  v_ = zeros_like_parameters();
  step_ = scalar_data(0, this->parameters()[0].device());
  step_.is_param_(false);
  start({});
}

std::vector<Tensor> Adam::state() const {
  std::vector<Tensor> out = {step_};
  out.insert(out.end(), m_.begin(), m_.end());
  out.insert(out.end(), v_.begin(), v_.end());
  return out;
}

// βᵗ as 2^(t · log₂ β); β = 0 has no logarithm, but 0ᵗ is 0.
void Adam::begin_step() {
  set(step_, step_ + 1);
  const auto correction = [&](double beta) {
    if (beta == 0) return step_.ones_like();
    return 1 - (step_ * std::log2(beta)).exp2();
  };
  // Single numbers, computed once rather than in every element of every update.
  mean_factor_ = (rate() / correction(options_.beta1)).contiguous();
  root_factor_ = correction(options_.beta2).reciprocal().contiguous();
}

void Adam::update(size_t i, const Tensor& gradient) {
  const Tensor &p = parameters()[i], &m = m_[i], &v = v_[i];
  const Tensor g = gradient.cast(p.dtype());
  set(m, m * options_.beta1 + g * (1 - options_.beta1));
  set(v, v * options_.beta2 + g.square() * (1 - options_.beta2));
  const Tensor step = mean_factor_ * m / ((v * root_factor_).sqrt() + options_.eps);
  set(p, next(p, step).cast(p.dtype()));
}

Tensor Adam::next(const Tensor& p, const Tensor& step) {
  const Tensor moved = p - step;
  return options_.weight_decay != 0 ? moved - p * (rate() * options_.weight_decay) : moved;
}

AdamW::AdamW(std::vector<Tensor> parameters, const AdamWOptions& o)
    : Adam(std::move(parameters),
           {.lr = o.lr,
            .beta1 = o.beta1,
            .beta2 = o.beta2,
            .eps = o.eps,
            .weight_decay = o.weight_decay},
           "AdamW") {}

}  // namespace tg::nn
