// Gradients of tensors, and the scopes that switch training and recording. The walk itself:
// src/autodiff.
#include "tg/autograd.h"

#include <algorithm>
#include <unordered_set>

#include "autodiff/gradient.h"
#include "tensor/ops.h"
#include "tensor/storage.h"
#include "tg/ir/walk.h"

namespace tg {
namespace {

using namespace ops_detail;

thread_local bool training = false;
thread_local bool no_grad = false;

UOp seed_for(std::string_view fn, const Tensor& t, const Tensor* seed) {
  UOp y = node_of(t, fn);
  if (!is_float(y.dtype())) {
    user_error<DTypeError>(fn, fmt::format("needs a float value, got {}", dtype_name(y.dtype())));
  }
  if (seed == nullptr) {
    if (y.ndim() != 0) {
      user_error<ShapeError>(
          fn, fmt::format("needs a scalar, got shape {}", text(y.shape())),
          "Hint: reduce it with sum() or mean(), or pass the gradient that reaches it.");
    }
    return const_like(y, 1.0);
  }
  UOp s = node_as(*seed, y.dtype(), fn);
  common_device(fn, {y, s});
  if (!std::ranges::equal(s.shape(), y.shape())) {
    user_error<ShapeError>(fn,
                           fmt::format("the given gradient must have the value's shape: {} and {}",
                                       text(s.shape()), text(y.shape())));
  }
  return s;
}

// A uniform constant is one node however often a program writes it: its gradient would count every
// use.
bool is_uniform(UOp u) {
  while (u.is(Op::Reshape) || u.is(Op::Expand) || u.is(Op::Cast)) u = u.src(0);
  return u.is(Op::Const);
}

void check_targets(const std::vector<Tensor>& targets) {
  for (size_t i = 0; i < targets.size(); ++i) {
    UOp u = node_of(targets[i], "gradient");
    if (!is_float(u.dtype())) {
      user_error<DTypeError>(
          "gradient", fmt::format("target {} must be a float, got {}", i, dtype_name(u.dtype())));
    }
    if (is_uniform(u)) {
      user_error<ArgumentError>(
          "gradient",
          fmt::format("target {} is a constant of shape {}, which equal constants "
                      "would share",
                      i, text(u.shape())),
          "Hint: create it with full() or mark it with is_param_().");
    }
  }
}

// A realised value is storage and no longer knows how it came about.
constexpr std::string_view kRealizedHint =
    "Hint: realize() makes a value forget its graph; differentiate before it.";

std::vector<Tensor> gradients(const Tensor& t, const std::vector<Tensor>& targets,
                              const Tensor* seed) {
  UOp s = seed_for("gradient", t, seed);
  check_targets(targets);
  std::vector<UOp> nodes;
  for (const Tensor& target : targets) nodes.push_back(node_of(target, "gradient"));
  const UOp y = node_of(t, "gradient");
  const auto grads = gradient(y, s, nodes);
  const bool reached =
      std::ranges::any_of(grads, [](const UOp& g) { return static_cast<bool>(g); });
  if (!reached && y.is(Op::Buffer)) {
    user_error<ArgumentError>("gradient", "the value depends on none of the targets",
                              kRealizedHint);
  }
  std::vector<Tensor> out;
  for (size_t i = 0; i < nodes.size(); ++i) {
    out.push_back(wrap(grads[i] ? grads[i] : const_like(nodes[i], 0.0)));
  }
  return out;
}

// Storage, or a view of it that is marked; the mark is read last, for a tensor without storage may
// belong to another thread.
bool is_leaf(const TensorState& s, const UOp& node) {
  if (!is_float(node.dtype()) || !storage_under(node)) return false;
  if (s.param() != TensorState::Param::Unset) return s.param() == TensorState::Param::Yes;
  return node.is(Op::Buffer) || node.is(Op::After);
}

// What `inner` asks for: any float that is not the same node as an equal constant elsewhere.
bool is_inner(const TensorState& s, const UOp& node) {
  return is_float(node.dtype()) && s.param() != TensorState::Param::No && !is_uniform(node);
}

void backward_from(const Tensor& t, const Tensor* seed, bool inner) {
  UOp s = seed_for("backward", t, seed);
  UOp loss = node_of(t, "backward");
  const auto order = toposort(loss);
  const std::unordered_set<const Node*> reached(order.begin(), order.end());
  std::vector<std::shared_ptr<TensorState>> leaves;
  std::vector<UOp> nodes;
  for (auto& state : live_states()) {
    UOp node = state->node();
    if (state == t.state() || state->poisoned() || !reached.contains(node.node())) continue;
    if (!is_leaf(*state, node) && !(inner && is_inner(*state, node))) continue;
    leaves.push_back(std::move(state));
    nodes.push_back(std::move(node));
  }
  const auto grads = gradient(loss, s, nodes);
  if (std::ranges::none_of(grads, [](const UOp& g) { return static_cast<bool>(g); })) {
    user_error<ArgumentError>(
        "backward", "the value depends on no parameter and no stored float tensor", kRealizedHint);
  }
  // As in tinygrad, which `inner` follows, a tensor behind detach() has the gradient zero.
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (grads[i]) {
      leaves[i]->add_grad(grads[i]);
    } else if (inner) {
      leaves[i]->add_grad(const_like(nodes[i], 0.0));
    }
  }
}

}  // namespace

