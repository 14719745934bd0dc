// Values that were read (item(), to_vector(), printing) of tensors that gradients may still be
// asked of. Such a tensor goes on naming the graph that it was made by, and the value hangs on the
// graph's node for as long as that lives: whatever is computed from then on takes the value instead
// of computing it again, and a gradient walks the graph. realize() cuts the graph off. Who reads
// and computes: compute.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tg/ir/uop.h"

namespace tg {

/// What keeping a graph holds on to.
struct Behind {
  int64_t reads = 0;      ///< values that were read on the longest way down, this one included
  int64_t bytes = 0;      ///< theirs together
  bool is_param = false;  ///< a gradient can reach a tensor that is marked as a parameter
};

struct KeptValue {
  UOp node;   ///< how it was made
  UOp value;  ///< a BUFFER or a view of one; no live tensor names this storage, so nobody writes it
};

/// The storage that holds the value of `n`; empty if none is kept, or if this thread records a call
/// in which it was not computed.
UOp kept_value(const Node* n);
void keep_value(const KeptValue& kept, const Behind& behind);
void drop_kept_value(const UOp& node);
/// Gives what is kept of one node to another of equal value.
void move_kept_value(const UOp& from, const UOp& to);
/// All that are kept, in the order of reading. Free of locks when used.
std::vector<KeptValue> kept_values();
/// The graphs with storage in the place of what is kept. One walk, not below that.
std::vector<UOp> with_kept_values(std::span<const UOp> roots);

/// Must the value of `node`, about to be read, keep the graph? So it is while a live tensor stands
/// in the graph which a gradient can reach. A loop that reads its state in every turn would hold on
/// to all its past: without a marked parameter in it, kKeptReads values or kKeptBytes are the most
/// that are kept behind a value. Empty: the value becomes plain storage.
std::optional<Behind> worth_keeping(const UOp& node);

inline constexpr int64_t kKeptReads = 1000;
inline constexpr int64_t kKeptBytes = int64_t{256} << 20;

}  // namespace tg
