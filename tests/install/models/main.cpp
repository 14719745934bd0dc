// Runs a model that adds two tensors of shape [3, 4, 5], with the installed library alone.
#include <iostream>

#include "tg/models/onnx.h"

int main(int, char** arguments) {
  const tg::onnx::Model model = tg::onnx::load(arguments[1]);
  const tg::Tensor ones = tg::Tensor::ones({3, 4, 5});
  const auto out = model({{"x", ones}, {"y", ones}});
  std::cout << model.inputs().size() << " inputs, sum " << out.at("sum").sum().item<int>() << "\n";
}
