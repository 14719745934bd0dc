// Between tensors and graphs: the graph that a tensor will compute, a graph as a tensor, and the
// resulting kernels. Use it to inspect the library's work, to try rules (rewrite.h) before adding
// them to the compiler (pass.h), and to build computations that Tensor has no function for.
#pragma once

#include <string>
#include <vector>

#include "tg/ir/uop.h"
#include "tg/tensor.h"

namespace tg {

/// The graph that `t` names now: a BUFFER, or movement over one, once it is realised. Throws
/// ArgumentError if the value was overwritten before it was computed. O(1).
///
///     std::cout << tg::print(tg::graph_of(x.exp() + 1));
TG_API UOp graph_of(const Tensor& t);

/// A tensor with the value of `graph`, whose gradient flows as through any other. ArgumentError if
/// it is no value of a tensor graph: an effect, a node of a kernel. Linear in the graph.
///
///     const tg::Tensor y = tg::tensor_of(tg::rewrite_fixpoint(tg::graph_of(x), my_rules));
TG_API Tensor tensor_of(const UOp& graph);

/// The kernels that evaluating `t` now would run, in order, as they are lowered: each a SINK of
/// END(STORE…) over RANGEs, after all passes. Nothing is compiled or run; empty if there is nothing
/// to do. Copies between devices are left out.
TG_API std::vector<UOp> kernels_of(const Tensor& t);

/// tensor_of a graph as text (text.h), as Tensor::graph() gives it: for languages that have no
/// nodes. ArgumentError for text that is no graph of tensors.
TG_API Tensor tensor_of_text(const std::string& graph);

/// What evaluating all of `tensors` together would run, in order, as text, an empty line between
/// two: kernels as kernels_of gives them, and copies between devices, each a COPY of the PARAM that
/// it reads.
TG_API std::string kernels_text(const std::vector<Tensor>& tensors);

}  // namespace tg
