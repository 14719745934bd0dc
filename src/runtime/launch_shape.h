// How many groups of how many work-items a launch has, for devices that run kernels so: the same
// arithmetic for all of them. Queues and arguments are the backend's business.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "codegen/linear.h"
#include "target/target.h"

namespace tg {

class LaunchShape {
 public:
  LaunchShape(const LinearKernel& kernel, const Target& target);

  const std::string& name() const { return name_; }
  /// Checks that there are as many arguments as the kernel takes; InternalError.
  void check(std::span<void* const> buffers, std::span<const int64_t> vars) const;
  /// Chunks of a launch with these variables; 0: there is nothing to do.
  int64_t chunks(std::span<const int64_t> vars) const {
    return chunks_for(vars, chunks_, chunk_limit_);
  }
  /// Groups that share out `chunks` > 0: as many as pay and the target takes.
  int64_t groups(int64_t chunks) const { return std::min(groups_, chunks); }
  int64_t group_size() const { return group_size_; }  ///< of a group

 private:
  std::string name_;
  size_t params_;
  size_t vars_;
  int64_t chunks_;
  std::optional<ChunkLimit> chunk_limit_;
  int64_t groups_;
  int64_t group_size_;
};

}  // namespace tg
