// See compile_each.h.
#include "runtime/compile_each.h"

#include "support/thread_pool.h"

namespace tg {

std::vector<CompiledKernel> compile_each(
    std::span<const LinearKernel> kernels,
    FunctionRef<CompiledKernel(const LinearKernel& kernel)> compile) {
  std::vector<CompiledKernel> out(kernels.size());
  parallel_for(std::ssize(kernels), 1, [&](int64_t begin, int64_t end, int) {
    for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i)
      out[i] = compile(kernels[i]);
  });
  return out;
}

}  // namespace tg
