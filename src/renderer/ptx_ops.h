// What each op of linear code becomes in PTX. One function a group; each writes its instructions
// into the block and returns the value.
#pragma once

#include <span>

#include "codegen/linear.h"
#include "renderer/ptx_block.h"

namespace tg {

struct MatrixUnit;

/// One elementwise op. `is_plain`: the operands are proven to lie where the instruction means the
/// same as the op: a division of non-negative numbers by a positive one, a shift by less than the
/// width. `prefix`: of the result's name. Throws InternalError for what must have been decomposed.
PtxValue ptx_elementwise(PtxBlock& b, Op op, DType dtype, std::span<const PtxValue> src,
                         bool is_plain, std::string_view prefix = "v");
/// Conversion of one lane `x` by the rules of Scalar::cast, into `result` if an instruction is
/// needed for it; where the value is.
std::string ptx_cast(PtxBlock& b, const std::string& result, DType from, DType to,
                     const std::string& x);
/// The same bits as another type.
std::string ptx_bitcast(PtxBlock& b, const std::string& result, DType from, DType to,
                        const std::string& x);
/// Whether instructions compute in this dtype; the other floats are widened first.
inline bool ptx_computes(DType t) {
  return !is_float(t) || t == DType::Float32 || t == DType::Float64;
}
/// An integer of 8 bits that arithmetic in 16 gave, extended again.
void ptx_extend(PtxBlock& b, DType t, std::string_view result, std::string_view x);
/// Quotient or remainder of x ≥ 0 by a positive number, both of fewer than 32 bits, in `result` if
/// an instruction is needed for it; where the value is.
std::string ptx_divide_index(PtxBlock& b, const std::string& result, bool quotient,
                             const std::string& x, int64_t by);

/// A constant in every lane.
PtxValue ptx_constant(const Scalar& s, int lanes);
/// Splat, Ramp, Stack, Shuffle, Extract, VReduce. `for_addresses`: a ramp's steps need no
/// instructions.
PtxValue ptx_move_lanes(PtxBlock& b, const UOp& u, std::span<const PtxValue> src,
                        bool for_addresses);
/// Three fragments, multiplied and added by a matrix unit.
PtxValue ptx_multiply(PtxBlock& b, const MatrixUnit& unit, std::span<const PtxValue> src);

/// Where an array of the kernel lies.
enum class PtxSpace : uint8_t { Global, Shared, Local, Registers };
struct PtxPointer {
  std::string base;  ///< "%p0"; of registers what their names start with: "%a3_"
  PtxSpace space = PtxSpace::Global;
  DType dtype = DType::Void;
  bool constant = false;  ///< nobody writes it while the kernel runs
};

/// One access: `lanes` elements at pointer + index.
struct PtxAccess {
  PtxPointer pointer;
  PtxValue index;
  int lanes = 1;
  int64_t align = 1;  ///< bytes; an element's own alignment at least
  PtxValue gate;      ///< dtype Void if there is none
};
PtxValue ptx_load(PtxBlock& b, const PtxAccess& at);
void ptx_store(PtxBlock& b, const PtxAccess& at, const PtxValue& value, Combine combine);
/// Begins to copy what is at `from`, zeros where its scalar gate is false, to shared memory, both
/// aligned to four bytes at least.
void ptx_async_copy(PtxBlock& b, const PtxAccess& to, const PtxAccess& from);
/// Bytes that one instruction of that copies; fewer than four if none does.
int64_t ptx_async_copy_bytes(const PtxAccess& to, const PtxAccess& from);

}  // namespace tg
