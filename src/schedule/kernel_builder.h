// From a materialised node of the tensor graph to a ranged kernel: the indices of its store flow
// down to the loads of what is materialised below it, movement vanishes into index expressions,
// everything between is inlined. Internal to src/schedule.
#pragma once

#include <functional>
#include <vector>

#include "schedule/tensor_graph.h"
#include "target/target.h"

namespace tg {

/// A kernel and the storage it touches, by slot: PARAM(slot) of `ast` is the storage of
/// `storage[slot]`.
struct BuiltKernel {
  UOp ast;  ///< SINK of END(STORE…)
  std::vector<const Node*> storage;
};

/// Where reads end: true for nodes whose value is in memory when the kernel runs.
using InMemory = std::function<bool(const Node*)>;

/// Extents of the loops of the kernel that computes `x`: its shape, or, where `x` joins axes along
/// which the expression below has a scan, the shape of that.
Shape loops_of_kernel(const Node* x);
/// The index of `x` at `loops`, one of each of its kernel's: a sum of those that an axis joins.
std::vector<UOp> index_at_loops(const Node* x, std::span<const UOp> loops);

/// The kernel that computes `x` into storage of its own shape; slot order is by first use.
BuiltKernel build_kernel(const Node* x, const InMemory& in_memory);
/// The kernel of STORE(view, value): writes into the storage under `view`.
BuiltKernel build_store_kernel(const Node* store, const InMemory& in_memory);
/// The kernels of a SCATTER, in order: one in which each place asks what is put there, or two, base
/// into the result, then the values at their places. See scatter_kernels.cpp.
std::vector<BuiltKernel> build_scatter_kernels(const Node* scatter, const InMemory& in_memory,
                                               const Target& target);

}  // namespace tg
