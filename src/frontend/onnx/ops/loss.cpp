// Losses of classifiers.
#include "frontend/onnx/ops/common.h"
#include "frontend/onnx/table.h"

namespace tg::onnx {
namespace {

// −log p of the labels [N, d…] among log-probabilities [N, C, d…], with a weight for each class;
// labels that are ignored count for nothing.
Tensor label_loss(const Node& n, const Tensor& log_p, const Tensor& labels, size_t weight_input) {
  const Tensor at = labels.cast(DType::Int64);
  const bool ignores = n.has_attribute("ignore_index");
  const Tensor counts = ignores ? at != n.integer("ignore_index", 0) : at == at;
  const Tensor safe = counts.where(at, at.zeros_like());
  Tensor weight = counts.cast(log_p.dtype());
  if (n.has(weight_input)) weight = weight * n.tensor(weight_input)[safe];
  const Tensor losses = -log_p.gather(1, safe.unsqueeze(1)).squeeze(1) * weight;
  const std::string reduction = n.text("reduction", "mean");
  if (reduction == "none") return losses;
  if (reduction == "sum") return losses.sum();
  n.require(reduction == "mean", "unknown reduction \"" + reduction + "\"");
  return losses.sum() / weight.sum();
}

Values nll_loss(const Node& n) { return {label_loss(n, n.tensor(0), n.tensor(1), 2)}; }

Values softmax_cross_entropy(const Node& n) {
  const Tensor log_p = n.tensor(0).log_softmax(1);
  return {label_loss(n, log_p, n.tensor(1), 2), log_p};
}

}  // namespace

std::span<const Operator> loss_operators() {
  static const std::vector<Operator> rows = {
      {"NegativeLogLikelihoodLoss", {12, 13, 22}, "ignore_index reduction", nll_loss},
      {"SoftmaxCrossEntropyLoss", {12, 13}, "ignore_index reduction", softmax_cross_entropy},
  };
  return rows;
}

}  // namespace tg::onnx
