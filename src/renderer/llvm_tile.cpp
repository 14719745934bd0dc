// See llvm_ops.h: values in the tile registers of Intel's AMX, by the intrinsics that leave the
// choice of registers to LLVM. A value is 16 rows of 64 bytes; nothing but these instructions takes
// one, and loops carry them as they carry others.
#include "renderer/llvm_ops.h"
#include "support/check.h"

namespace tg {
namespace {

constexpr int64_t kRowBytes = 64;

LlvmOperand words(int64_t n) { return {"i16", std::to_string(n)}; }
LlvmOperand rows() { return words(16); }
LlvmOperand row_bytes() { return words(kRowBytes); }

LlvmOperand place(LlvmBlock& b, const LlvmTileAccess& at) {
  const std::string name = b.fresh("tile");
  b.line(fmt::format("{} = getelementptr {}, ptr {}, {}", name, llvm_storage(at.dtype), at.pointer,
                     typed(llvm_cast(b, at.index, DType::Index))));
  return {"ptr", name};
}

std::string_view intrinsic_of(std::string_view unit) {
  if (unit == "m16n16k32_bf16") return "llvm.x86.tdpbf16ps.internal";
  if (unit == "m16n16k64_i8") return "llvm.x86.tdpbssd.internal";
  if (unit == "m16n16k64_u8") return "llvm.x86.tdpbuud.internal";
  TG_CHECK(unit == "m16n16k64_u8i8", "LLVM has no unit {}", unit);
  return "llvm.x86.tdpbusd.internal";
}

}  // namespace

LlvmValue llvm_zero_tile(LlvmBlock& b, std::string_view zeros, DType t, int lanes) {
  return b.call("llvm.x86.tileloadd64.internal", t, lanes,
                {rows(), row_bytes(), {"ptr", std::string(zeros)}, {"i64", "0"}});
}

LlvmValue llvm_load_tile(LlvmBlock& b, const LlvmTileAccess& at, int lanes) {
  return b.call("llvm.x86.tileloadd64.internal", at.dtype, lanes,
                {rows(), row_bytes(), place(b, at), {"i64", std::to_string(at.pitch_bytes)}});
}

void llvm_store_tile(LlvmBlock& b, const LlvmTileAccess& at, const LlvmValue& value) {
  b.call_void("llvm.x86.tilestored64.internal",
              {rows(), row_bytes(), place(b, at), {"i64", std::to_string(at.pitch_bytes)}, value});
}

LlvmValue llvm_tile_product(LlvmBlock& b, std::string_view unit, std::span<const LlvmValue> src) {
  return b.call(std::string(intrinsic_of(unit)), src[2].dtype, src[2].lanes,
                {rows(), row_bytes(), row_bytes(), src[2], src[0], src[1]});
}

}  // namespace tg
