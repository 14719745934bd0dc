// The gradient check: slopes from the graph against central differences.
#include <cmath>

#include "tensor/ops.h"
#include "tg/autograd.h"

namespace tg {
namespace {

using namespace ops_detail;

// The golden ratio's multiples are spread evenly: fixed weights in [0.5, 1.5).
double weight_of(int64_t i) {
  const double x = static_cast<double>(i + 1) * 0.6180339887498949;
  return 0.5 + (x - std::floor(x));
}

double weighted_sum(const std::vector<double>& values) {
  double s = 0;
  for (size_t i = 0; i < values.size(); ++i) s += values[i] * weight_of(static_cast<int64_t>(i));
  return s;
}

struct Input {
  std::vector<double> values;
  Shape shape;
};

std::vector<Tensor> tensors_of(const std::vector<Input>& inputs) {
  std::vector<Tensor> out;
  for (const Input& i : inputs) out.emplace_back(i.values, i.shape);
  return out;
}

std::vector<std::vector<double>> analytic(
    const std::function<Tensor(const std::vector<Tensor>&)>& f, const std::vector<Input>& inputs) {
  const std::vector<Tensor> x = tensors_of(inputs);
  const Tensor y = f(x);
  if (!y.is_floating_point()) {
    user_error<DTypeError>("gradcheck", fmt::format("the function must return a float, got {}",
                                                    dtype_name(y.dtype())));
  }
  std::vector<double> weights;
  for (int64_t i = 0; i < y.numel(); ++i) weights.push_back(weight_of(i));
  const auto grads = y.gradient(x, Tensor(weights, y.shape()).cast(y.dtype()));
  Tensor::realize(grads);
  std::vector<std::vector<double>> out;
  for (const Tensor& g : grads) out.push_back(g.to_vector<double>());
  return out;
}

}  // namespace

GradcheckReport gradcheck(const std::function<Tensor(const std::vector<Tensor>&)>& f,
                          const std::vector<Tensor>& given, const GradcheckOptions& o) {
  std::vector<Input> inputs;
  for (const Tensor& t : given) inputs.push_back({t.to_vector<double>(), t.shape()});
  const auto slopes = analytic(f, inputs);
  const auto value = [&] { return weighted_sum(f(tensors_of(inputs)).to_vector<double>()); };
  GradcheckReport report;
  for (size_t k = 0; k < inputs.size(); ++k) {
    for (size_t i = 0; i < inputs[k].values.size(); ++i) {
      double& x = inputs[k].values[i];
      const double at = x;
      x = at + o.eps;
      const double above = value();
      x = at - o.eps;
      const double below = value();
      x = at;
      const double numeric = (above - below) / (2 * o.eps),
                   error = std::abs(slopes[k][i] - numeric);
      ++report.checked;
      const bool fine =
          error <= o.atol + o.rtol * std::max(std::abs(numeric), std::abs(slopes[k][i]));
      if (!(error <= report.max_error)) report.max_error = error;
      if (fine || !report.ok) continue;
      report.ok = false;
      report.message =
          fmt::format("input {} of shape {}, element {}: gradient {}, finite difference {}", k,
                      text(inputs[k].shape), i, slopes[k][i], numeric);
    }
  }
  return report;
}

}  // namespace tg
