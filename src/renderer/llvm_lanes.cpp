// See llvm_ops.h: values moved between lanes. Shuffles keep vectors in registers; a reduction folds
// halves onto each other, in the order of the C renderer, so that both give the same sums.
#include <array>
#include <numeric>

#include "renderer/llvm_ops.h"
#include "support/check.h"

namespace tg {
namespace {

LlvmValue shuffled(LlvmBlock& b, const LlvmValue& x, const LlvmValue& y,
                   std::span<const int64_t> lanes) {
  const int n = static_cast<int>(lanes.size());
  return b.make(x.dtype, n, "shufflevector {}, {}, {} {}", typed(x), typed(y), llvm_type("i32", n),
                llvm_lanes("i32", lanes));
}

LlvmValue poison(const LlvmValue& like) {
  return {.text = "poison", .dtype = like.dtype, .lanes = like.lanes, .constant = {}, .known = {}};
}

LlvmValue stack(LlvmBlock& b, DType t, std::span<const LlvmValue> items) {
  LlvmValue v{.text = "poison",
              .dtype = t,
              .lanes = static_cast<int>(items.size()),
              .constant = {},
              .known = {}};
  for (size_t k = 0; k < items.size(); ++k)
    v = b.make(t, v.lanes, "insertelement {}, {}, i64 {}", typed(v), typed(items[k]), k);
  return v;
}

LlvmValue shuffle(LlvmBlock& b, const UOp& u, const LlvmValue& x, const LlvmValue& y) {
  if (x.lanes > 1 && x.lanes == y.lanes && u.lanes() > 1) return shuffled(b, x, y, u.arg());
  std::vector<LlvmValue> items;
  for (int64_t k : u.arg())
    items.push_back(k < x.lanes ? llvm_lane(b, x, k) : llvm_lane(b, y, k - x.lanes));
  return items.size() == 1 ? items[0] : stack(b, u.dtype(), items);
}

LlvmValue ramp(LlvmBlock& b, const UOp& u, const LlvmValue& base) {
  std::vector<int64_t> steps(static_cast<size_t>(u.lanes()));
  for (size_t k = 0; k < steps.size(); ++k) steps[k] = static_cast<int64_t>(k) * u.arg(1);
  LlvmValue step{.text = llvm_lanes(llvm_scalar(u.dtype()), steps),
                 .dtype = u.dtype(),
                 .lanes = u.lanes(),
                 .constant = {},
                 .known = {}};
  if (u.dtype() == DType::Index) step.known.steps = steps;
  if (base.constant && base.constant->i64() == 0) return step;
  const LlvmValue start = llvm_splat(b, base, u.lanes());
  LlvmValue v = b.binary("add", start, step);
  v.known = start.known.plus(step.known);
  return v;
}

LlvmValue reduce(LlvmBlock& b, ReduceOp op, const LlvmValue& v) {
  if (is_bool(v.dtype) && op == ReduceOp::Max) {
    const std::string bits = b.make(v.dtype, 1, "bitcast {} to i{}", typed(v), v.lanes).text;
    return b.set("m", v.dtype, 1, fmt::format("icmp ne i{} {}, 0", v.lanes, bits));
  }
  constexpr std::array<Op, 3> kOps = {Op::Add, Op::Mul, Op::Max};
  LlvmValue all = v;
  for (int n = v.lanes / 2; n >= 1; n /= 2) {
    std::vector<int64_t> low(static_cast<size_t>(n)), high(low.size());
    std::iota(low.begin(), low.end(), 0);
    std::iota(high.begin(), high.end(), n);
    const std::array<LlvmValue, 2> halves =
        n == 1
            ? std::array{llvm_lane(b, all, 0), llvm_lane(b, all, 1)}
            : std::array{shuffled(b, all, poison(all), low), shuffled(b, all, poison(all), high)};
    all = llvm_elementwise(b, kOps.at(static_cast<size_t>(op)), v.dtype, halves, false);
  }
  return all;
}

}  // namespace

void llvm_branch_on_all_lanes(LlvmBlock& b, const LlvmValue& mask, FunctionRef<void()> all,
                              FunctionRef<void()> any) {
  const std::string bits =
      b.make(DType::Bool, 1, "bitcast {} to i{}", typed(mask), mask.lanes).text;
  const LlvmValue set =
      b.set("m", DType::Bool, 1, fmt::format("icmp eq i{} {}, -1", mask.lanes, bits));
  const std::string quick = b.fresh_label("quick"), slow = b.fresh_label("slow"),
                    done = b.fresh_label("done");
  b.branch(set.text, quick, slow);
  b.open(quick);
  all();
  b.line("br label %" + done);
  b.open(slow);
  any();
  b.fall_into(done);
}

LlvmValue llvm_if_all_lanes(LlvmBlock& b, const LlvmValue& mask, FunctionRef<LlvmValue()> all,
                            FunctionRef<LlvmValue()> any) {
  struct End {
    LlvmValue value;
    std::string block;
  };
  End x, y;
  llvm_branch_on_all_lanes(
      b, mask,
      [&] {
        x = End{all(), b.label()};
      },
      [&] {
        y = End{any(), b.label()};
      });
  TG_CHECK(x.value.dtype == y.value.dtype && x.value.lanes == y.value.lanes,
           "one of {} x{} and {} x{}", dtype_name(x.value.dtype), x.value.lanes,
           dtype_name(y.value.dtype), y.value.lanes);
  return b.make(x.value.dtype, x.value.lanes, "phi {} [ {}, %{} ], [ {}, %{} ]",
                llvm_type(x.value.dtype, x.value.lanes), x.value.text, x.block, y.value.text,
                y.block);
}

LlvmValue llvm_splat(LlvmBlock& b, const LlvmValue& v, int lanes) {
  if (lanes == 1) return v;
  if (v.constant) return llvm_constant(*v.constant, lanes);
  const std::string type = llvm_type(v.dtype, lanes);
  const LlvmValue first =
      b.make(v.dtype, lanes, "insertelement {} poison, {}, i64 0", type, typed(v));
  LlvmValue all = b.make(v.dtype, lanes, "shufflevector {}, {} poison, {} zeroinitializer",
                         typed(first), type, llvm_type("i32", lanes));
  if (v.dtype == DType::Index) {
    all.known.terms = {{v.text, 1}};
    all.known.steps.assign(static_cast<size_t>(lanes), 0);
  }
  return all;
}

LlvmValue llvm_lane(LlvmBlock& b, const LlvmValue& v, int64_t k) {
  if (v.lanes == 1) return v;
  if (v.constant) return llvm_constant(*v.constant, 1);
  return b.make(v.dtype, 1, "extractelement {}, i64 {}", typed(v), k);
}

LlvmValue llvm_move_lanes(LlvmBlock& b, const UOp& u, std::span<const LlvmValue> src) {
  const LlvmValue& x = src[0];
  switch (u.op()) {
    case Op::Ramp:
      return u.lanes() == 1 ? x : ramp(b, u, x);
    case Op::Stack:
      return u.lanes() == 1 ? x : stack(b, u.dtype(), src);
    case Op::Shuffle:
      return shuffle(b, u, x, src[1]);
    case Op::Extract:
      return llvm_lane(b, x, u.arg(0));
    case Op::VReduce:
      return x.lanes == 1 ? x : reduce(b, static_cast<ReduceOp>(u.arg(0)), x);
    default:
      break;
  }
  TG_CHECK(false, "{} moves no lanes", op_name(u.op()));
  return {};
}

}  // namespace tg
