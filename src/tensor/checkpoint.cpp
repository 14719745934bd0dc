// Values whose gradient computes them a second time instead of reading what the first time left in
// memory. The rule rides on a WITH_GRADIENT node as in custom_gradient.cpp; what differs is that it
// works on the graph of the value, so tensors that the function reads beside its inputs get
// gradients too.
#include <unordered_map>
#include <unordered_set>

#include "autodiff/gradient.h"
#include "tensor/ops.h"
#include "tg/autograd.h"
#include "tg/ir/walk.h"

namespace tg {
namespace {

using namespace ops_detail;

constexpr std::string_view kCheckpoint = "checkpoint";

// The gradient of a value that is another node of equal elements.
class PassGradient final : public CustomGradient {
 public:
  std::vector<UOp> backward(const UOp&, const UOp& dy) override { return {dy}; }
};

// `value` as a node that nothing else is, differentiated as if it were `x`.
UOp standing_for(const UOp& x, const UOp& value) {
  const auto function = make_ref<PassGradient>();
  return with_gradient(value, std::span(&x, 1), *function.get());
}

// True, but nobody can know before the values are computed: n · (n + 1) is even, whatever the
// number n of their elements that are no NaN.
Tensor known_after(const std::vector<UOp>& values) {
  Tensor n(0);
  for (const UOp& v : values) {
    const Tensor t = wrap(tg::detach(v));
    n = n + (t == t).cast(DType::Int32).sum();
  }
  n = n.bitwise_and(0xff);
  return ((n * (n + 1)).bitwise_and(1) == 0).contiguous();
}

// The elements of `x`, which cannot be computed before `known` is.
UOp late(const UOp& x, const Tensor& known) {
  const Tensor t = wrap(tg::detach(x));
  return node_as(known.where(t, t.zeros_like()), x.dtype(), kCheckpoint);
}

// Float storage that `value` is made of beside the inputs: marked parameters, which may be views of
// storage, and whatever else.
struct Leaves {
  std::vector<UOp> marked, others;
};
Leaves other_leaves(const UOp& value, std::span<const UOp> inputs) {
  std::unordered_set<const Node*> given, marked;
  for (const UOp& x : inputs) given.insert(x.node());
  for (const auto& s : live_states()) {
    const UOp node = s->node();
    if (s->param() == TensorState::Param::Yes && storage_under(node)) marked.insert(node.node());
  }
  const auto is_end = [&](const Node* n) {
    return given.contains(n) || marked.contains(n) || n->op == Op::Buffer || n->op == Op::After;
  };
  Leaves leaves;
  for (const Node* n : toposort(std::span(&value, 1), is_end)) {
    if (!is_float(n->dtype) || given.contains(n) || !is_end(n)) continue;
    (marked.contains(n) ? leaves.marked : leaves.others).push_back(UOp::share(n));
  }
  return leaves;
}

// Sources of the node: the value, inputs, marked leaves, other leaves.
class Recompute final : public CustomGradient {
 public:
  Recompute(size_t inputs, size_t marked) : inputs_(inputs), marked_(marked) {}

  std::vector<UOp> backward(const UOp& y, const UOp& dy) override {
    const std::vector<UOp> all = y.srcs();
    const std::vector<UOp> sources(all.begin() + 1, all.end());
    // Equal expressions are one node, and computed once: what is made of copies of the inputs is
    // not what was made of the inputs, and cannot run before `dy` is there.
    const Tensor known = known_after({dy});
    std::unordered_map<const Node*, UOp> again;
    for (size_t i = 0; i < sources.size(); ++i) {
      const UOp& x = sources[i];
      again.emplace(x.node(), standing_for(x, i < inputs_ ? cloned(late(x, known)) : x));
    }
    std::vector<UOp> targets;
    for (const UOp& x : sources) targets.push_back(again.at(x.node()));
    std::vector<UOp> slopes = gradient(substitute(y.src(0), again), dy, targets);
    // An input that was given twice is one node, whose gradient is not to be counted twice.
    std::unordered_set<const Node*> counted;
    for (size_t i = 0; i < sources.size(); ++i) {
      if (!counted.insert(sources[i].node()).second || !is_float(sources[i].dtype()))
        slopes[i] = UOp{};
    }
    finish_parameters_first(slopes);
    return slopes;
  }

 private:
  // What was computed again can go when the slopes of the parameters are there, so nothing before
  // this value may run ahead of them: the slopes of the inputs come after.
  void finish_parameters_first(std::vector<UOp>& slopes) const {
    std::vector<UOp> finished;
    for (size_t i = inputs_; i < inputs_ + marked_; ++i) {
      if (!slopes[i]) continue;
      slopes[i] = contiguous(slopes[i]);
      finished.push_back(slopes[i]);
    }
    if (finished.empty()) return;
    const Tensor known = known_after(finished);
    for (size_t i = 0; i < inputs_; ++i) {
      if (slopes[i]) slopes[i] = standing_for(slopes[i], late(slopes[i], known));
    }
  }

  size_t inputs_, marked_;
};

}  // namespace

Tensor checkpoint(const CustomForward& f, const std::vector<Tensor>& inputs) {
  std::vector<UOp> sources;
  for (const Tensor& x : inputs) sources.push_back(node_of(x, kCheckpoint));
  if (sources.empty()) {
    user_error<ArgumentError>(kCheckpoint, "there are no inputs to begin from again",
                              "Hint: give the tensors that the function computes with.");
  }
  const UOp value = node_of(f(inputs), kCheckpoint);
  const Leaves leaves = other_leaves(value, sources);
  sources.insert(sources.end(), leaves.marked.begin(), leaves.marked.end());
  sources.insert(sources.end(), leaves.others.begin(), leaves.others.end());
  const auto function = make_ref<Recompute>(inputs.size(), leaves.marked.size());
  return wrap(with_gradient(value, sources, *function.get()));
}

}  // namespace tg
