// Optimisers that look at a parameter as a whole, its length or its singular values; and groups of
// optimisers. The elementwise ones, and the step itself: optim.cpp.
#include <set>

#include "support/check.h"
#include "tensor/state.h"
#include "tg/nn.h"

namespace tg::nn {
namespace {

// Length of a tensor as a vector, float32 [] at least.
Tensor length(const Tensor& t) {
  const Tensor wide = t.element_size() < 4 ? t.cast(DType::Float32) : t;
  return wide.square().sum().sqrt();
}

// a / b, or 1 where either is 0: a number that the update reads, computed once.
Tensor trust_ratio(const Tensor& a, const Tensor& b) {
  const Tensor usable = (a > 0).logical_and(b > 0);
  return usable.where(a / usable.where(b, 1.0), 1.0).contiguous();
}

// Singular values towards 1: x ← a·x + (b·xxᵀ + c·(xxᵀ)²)·x, from length 1.
Tensor orthogonalised(const Tensor& matrix, int steps) {
  constexpr double kA = 3.4445, kB = -4.775, kC = 2.0315;
  const bool tall = matrix.size(0) > matrix.size(1);
  Tensor x = tall ? matrix.transpose() : matrix;
  x = x / (length(x) + 1e-7);
  for (int i = 0; i < steps; ++i) {
    const Tensor square = x.matmul(x.transpose());
    x = kA * x + (kB * square + kC * square.matmul(square)).matmul(x);
  }
  return tall ? x.transpose() : x;
}

}  // namespace

// ---- LAMB: `step` already holds the rate, which the ratio of lengths must not see.
LAMB::LAMB(std::vector<Tensor> parameters, const LambOptions& o)
    : Adam(std::move(parameters),
           {.lr = o.lr,
            .beta1 = o.beta1,
            .beta2 = o.beta2,
            .eps = o.eps,
            .weight_decay = o.weight_decay},
           "LAMB") {}

Tensor LAMB::next(const Tensor& p, const Tensor& step) {
  Tensor whole = step;
  if (options().weight_decay != 0) whole = whole + p * (rate() * options().weight_decay);
  return p - whole * trust_ratio(length(p) * rate(), length(whole));
}

// ---- LARS
LARS::LARS(std::vector<Tensor> parameters, const LarsOptions& o)
    : SGD(std::move(parameters),
          {.lr = o.lr,
           .momentum = o.momentum,
           .weight_decay = o.weight_decay,
           .nesterov = o.nesterov},
          "LARS"),
      trust_(o.trust),
      decay_(o.weight_decay) {
  if (!(trust_ > 0)) {
    user_error<ArgumentError>("LARS", fmt::format("trust must be above 0, got {}", trust_));
  }
}

Tensor LARS::direction(const Tensor& p, const Tensor& gradient) {
  const Tensor size = length(p), slope = length(gradient);
  const Tensor usable = (size > 0).logical_and(slope > 0);
  const Tensor divisor = usable.where(slope + size * decay_, 1.0);
  const Tensor ratio = usable.where(size * trust_ / divisor, 1.0).contiguous();
  return SGD::direction(p, gradient) * ratio;
}

// ---- Muon
Muon::Muon(std::vector<Tensor> parameters, const MuonOptions& o)
    : SGD(std::move(parameters), {.lr = o.lr, .momentum = o.momentum, .nesterov = o.nesterov},
          "Muon"),
      decay_(o.weight_decay),
      steps_(o.steps) {
  if (!(decay_ >= 0) || steps_ < 1) {
    user_error<ArgumentError>(
        "Muon", fmt::format("weight_decay must not be negative and steps at least 1: {} and {}",
                            decay_, steps_));
  }
}

Tensor Muon::next(const Tensor& p, const Tensor& step) {
  Tensor direction = step;
  if (p.ndim() >= 2 && p.numel() > 0) {
    direction = orthogonalised(step.reshape({p.size(0), -1}), steps_).reshape(p.shape());
  }
  const Tensor kept = decay_ != 0 ? p - p * (rate() * decay_) : p;
  return kept - direction * rate();
}

// ---- groups
OptimizerGroup::OptimizerGroup(std::vector<Optimizer*> optimizers)
    : optimizers_(std::move(optimizers)) {
  if (optimizers_.empty()) {
    user_error<ArgumentError>("OptimizerGroup", "needs at least one optimizer");
  }
  std::set<const TensorState*> seen;
  for (const Optimizer* o : optimizers_) {
    for (const Tensor& p : o->parameters()) {
      if (seen.insert(p.state().get()).second) continue;
      user_error<ArgumentError>("OptimizerGroup", "a parameter belongs to two optimizers",
                                "Hint: give each parameter to one of them.");
    }
  }
}

void OptimizerGroup::step(const Tensor& loss) {
  std::vector<Tensor> all, wanted = {loss};
  for (const Optimizer* o : optimizers_) {
    all.insert(all.end(), o->parameters().begin(), o->parameters().end());
  }
  const auto gradients = loss.gradient(all);
  auto from = gradients.begin();
  for (Optimizer* o : optimizers_) {
    const auto n = static_cast<ptrdiff_t>(o->parameters().size());
    o->stage({from, from + n}, std::vector<bool>(static_cast<size_t>(n), true), wanted);
    from += n;
  }
  Tensor::realize(wanted);
}

void OptimizerGroup::zero_grad() {
  for (Optimizer* o : optimizers_) o->zero_grad();
}

}  // namespace tg::nn
