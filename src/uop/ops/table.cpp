// The table of records, in enum order, and look-ups by name.
#include <array>
#include <limits>

#include "support/check.h"
#include "uop/ops/records.h"

namespace tg {
namespace {

constexpr std::array<const OpRecord*, kNumOps> kRecords = {
#define TG_OP_ADDRESS(name) &ops::k##name,
    TG_OP_LIST(TG_OP_ADDRESS)
#undef TG_OP_ADDRESS
};

// The value below all others: -inf where the type has it, else its most negative number.
Scalar lowest(DType t) {
  switch (t) {
    case DType::Fp8E4M3: return Scalar::of_double(-448.0, t);
    case DType::Fp8E4M3Fnuz: return Scalar::of_double(-240.0, t);
    case DType::Fp8E5M2Fnuz: return Scalar::of_double(-57344.0, t);
    default: break;
  }
  if (is_float(t)) return Scalar::of_double(-std::numeric_limits<double>::infinity(), t);
  if (is_unsigned(t) || is_bool(t)) return Scalar::of_int(0, t);
  if (t == DType::Index) return Scalar::of_int(Interval::kMin, t);
  return Scalar::of_int(-(int64_t{1} << (dtype_size(t) * 8 - 2)) * 2, t);
}

}  // namespace

const OpRecord& record(Op op) { return *kRecords[static_cast<size_t>(op)]; }

int find_op(std::string_view name) {
  for (size_t i = 0; i < kRecords.size(); ++i) {
    if (kRecords[i]->name == name) return static_cast<int>(i);
  }
  return -1;
}

Op reduce_alu(ReduceOp op) {
  switch (op) {
    case ReduceOp::Add: return Op::Add;
    case ReduceOp::Mul: return Op::Mul;
    case ReduceOp::Max: return Op::Max;
  }
  TG_CHECK(false, "reduce op {}", static_cast<int64_t>(op));
}

Scalar reduce_identity(ReduceOp op, DType t) {
  switch (op) {
    case ReduceOp::Add: return Scalar::of_int(0, t);
    case ReduceOp::Mul: return Scalar::of_int(1, t);
    case ReduceOp::Max: return lowest(t);
  }
  TG_CHECK(false, "reduce op {}", static_cast<int64_t>(op));
}

}  // namespace tg
