// Comparisons, logic and selection. Arithmetic: elementwise.cpp.
#include "frontend/onnx/ops/common.h"
#include "frontend/onnx/table.h"

namespace tg::onnx {
namespace {

template <Tensor (Tensor::*F)(const Tensor&) const>
Values compared(const Node& n) {
  n.require(n.dtype(0) == n.dtype(1), "the operands have different dtypes");
  return {(n.tensor(0).*F)(second_operand(n))};
}

Values where_op(const Node& n) {
  n.require(n.dtype(0) == DType::Bool, "the condition is not bool");
  n.require(n.dtype(1) == n.dtype(2), "the branches have different dtypes");
  return {n.tensor(0).where(n.tensor(1), n.tensor(2))};
}

}  // namespace

std::span<const Operator> logic_operators() {
  static const std::vector<Operator> rows = {
      {"And", {1, 7}, "axis broadcast", compared<&Tensor::logical_and>},
      {"Equal", {1, 7, 11, 13, 19}, "axis broadcast", compared<&Tensor::eq>},
      {"Greater", {1, 7, 9, 13}, "axis broadcast", compared<&Tensor::gt>},
      {"GreaterOrEqual", {12, 16}, "", compared<&Tensor::ge>},
      {"Less", {1, 7, 9, 13}, "axis broadcast", compared<&Tensor::lt>},
      {"LessOrEqual", {12, 16}, "", compared<&Tensor::le>},
      {"Not", {1}, "", [](const Node& n) { return Values{n.tensor(0).logical_not()}; }},
      {"Or", {1, 7}, "axis broadcast", compared<&Tensor::logical_or>},
      {"Where", {9, 16}, "", where_op},
      {"Xor",
       {1, 7},
       "axis broadcast",
       [](const Node& n) { return Values{n.tensor(0).bitwise_xor(second_operand(n))}; }},
  };
  return rows;
}

}  // namespace tg::onnx
