// See llvm_ops.h: dot instructions of processors, by the intrinsics of their manuals.
#include "renderer/llvm_ops.h"
#include "support/check.h"

namespace tg {
namespace {

constexpr int kLanes = 16;

// The same 32 bits in every lane.
LlvmValue pair_in_lanes(LlvmBlock& b, const LlvmValue& pair) {
  const LlvmValue word = b.make(DType::Int32, 1, "bitcast {} to i32", typed(pair));
  return llvm_splat(b, word, kLanes);
}

LlvmValue words_of(LlvmBlock& b, const LlvmValue& pairs) {
  return b.make(DType::Int32, kLanes, "bitcast {} to {}", typed(pairs), llvm_type("i32", kLanes));
}

// Operands as the type that the intrinsic wants, which no dtype of ours is.
LlvmValue dot_of_bfloats(LlvmBlock& b, const LlvmValue& x, const LlvmValue& y,
                         const LlvmValue& sum) {
  const std::string type =
      b.machine().dots_take_words ? llvm_type("i32", kLanes) : llvm_type("bfloat", 2 * kLanes);
  const auto operand = [&](const LlvmValue& v) {
    return LlvmOperand{type, b.make(DType::Int32, kLanes, "bitcast {} to {}", typed(v), type).text};
  };
  return b.call("llvm.x86.avx512bf16.dpbf16ps.512", DType::Float32, kLanes,
                {sum, operand(x), operand(y)});
}

}  // namespace

LlvmValue llvm_dot(LlvmBlock& b, std::string_view unit, std::span<const LlvmValue> src) {
  const LlvmValue x = pair_in_lanes(b, src[0]), y = words_of(b, src[1]);
  if (unit == "m1n16k2_bf16") return dot_of_bfloats(b, x, y, src[2]);
  TG_CHECK(unit == "m1n16k2_i16", "LLVM has no unit {}", unit);
  return b.call("llvm.x86.avx512.vpdpwssd.512", DType::Int32, kLanes, {src[2], x, y});
}

}  // namespace tg
