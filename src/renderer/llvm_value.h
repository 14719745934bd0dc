// A value of linear code as an operand of LLVM IR: its text without the type, which is written
// where it is used. Types and constants are spelled here; instructions are llvm_block.h.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tg/ir/scalar.h"
#include "tg/ir/uop.h"

namespace tg {

/// What is known of a vector of indices: lane k is the sum of the terms plus step k. Places a known
/// distance apart then share one pointer.
struct LlvmLanesKnown {
  struct Term {
    std::string text;  ///< a scalar of the vector's dtype
    int64_t factor = 1;
  };
  std::vector<Term> terms;
  std::vector<int64_t> steps;  ///< one a lane; empty if nothing is known

  explicit operator bool() const { return !steps.empty(); }
  LlvmLanesKnown plus(const LlvmLanesKnown& other) const;
  LlvmLanesKnown times(int64_t factor) const;
};

struct LlvmValue {
  std::string text;  ///< "%x3", "1", "<float 0x…, …>"
  DType dtype = DType::Void;
  int lanes = 1;
  std::optional<Scalar> constant;  ///< what every lane holds, if that is known
  LlvmLanesKnown known;            ///< of vectors of Index

  /// A constant that is not NaN.
  bool is_number() const;
};

/// Type of one element as a value: "float", "i1" for bool, the bits of the small floats ("i16",
/// "i8"), "i64" for Index.
std::string_view llvm_scalar(DType t);
/// Type of one element in memory: bool is "i8".
std::string_view llvm_storage(DType t);
/// "<8 x float>", or the element itself for one lane.
std::string llvm_type(std::string_view element, int lanes);
/// The same, and "x86_amx" for what fills a tile register.
std::string llvm_type(DType t, int lanes);
/// Whether that many elements fill a tile register, which no vector does.
bool fills_tile(DType t, int lanes);
/// Type and text, as most instructions want their first operand: "<8 x float> %x3".
std::string typed(const LlvmValue& v);
/// A constant in every lane.
LlvmValue llvm_constant(const Scalar& s, int lanes);
/// The number `v`, converted to `t`, in every lane.
LlvmValue llvm_int(int64_t v, DType t, int lanes);
/// Equal or different constants, one a lane: "<i64 0, i64 1>".
std::string llvm_lanes(std::string_view type, std::span<const int64_t> values);
/// Bytes of one element of a value in memory.
int llvm_bytes(DType t);

}  // namespace tg
