// Optimisers of ai.onnx.preview.training: each takes a rate, a step count, then values, gradients
// and states of any number of tensors. Programs here rather use tg::nn's optimisers.
#include "frontend/onnx/ops/common.h"
#include "frontend/onnx/table.h"

namespace tg::onnx {
namespace {

// Tensor i of group g, where each group has as many tensors.
struct Groups {
  const Node& n;
  size_t count;
  Groups(const Node& node, size_t groups) : n(node), count((node.inputs() - 2) / groups) {
    n.require(n.inputs() > 2 && (n.inputs() - 2) % groups == 0,
              "the groups of inputs have different lengths");
  }
  Tensor at(size_t group, size_t i) const { return n.tensor(2 + group * count + i); }
};

Values in_order(std::vector<Values> groups) {
  Values out;
  for (Values& g : groups) out.insert(out.end(), g.begin(), g.end());
  return out;
}

Values adagrad(const Node& n) {
  const Groups in(n, 3);
  const Tensor step = n.tensor(1).cast(DType::Float32);
  const Tensor rate = n.tensor(0) / (step * n.real("decay_factor", 0) + 1);
  std::vector<Values> out(2);
  for (size_t i = 0; i < in.count; ++i) {
    const Tensor x = in.at(0, i), g = in.at(1, i) + x * n.real("norm_coefficient", 0);
    const Tensor squares = in.at(2, i) + g.square();
    out[0].emplace_back(x - rate * g / (squares.sqrt() + n.real("epsilon", 1e-6)));
    out[1].emplace_back(squares);
  }
  return in_order(std::move(out));
}

Values adam(const Node& n) {
  const Groups in(n, 4);
  const double a = n.real("alpha", 0.9), b = n.real("beta", 0.999);
  const Tensor step = n.tensor(1).cast(DType::Float32);
  const Tensor corrected =
      n.tensor(0) * (1 - Tensor(b).pow(step)).sqrt() / (1 - Tensor(a).pow(step));
  const Tensor rate = (n.tensor(1) > 0).where(corrected, n.tensor(0));
  std::vector<Values> out(3);
  for (size_t i = 0; i < in.count; ++i) {
    const Tensor x = in.at(0, i), g = in.at(1, i) + x * n.real("norm_coefficient", 0);
    const Tensor v = in.at(2, i) * a + g * (1 - a), h = in.at(3, i) * b + g.square() * (1 - b);
    const Tensor next = x - rate * v / (h.sqrt() + n.real("epsilon", 1e-6));
    out[0].emplace_back(next * (1 - n.real("norm_coefficient_post", 0)));
    out[1].emplace_back(v);
    out[2].emplace_back(h);
  }
  return in_order(std::move(out));
}

Values momentum(const Node& n) {
  const Groups in(n, 3);
  const double a = n.real("alpha", 0), beta = n.real("beta", 0);
  const std::string mode = n.text("mode", "standard");
  n.require(mode == "standard" || mode == "nesterov", "unknown mode \"" + mode + "\"");
  const Tensor share = (n.tensor(1) > 0).where(Tensor(static_cast<float>(beta)), Tensor(1.0F));
  std::vector<Values> out(2);
  for (size_t i = 0; i < in.count; ++i) {
    const Tensor x = in.at(0, i), g = in.at(1, i) + x * n.real("norm_coefficient", 0);
    const Tensor v = in.at(2, i) * a + g * share;
    out[0].emplace_back(x - n.tensor(0) * (mode == "standard" ? v : g + v * a));
    out[1].emplace_back(v);
  }
  return in_order(std::move(out));
}

}  // namespace

std::span<const Operator> training_operators() {
  static const std::vector<Operator> rows = {
      {"ai.onnx.preview.training.Adagrad", {1}, "decay_factor epsilon norm_coefficient", adagrad},
      {"ai.onnx.preview.training.Adam",
       {1},
       "alpha beta epsilon norm_coefficient norm_coefficient_post",
       adam},
      {"ai.onnx.preview.training.Momentum", {1}, "alpha beta mode norm_coefficient", momentum},
  };
  return rows;
}

}  // namespace tg::onnx
