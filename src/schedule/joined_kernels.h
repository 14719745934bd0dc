// Kernels that are expected to become one, while it is decided what is stored (fusion.cpp). Whether
// they do: merge_kernels.h.
#pragma once

#include <cstddef>
#include <unordered_map>

namespace tg {

/// Sets of kernels, each known by the number of the node that it stores: a kernel is a set of its
/// own at first.
class JoinedKernels {
 public:
  /// The kernel that stands for the set.
  int root_of(int kernel) const {
    for (auto it = parent_.find(kernel); it != parent_.end(); it = parent_.find(kernel))
      kernel = it->second;
    return kernel;
  }
  /// Kernels in its set.
  size_t size_of(int kernel) const {
    const auto it = size_.find(root_of(kernel));
    return it == size_.end() ? 1 : it->second;
  }
  void join(int a, int b) {
    a = root_of(a), b = root_of(b);
    if (a == b) return;
    size_[a] = size_of(a) + size_of(b);
    parent_[b] = a;
  }

 private:
  std::unordered_map<int, int> parent_;
  std::unordered_map<int, size_t> size_;
};

}  // namespace tg
