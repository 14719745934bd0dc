// See llvm_ops.h: dot instructions of processors, by the intrinsics of their manuals. A pair of
// 16-bit elements is a word, and so are four bytes. LLVM 16 made vectors of bfloat of the words of
// dpbf16ps; it and later versions read the older form, too.
#include "renderer/llvm_ops.h"
#include "support/check.h"

namespace tg {
namespace {

LlvmValue words_of(LlvmBlock& b, const LlvmValue& small, int words) {
  return b.make(DType::Int32, words, "bitcast {} to {}", typed(small), llvm_type("i32", words));
}

}  // namespace

LlvmValue llvm_dot(LlvmBlock& b, std::string_view unit, std::span<const LlvmValue> src) {
  const LlvmValue& sum = src[2];
  const int lanes = sum.lanes;
  const LlvmValue x = llvm_splat(b, words_of(b, src[0], 1), lanes);
  if (unit == "m1n8k2_i16") {
    const LlvmValue pairs =
        b.make(DType::Int16, 2 * lanes, "bitcast {} to {}", typed(x), llvm_type("i16", 2 * lanes));
    return b.binary("add", sum,
                    b.call("llvm.x86.avx2.pmadd.wd", DType::Int32, lanes, {pairs, src[1]}));
  }
  const LlvmValue y = words_of(b, src[1], lanes);
  if (unit == "m1n16k2_bf16")
    return b.call("llvm.x86.avx512bf16.dpbf16ps.512", DType::Float32, lanes, {sum, x, y});
  if (unit == "m1n16k4_u8i8")
    return b.call("llvm.x86.avx512.vpdpbusd.512", DType::Int32, lanes, {sum, x, y});
  TG_CHECK(unit == "m1n16k2_i16", "LLVM has no unit {}", unit);
  return b.call("llvm.x86.avx512.vpdpwssd.512", DType::Int32, lanes, {sum, x, y});
}

}  // namespace tg
