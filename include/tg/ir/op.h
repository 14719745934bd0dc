// The operations of the one IR, and the record that defines each: name, arity, argument, groups,
// meaning, type rule, evaluation, interval rule and gradient. A missing record does not link; a
// missing gradient does not compile. The records are in src/uop/ops/, one file per family; the
// stages that use an op are in grammar.h.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "tg/export.h"
#include "tg/ir/interval.h"
#include "tg/ir/scalar.h"

namespace tg {

class UOp;
struct NodeSpec;
struct DerivedType;

// clang-format off
/// Every operation, in families. The list is a macro because it makes the enum, the record
/// declarations and the table of records.
#define TG_OP_LIST(X)                                                                             \
  /* leaves */ X(Const) X(Var) X(Bind) X(Iota) X(Buffer) X(Param) X(Range)                        \
  /* elementwise */ X(Add) X(Mul) X(Max) X(CmpLt) X(CmpNe) X(Xor) X(And) X(Or) X(Shl) X(Shr)      \
      X(IDiv) X(Mod) X(FDiv) X(Sqrt) X(Exp2) X(Log2) X(Sin) X(Trunc) X(Where) X(Cast) X(Bitcast)  \
      X(Threefry) X(Fma)                                                                          \
  /* movement */ X(Reshape) X(Permute) X(Expand) X(Pad) X(Shrink) X(Flip) X(Shear) X(Offset)      \
      X(Limit) X(Gather) X(Scatter)                                                               \
  /* reduction */ X(Reduce) X(Scan)                                                               \
  /* memory and effects */ X(Stage) X(Load) X(Store) X(After) X(End) X(Sink)                      \
  /* scheduling marks */ X(Copy) X(Contiguous) X(Detach) X(WithGradient)                          \
  /* lowered */ X(Carry) X(Out) X(Alloc) X(Splat) X(Ramp) X(Stack) X(Shuffle) X(Extract)          \
      X(VReduce) X(If) X(EndIf) X(Barrier) X(Mma) X(SubgroupShuffle) X(AsyncCopy) X(AsyncWait) \
      X(MmaAsync) X(MmaWait) X(LoadRows)
// clang-format on

enum class Op : uint16_t {
#define TG_OP_ENUM(name) name,
  TG_OP_LIST(TG_OP_ENUM)
#undef TG_OP_ENUM
};
#define TG_OP_COUNT(name) +1
inline constexpr int kNumOps = 0 TG_OP_LIST(TG_OP_COUNT);
#undef TG_OP_COUNT

/// Families that passes ask about; bits of OpRecord::groups.
enum Group : uint32_t {
  kLeaf = 1u << 0,
  kElementwise = 1u << 1,
  kMovement = 1u << 2,  ///< changes indices only: never copies
  kCommutative = 1u << 3,
  kAssociative = 1u << 4,
  kComparison = 1u << 5,  ///< result is bool
  kFloatOnly = 1u << 6,
  kIntOnly = 1u << 7,     ///< integers and bool
  kEffect = 1u << 8,      ///< dtype Void; ordered by After, End
  kStatesType = 1u << 9,  ///< the dtype is given, not derived
  kLowered = 1u << 10,    ///< only in lowered and linear code
};

/// The kind of an op's argument words, for printer and parser.
enum class ArgKind : uint8_t {
  None,
  Scalar,   ///< one word: Scalar::bits of the node's dtype
  Ints,     ///< any number of integers
  Symbol,   ///< first word a name (support/symbol), then integers
  Storage,  ///< unique id, then extents (BUFFER)
};

/// The op of a REDUCE, SCAN, VREDUCE, CARRY or combining STORE.
enum class ReduceOp : int64_t { Add, Mul, Max };
/// How SCATTER and STORE write a value: replace the old one, or combine with it.
enum class Combine : int64_t { Set, Add, Mul, Max };

/// The input of a gradient rule: the node, and its gradient, of the same shape and dtype; for
/// movement and casts of small floats it may be float32 instead, and what it becomes is too.
struct GradContext {
  const UOp& y;
  const UOp& dy;
};
/// One entry per source; an empty UOp where no gradient flows.
using Grads = std::vector<UOp>;

/// A gradient is a rule, zero by mathematics, or refused: it cannot be forgotten, because there is
/// no default constructor.
class GradRule {
 public:
  enum class Kind : uint8_t { Rule, Zero, NotDifferentiable };
  using Fn = Grads (*)(const GradContext&);
  constexpr GradRule(Fn fn) : fn(fn), kind(Kind::Rule) {}
  constexpr GradRule(Kind kind) : fn(nullptr), kind(kind) {}
  Fn fn;
  Kind kind;
};
inline constexpr GradRule kZeroGrad{GradRule::Kind::Zero};
inline constexpr GradRule kNotDifferentiable{GradRule::Kind::NotDifferentiable};

/// Fills `out` (shape, lanes, space, device, and the dtype if the op does not state it) from the
/// sources, or throws the user error that names both shapes or dtypes.
using TypeRule = void (*)(const NodeSpec& in, DerivedType& out);
/// Value of an elementwise op on scalars; `dtype` is the result's. Shared by constant folding,
/// evaluator and interpreter.
using EvalFn = Scalar (*)(std::span<const Scalar> src, DType dtype, std::span<const int64_t> arg);
/// Bounds of an integer result from bounds of the sources.
using IntervalFn = Interval (*)(std::span<const Interval> src, std::span<const int64_t> arg);

struct OpRecord {
  Op op;
  std::string_view name;  ///< as printed and parsed
  int8_t arity;           ///< number of sources, -1 if it varies
  ArgKind arg;
  uint32_t groups;
  std::string_view doc;
  TypeRule type;
  EvalFn eval = nullptr;
  IntervalFn interval = nullptr;
  GradRule grad;
};

/// The record of `op`; O(1).
TG_API const OpRecord& record(Op op);
inline std::string_view op_name(Op op) { return record(op).name; }
inline bool in_group(Op op, uint32_t groups) { return (record(op).groups & groups) != 0; }
/// The op with this printed name, or -1.
TG_API int find_op(std::string_view name);

/// The elementwise op that a reduction repeats, and its identity in dtype `t`.
TG_API Op reduce_alu(ReduceOp op);
TG_API Scalar reduce_identity(ReduceOp op, DType t);

}  // namespace tg
