// See packed_product.h. Equal expressions are one node, which is computed once and kept until
// its last reader; and what depends on no argument of a captured call is computed once for all
// calls. Bytes that are mixed with a zero which only the other factor tells are another node in
// each place, and cannot be unpacked before.
#include "frontend/language/packed_product.h"

#include <unordered_map>

#include "tg/autograd.h"
#include "tg/ir/graph.h"
#include "tg/ir/walk.h"

namespace tg::models {
namespace {

// 0 as int32, but nobody can know before `x` is there: n · (n + 1) is even, whatever n is.
Tensor zero_after(const Tensor& x) {
  const Tensor n = x.detach().flatten()[{Slice(0, 1)}].contiguous().bitcast(DType::Int32);
  return (n * (n + 1)).bitwise_and(1).contiguous();
}

// The same elements, their bits mixed with a zero.
Tensor mixed_with(const Tensor& zero, const Tensor& x) {
  if (x.dtype() == DType::UInt8) return x.bitwise_xor(zero.cast(DType::UInt8));
  const Tensor bits = x.bitcast(DType::UInt16);
  return bits.bitwise_xor(zero.cast(DType::UInt16)).bitcast(x.dtype());
}

// The weight in float32, unpacked when `x` is there.
Tensor unpacked_after(const Tensor& weight, const Tensor& x) {
  const Tensor zero = zero_after(x);
  const UOp whole = graph_of(weight.cast(DType::Float32));
  std::unordered_map<const Node*, UOp> mixed;
  for (const Node* n : toposort(whole)) {
    const bool is_packed =
        n->dtype == DType::UInt8 || n->dtype == DType::Float16 || n->dtype == DType::BFloat16;
    if (n->op != Op::Buffer || !is_packed) continue;
    mixed.emplace(n, graph_of(mixed_with(zero, tensor_of(UOp::share(n)))));
  }
  return tensor_of(substitute(whole, mixed));
}

}  // namespace

Tensor product_with_packed(const Tensor& x, const Tensor& weight) {
  return custom_gradient(
      [&](const std::vector<Tensor>& in) {
        return in[0].matmul(unpacked_after(weight, in[0]).transpose());
      },
      [weight](const std::vector<Tensor>&, const Tensor&, const Tensor& dy) {
        return std::vector<std::optional<Tensor>>{dy.matmul(unpacked_after(weight, dy))};
      },
      {x});
}

}  // namespace tg::models
