// See launch_shape.h.
#include "runtime/launch_shape.h"

#include <algorithm>

#include "support/check.h"

namespace tg {
namespace {

int64_t most_groups(const LinearKernel& kernel, const Target& target) {
  const int64_t worthwhile = kernel.chunks / std::max<int64_t>(kernel.least_chunks, 1);
  const int64_t most = target.max_groups > 0 ? target.max_groups : worthwhile;
  return std::clamp<int64_t>(worthwhile, 1, std::max<int64_t>(most, 1));
}

}  // namespace

LaunchShape::LaunchShape(const LinearKernel& kernel, const Target& target)
    : name_(kernel.name),
      params_(kernel.params.size()),
      vars_(kernel.vars.size()),
      chunks_(kernel.chunks),
      chunk_limit_(kernel.chunk_limit),
      groups_(most_groups(kernel, target)),
      group_size_(kernel.group_size) {}

void LaunchShape::check(std::span<void* const> buffers, std::span<const int64_t> vars) const {
  TG_CHECK(buffers.size() == params_ && vars.size() == vars_,
           "{}: launched with {} buffers and {} variables, not {} and {}", name_, buffers.size(),
           vars.size(), params_, vars_);
}

}  // namespace tg
