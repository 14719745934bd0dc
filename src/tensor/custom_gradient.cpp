// Values with gradients of the user's making: the function rides on a node of the graph
// (WITH_GRADIENT), which scheduling takes out and differentiation asks.
#include "support/check.h"
#include "tensor/ops.h"
#include "tg/autograd.h"

namespace tg {
namespace {

using namespace ops_detail;

constexpr std::string_view kCustomGradient = "custom_gradient";

class UserGradient final : public CustomGradient {
 public:
  explicit UserGradient(CustomBackward backward) : backward_(std::move(backward)) {}

  std::vector<UOp> backward(const UOp& y, const UOp& dy) override {
    std::vector<Tensor> inputs;
    for (int i = 1; i < y.n_src(); ++i) inputs.push_back(wrap(y.src(i)));
    const auto gradients = backward_(inputs, wrap(y), wrap(dy));
    if (gradients.size() != inputs.size())
      user_error<ArgumentError>(
          kCustomGradient,
          fmt::format("backward gave {} gradients for {} inputs", gradients.size(), inputs.size()));
    std::vector<UOp> out;
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (gradients[i] && inputs[i].is_floating_point())
        out.push_back(checked(*gradients[i], inputs[i], i));
      else
        out.emplace_back();
    }
    return out;
  }

 private:
  static UOp checked(const Tensor& gradient, const Tensor& input, size_t i) {
    if (gradient.shape() != input.shape())
      user_error<ShapeError>(
          kCustomGradient, fmt::format("the gradient of input {} must have its shape: {} and {}", i,
                                       text(gradient.shape()), text(input.shape())));
    if (!gradient.is_floating_point())
      user_error<DTypeError>(kCustomGradient,
                             fmt::format("the gradient of input {} must be a float, got {}", i,
                                         dtype_name(gradient.dtype())));
    return node_as(gradient.cast(input.dtype()), input.dtype(), kCustomGradient);
  }

  CustomBackward backward_;
};

}  // namespace

Tensor custom_gradient(const CustomForward& forward, CustomBackward backward,
                       const std::vector<Tensor>& inputs) {
  const Tensor value = forward(inputs);
  std::vector<UOp> sources;
  for (const Tensor& x : inputs) sources.push_back(node_of(x, kCustomGradient));
  const UOp y = node_of(value, kCustomGradient);
  const auto function = make_ref<UserGradient>(std::move(backward));
  return wrap(with_gradient(y, sources, *function.get()));
}

Tensor Tensor::contiguous_backward() const {
  return custom_gradient([](const auto& x) { return x[0]; },
                         [](const auto&, const Tensor&, const Tensor& dy) {
                           return std::vector<std::optional<Tensor>>{dy.contiguous()};
                         },
                         {*this});
}

}  // namespace tg
