// The translation unit under construction: which types and helper functions it needs, each spelled
// once, in order of first use. What the helpers do is in c_helpers.h; the kernels' text is
// c_kernel.h.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "support/function_ref.h"
#include "tg/dtype.h"

namespace tg {

/// How a vector lies in memory.
enum class Layout : uint8_t { Value, Unaligned, Aligned };

/// C name of one element, "f32"; the small floats are their bits ("u16", "u8"), Index is "i64",
/// bool is "_Bool".
std::string_view c_scalar(DType t);
/// The same as it lies in memory: bool is "u8".
std::string_view c_storage(DType t);
/// Bytes of one element in C: Index has 8.
int c_bytes(DType t);
/// The signed integer of `bytes` bytes, of which masks of such elements are made.
DType c_mask_dtype(int bytes);

class CUnit {
 public:
  /// "f32x8", "f32x8_u" (unaligned), "f32x8_a" (aligned to its size), declared when first asked
  /// for; for bool the storage.
  std::string vector(DType t, int lanes, Layout layout = Layout::Value);
  /// A type for `lanes` lanes: scalar or vector.
  std::string type(DType t, int lanes);
  /// Name of the helper function `name`; the text is asked for when it is new, after those that it
  /// calls itself.
  std::string helper(std::string name, FunctionRef<std::string()> text);

  /// Everything that must stand before the kernels.
  std::string preamble() const;

 private:
  std::set<std::string> known_;
  std::vector<std::string> types_;
  std::vector<std::string> helpers_;
};

}  // namespace tg