TrainingScope::TrainingScope(bool on) : before_(std::exchange(training, on)) {}
TrainingScope::~TrainingScope() { training = before_; }
bool is_training() { return training; }
bool set_training(bool on) { return std::exchange(training, on); }

NoGradScope::NoGradScope(bool on) : before_(std::exchange(no_grad, on)) {}
NoGradScope::~NoGradScope() { no_grad = before_; }
bool is_grad_enabled() { return !no_grad; }
bool set_grad_enabled(bool enabled) { return !std::exchange(no_grad, !enabled); }

void Tensor::backward() const { backward_from(*this, nullptr, false); }
void Tensor::backward(const Tensor& seed) const { backward_from(*this, &seed, false); }
void Tensor::backward(const Tensor& seed, bool inner) const { backward_from(*this, &seed, inner); }

bool Tensor::has_grad() const { return state_->grad() != nullptr; }

Tensor Tensor::grad() const {
  if (auto gradient = state_->grad()) return Tensor(std::move(gradient));
  user_error<ArgumentError>(
      "grad", fmt::format("no gradient has reached this tensor of shape {}", text(shape())),
      "Hint: call backward() on a loss that depends on it.");
}

const Tensor& Tensor::set_grad(const Tensor& gradient) const {
  if (gradient.shape() != shape()) {
    user_error<ShapeError>("set_grad",
                           fmt::format("the gradient must have the tensor's shape: {} and {}",
                                       text(gradient.shape()), text(shape())));
  }
  const UOp node = node_as(gradient, dtype(), "set_grad");
  common_device("set_grad", {state_->node(), node});
  state_->set_grad(make_grad_state(node));
  return *this;
}

const Tensor& Tensor::zero_grad() const {
  state_->set_grad(nullptr);
  return *this;
}

std::vector<Tensor> Tensor::gradient(const std::vector<Tensor>& targets) const {
  return gradients(*this, targets, nullptr);
}
std::vector<Tensor> Tensor::gradient(const std::vector<Tensor>& targets, const Tensor& seed) const {
  return gradients(*this, targets, &seed);
}

bool Tensor::is_param() const { return state_->param() == TensorState::Param::Yes; }

const Tensor& Tensor::is_param_(bool flag) const {
  state_->set_param(flag ? TensorState::Param::Yes : TensorState::Param::No);
  UOp node = node_of(*this, "is_param_");
  if (flag && !storage_under(node)) {
    const UOp storage = stored(is_float(node.dtype()) ? tg::detach(node) : node, device());
    if (node == root_of(*state_)) {
      replace_root(*state_, storage);
    } else {
      state_->leave_aliases();
      state_->set_node(storage);
    }
  }
  return *this;
}

}  // namespace tg
