// A value of linear code as operands of PTX: one for each lane, for PTX computes with scalars only.
// Types, registers' kinds and constants are spelled here; instructions are ptx_block.h.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tg/ir/scalar.h"
#include "tg/ir/uop.h"

namespace tg {

/// What a register can hold. Integers of 8 bits and the small floats lie in 16; those of 8 bits
/// are always extended by their sign, or by zeros if unsigned.
enum class PtxKind : uint8_t { Pred, B16, B32, B64, F32, F64 };

struct PtxValue {
  DType dtype = DType::Void;       ///< never Index, which is Int32 or Int64 in a kernel
  std::vector<std::string> lanes;  ///< "%x3", "%x3_1", or a literal: "4", "0f3F800000"
  std::optional<Scalar> constant;  ///< what every lane holds, if that is known
  /// What is to be added to each lane, for indices that only addresses are made of; empty: nothing.
  std::vector<int64_t> offsets;

  int count() const { return static_cast<int>(lanes.size()); }
};

PtxKind ptx_kind(DType t);
/// "f32", "b64", "pred": how a register is declared, and the type of instructions that move bits.
std::string_view ptx_bits(PtxKind kind);
/// "s32", "u16", "f64": the type of instructions that compute; bits for bool and the small floats.
std::string_view ptx_type(DType t);
/// The type of an access to memory: "s8", "u8" for bool, "b16", "b32", "f32".
std::string_view ptx_memory_type(DType t);
/// Bytes of one element in memory.
int ptx_bytes(DType t);
/// "-4", "0f3F800000", and the bits of a small float as a number; of bool 1 and 0.
std::string ptx_literal(const Scalar& s);
/// Whether an operand is no register.
inline bool ptx_is_literal(std::string_view operand) { return !operand.starts_with('%'); }

}  // namespace tg
