// Products of matrices. Convolutions: convolution.cpp; products of integers: quantised.cpp.
#include "frontend/onnx/ops/common.h"
#include "frontend/onnx/table.h"

namespace tg::onnx {
namespace {

Values matmul(const Node& n) {
  n.require(n.dtype(0) == n.dtype(1), "the operands have different dtypes");
  return {n.tensor(0).matmul(n.tensor(1)).cast(n.dtype(0))};
}

Values gemm(const Node& n) {
  Tensor a = n.tensor(0), b = n.tensor(1);
  n.require(a.ndim() == 2 && b.ndim() == 2, "the operands are no matrices");
  if (n.flag("transA")) a = a.T();
  if (n.flag("transB")) b = b.T();
  const double alpha = n.real("alpha", 1), beta = n.real("beta", 1);
  const DType dtype = a.dtype();
  Tensor out = a.matmul(b).cast(dtype);
  if (alpha != 1) out = out * alpha;
  if (n.has(2) && beta != 0) out = out + (beta == 1 ? n.tensor(2) : n.tensor(2) * beta);
  return {out.cast(dtype)};
}

Values einsum(const Node& n) {
  std::vector<Tensor> operands;
  for (size_t i = 0; i < n.inputs(); ++i) operands.push_back(n.tensor(i));
  std::string formula;
  for (const char c : n.text("equation", ""))
    if (c != ' ') formula += c;
  return {Tensor::einsum(formula, operands)};
}

// By minors, which is exact for small matrices and no singular one divides by 0.
Tensor determinant(const Tensor& x) {
  const int64_t size = x.size(-1);
  if (size == 1) return x[{Ellipsis, 0, 0}];
  Tensor out;
  for (int64_t c = 0; c < size; ++c) {
    std::vector<Tensor> columns;
    if (c > 0) columns.push_back(x[{Ellipsis, Slice(1), Slice(0, c)}]);
    if (c + 1 < size) columns.push_back(x[{Ellipsis, Slice(1), Slice(c + 1)}]);
    const Tensor minor = determinant(Tensor::cat(columns, -1));
    const Tensor term = x[{Ellipsis, 0, c}] * minor;
    out = c == 0 ? term : c % 2 == 0 ? out + term : out - term;
  }
  return out;
}

Values det(const Node& n) {
  const Tensor x = n.tensor(0);
  n.require(x.ndim() >= 2 && x.size(-1) == x.size(-2) && x.size(-1) > 0,
            "the matrices are not square");
  if (x.size(-1) > 5) n.unsupported("a matrix of more than 5 rows");
  return {determinant(x)};
}

}  // namespace

std::span<const Operator> product_operators() {
  static const std::vector<Operator> rows = {
      {"Det", {11, 22}, "", det},
      {"Einsum", {12, 28}, "equation", einsum},
      {"Gemm", {1, 6, 7, 9, 11, 13}, "alpha beta transA transB broadcast", gemm},
      {"MatMul", {1, 9, 13}, "", matmul},
  };
  return rows;
}

}  // namespace tg::onnx
