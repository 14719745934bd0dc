// Which ops each stage of the compiler uses. The rest of a stage's grammar (forms, nesting, closed
// ranges) is checked by src/rewrite/verify.h; the shapes of linear code are described in
// src/codegen/linear.h.
#pragma once

#include "tg/ir/op.h"

namespace tg {

enum Stage : uint8_t {
  kTensorStage = 1,  ///< T: values with shapes, movement, no indices
  kRangedStage = 2,  ///< R: scalars over RANGE values, explicit indices
  kLinearStage = 4,  ///< N: a list with explicit lanes, nested loops
};

/// Bits of the stages in which `op` may stand.
constexpr uint8_t stages_of(Op op) {
  switch (op) {
    case Op::Const:
    case Op::Var:
    case Op::Param:
    case Op::Store:
    case Op::After:
      return kTensorStage | kRangedStage | kLinearStage;
    case Op::Buffer:
      return kTensorStage | kRangedStage;
    case Op::Iota:
    case Op::Bind:
      return kTensorStage;
    case Op::Range:
    case Op::Load:
    case Op::End:
      return kRangedStage | kLinearStage;
    case Op::Reduce:
    case Op::Sink:
      return kTensorStage | kRangedStage;
    case Op::Stage:
      return kRangedStage;
    case Op::Reshape:
    case Op::Permute:
    case Op::Expand:
    case Op::Pad:
    case Op::Shrink:
    case Op::Flip:
    case Op::Shear:
    case Op::Scan:
    case Op::Offset:
    case Op::Limit:
    case Op::Gather:
    case Op::Scatter:
    case Op::Copy:
    case Op::Contiguous:
    case Op::Detach:
    case Op::WithGradient:
      return kTensorStage;
    case Op::Carry:
    case Op::Out:
    case Op::Alloc:
    case Op::Splat:
    case Op::Ramp:
    case Op::Stack:
    case Op::Shuffle:
    case Op::Extract:
    case Op::VReduce:
    case Op::If:
    case Op::EndIf:
    case Op::Barrier:
    case Op::Mma:
    case Op::SubgroupShuffle:
    case Op::AsyncCopy:
    case Op::AsyncWait:
    case Op::MmaAsync:
    case Op::MmaWait:
    case Op::LoadRows:
      return kLinearStage;
    default:
      return kTensorStage | kRangedStage | kLinearStage;  // elementwise
  }
}

}  // namespace tg
