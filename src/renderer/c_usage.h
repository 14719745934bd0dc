// Who uses what in a linear kernel: how often, and in which loop body. By it the writer decides
// what becomes a variable, what is written where it is used, and what is left out.
#pragma once

#include <unordered_map>

#include "codegen/linear.h"

namespace tg {

struct CUsage {
  int uses = 0;                ///< by live nodes, counted per source
  int nest = 0;                ///< number of the loop or if body in which the value is computed
  const Node* user = nullptr;  ///< the last user
  bool live = false;
};

/// Usage of every node of `ops`. A node that no effect depends on is not live.
std::unordered_map<const Node*, CUsage> c_usage(std::span<const UOp> ops);

/// Is `store` one of those that may go past the caches?
bool is_streamed(const LinearKernel& kernel, const UOp& store);

}  // namespace tg
