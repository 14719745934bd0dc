// One kernel for many windows: the kernel that computes step t of a sequence differs from that of
// step t + 1 in nothing but where its windows of the arrays begin. Its form here begins at element
// 0, and the launch gets the addresses of the windows (engine/compile.cpp), so that all steps are
// lowered and compiled once. The same for sizes: flat_kernel.h.
#pragma once

#include <optional>
#include <vector>

#include "tg/ir/uop.h"

namespace tg {

/// A kernel whose arrays begin at the first elements that it touches, as far as alignment allows,
/// and end behind the last.
struct WindowForm {
  UOp kernel;
  std::vector<int64_t> offsets;  ///< bytes by slot, multiples of kWindowAlignment
};

/// Bytes. Every device takes addresses at such distances from the beginning of an array, and loads
/// of whole vectors stay as aligned as they were.
constexpr int64_t kWindowAlignment = 64;

/// The form of `kernel` without its offsets: in each dimension of an array the least index that any
/// access can have goes into the address, rounded down to what keeps it aligned; the first
/// dimension ends behind the last element that is touched. Nothing if every window is its array.
/// O(nodes).
std::optional<WindowForm> window_form(const UOp& kernel);

}  // namespace tg
