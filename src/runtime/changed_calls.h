// What has changed in a captured sequence since its last run: for devices that were told of the
// sequence before and want to be told of nothing twice. Sequences: device.h.
#pragma once

#include <vector>

#include "runtime/device.h"
#include "tg/ir/function_ref.h"

namespace tg {

/// Remembers the arguments of the calls that vary; those at the start are known already.
class ChangedCalls {
 public:
  explicit ChangedCalls(const CallSequence& sequence);
  /// Calls set(k, call) for each varying call, the k-th of them, whose arguments are others than
  /// when it was set. What set() throws for is not set.
  void update(FunctionRef<void(size_t varying, const Call& call)> set);

 private:
  bool is_set(const Call& call, const uint64_t* at) const;

  const CallSequence sequence_;
  std::vector<uint64_t> words_;  // addresses and variables of all varying calls
};

}  // namespace tg
