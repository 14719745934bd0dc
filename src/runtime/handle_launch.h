// A launch on a device whose blocks are handles: its arguments as the device understands them. How
// large it is: launch_shape.h; what handles are: handle_allocator.h.
#pragma once

#include <vector>

#include "runtime/handle_allocator.h"
#include "runtime/launch_shape.h"

namespace tg {

struct HandleLaunch {
  std::vector<BlockPlace> buffers;  ///< by slot
  std::vector<int64_t> numbers;     ///< variables, then the number of chunks
  int64_t groups = 1, group_size = 1;

  int64_t chunks() const { return numbers.back(); }  ///< 0: there is nothing to do
  bool operator==(const HandleLaunch&) const = default;
};

/// The launch of a kernel with these arguments; one group if there is nothing to do. InternalError
/// if they are not as many as the kernel takes.
HandleLaunch bind_handles(const LaunchShape& shape, const HandleAllocator& memory,
                          std::span<void* const> buffers, std::span<const int64_t> vars);

}  // namespace tg
