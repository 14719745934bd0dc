// See handle_launch.h.
#include "runtime/handle_launch.h"

#include <algorithm>

namespace tg {

HandleLaunch bind_handles(const LaunchShape& shape, const HandleAllocator& memory,
                          std::span<void* const> buffers, std::span<const int64_t> vars) {
  shape.check(buffers, vars);
  const int64_t chunks = shape.chunks(vars);
  HandleLaunch launch{.groups = std::max<int64_t>(shape.groups(chunks), 1),
                      .group_size = shape.group_size()};
  launch.buffers.reserve(buffers.size());
  for (const void* b : buffers) launch.buffers.push_back(memory.place(b));
  launch.numbers.assign(vars.begin(), vars.end());
  launch.numbers.push_back(chunks);
  return launch;
}

}  // namespace tg
