// What each op of linear code becomes in LLVM IR. One function a group; each writes its
// instructions into the block and returns the value.
#pragma once

#include <optional>
#include <span>

#include "renderer/llvm_block.h"
#include "tg/ir/function_ref.h"

namespace tg {

/// One elementwise op. `is_plain`: the operands are proven to lie where LLVM's instruction means
/// the same as ours: a division of non-negative numbers by a positive one, a shift by less than the
/// width. Throws InternalError for what must have been decomposed.
LlvmValue llvm_elementwise(LlvmBlock& b, Op op, DType dtype, std::span<const LlvmValue> src,
                           bool is_plain);
/// Conversion of values, by the rules of Scalar::cast.
LlvmValue llvm_cast(LlvmBlock& b, const LlvmValue& v, DType to);
/// The same bits as another type.
LlvmValue llvm_bitcast(LlvmBlock& b, const LlvmValue& v, DType to);
/// The float itself, which LLVM does not join with what it was made of. Costs nothing.
LlvmValue llvm_fence(LlvmBlock& b, const LlvmValue& v);
/// Towards zero.
LlvmValue llvm_trunc(LlvmBlock& b, const LlvmValue& v);

/// Runs the code of `all` where every lane of the mask is set, else that of `any`.
void llvm_branch_on_all_lanes(LlvmBlock& b, const LlvmValue& mask, FunctionRef<void()> all,
                              FunctionRef<void()> any);
/// What `all` makes where every lane of the mask is set, else what `any` makes, chosen by a branch.
LlvmValue llvm_if_all_lanes(LlvmBlock& b, const LlvmValue& mask, FunctionRef<LlvmValue()> all,
                            FunctionRef<LlvmValue()> any);
/// A scalar in every lane.
LlvmValue llvm_splat(LlvmBlock& b, const LlvmValue& v, int lanes);
/// Lane `k`.
LlvmValue llvm_lane(LlvmBlock& b, const LlvmValue& v, int64_t k);
/// Ramp, Stack, Shuffle, Extract, VReduce.
LlvmValue llvm_move_lanes(LlvmBlock& b, const UOp& u, std::span<const LlvmValue> src);

/// a · b + c by the dot instruction of this name (src/target/matrix_unit.h): `src` is the pair that
/// all lanes share, the pairs of the lanes, and the sums.
LlvmValue llvm_dot(LlvmBlock& b, std::string_view unit, std::span<const LlvmValue> src);

/// Rows of 64 bytes at pointer + index, `pitch_bytes` apart.
struct LlvmTileAccess {
  std::string pointer;
  LlvmValue index;
  DType dtype = DType::Void;
  int64_t pitch_bytes = 64;
};
/// Values that fill a tile register (fills_tile): rows that are all the row `zeros` in memory, what
/// lies in memory, and a · b + c by the unit of this name.
LlvmValue llvm_zero_tile(LlvmBlock& b, std::string_view zeros, DType t, int lanes);
LlvmValue llvm_load_tile(LlvmBlock& b, const LlvmTileAccess& at, int lanes);
void llvm_store_tile(LlvmBlock& b, const LlvmTileAccess& at, const LlvmValue& value);
LlvmValue llvm_tile_product(LlvmBlock& b, std::string_view unit, std::span<const LlvmValue> src);

/// One access: `lanes` elements of `dtype` at pointer + index.
struct LlvmAccess {
  std::string pointer;
  LlvmValue index;
  DType dtype = DType::Void;
  int lanes = 1;
  int64_t align = 1;      ///< bytes; an element's own alignment at least
  LlvmValue gate;         ///< dtype Void if there is none
  int64_t ahead = 0;      ///< elements beyond which a load prefetches; 0: none
  bool streamed = false;  ///< a store that need not stay in a cache
};
/// A store past the caches, whose address and value are known; it is written with its neighbours.
struct LlvmStream {
  std::string place;
  LlvmValue value;
  int64_t align;  ///< bytes
};
/// The store as one past the caches; nothing if it is another one.
std::optional<LlvmStream> llvm_stream(LlvmBlock& b, const LlvmAccess& at, const LlvmValue& value,
                                      Combine combine);
/// Writes them, in order.
void llvm_store_streams(LlvmBlock& b, std::span<const LlvmStream> stores);
/// What a kernel with streamed stores ends with: other threads see them before what comes after.
void llvm_streams_end(LlvmBlock& b);
LlvmValue llvm_load(LlvmBlock& b, const LlvmAccess& at);
void llvm_store(LlvmBlock& b, const LlvmAccess& at, const LlvmValue& value, Combine combine);

}  // namespace tg
