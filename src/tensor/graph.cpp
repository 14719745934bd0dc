// Tensors as graphs, and back. See tg/ir/graph.h.
#include "tg/ir/graph.h"

#include "engine/plan.h"
#include "rewrite/verify.h"
#include "tensor/ops.h"
#include "tg/ir/text.h"

namespace tg {

UOp graph_of(const Tensor& t) { return ops_detail::node_of(t, "graph_of"); }

Tensor tensor_of(const UOp& graph) {
  if (!graph) user_error<ArgumentError>("tensor_of", "there is no graph");
  try {
    verify_tensor(graph);
  } catch (const InternalError& e) {
    user_error<ArgumentError>("tensor_of", fmt::format("this is no graph of tensors: {}", e.what()),
                              "Hint: kernels_of() gives kernels, which cannot be tensors.");
  }
  if (dtype_size(graph.dtype()) == 0)
    user_error<ArgumentError>("tensor_of", fmt::format("{} is no value of a dtype that is stored",
                                                       print_node(graph.node())));
  return ops_detail::wrap(graph);
}

std::vector<UOp> kernels_of(const Tensor& t) {
  const UOp root = ops_detail::node_of(t, "kernels_of");
  return kernels_for(std::span(&root, 1));
}

Tensor tensor_of_text(const std::string& graph) { return tensor_of(parse(graph)); }

std::string kernels_text(const std::vector<Tensor>& tensors) {
  std::vector<UOp> roots;
  for (const Tensor& t : tensors) {
    UOp root = ops_detail::node_of(t, "kernels_text");
    if (!root.is(Op::Const)) roots.push_back(std::move(root));  // a constant is stored nowhere
  }
  std::string out;
  if (roots.empty()) return out;
  for (const UOp& item : items_for(roots)) {
    if (!out.empty()) out += '\n';
    out += print(item);
  }
  return out;
}

}  // namespace tg
