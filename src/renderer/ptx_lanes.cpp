// See ptx_ops.h: vectors whose lanes come from elsewhere, which costs no instruction because lanes
// are registers of their own; and the products of matrix units.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "renderer/ptx_ops.h"
#include "support/check.h"
#include "target/matrix_unit.h"

namespace tg {
namespace {

PtxValue ramp(PtxBlock& b, const UOp& u, const PtxValue& base, bool for_addresses) {
  PtxValue out{.dtype = base.dtype};
  for (int k = 0; k < u.lanes(); ++k) {
    const int64_t step = k * u.arg(1);
    if (base.constant) {
      const Scalar sum = Scalar::of_int(base.constant->i64() + step, base.dtype);
      out.lanes.push_back(ptx_literal(sum));
    } else if (for_addresses || step == 0) {
      out.lanes.push_back(base.lanes[0]);
      if (for_addresses) out.offsets.push_back(step);
    } else {
      const PtxValue add = ptx_constant(Scalar::of_int(step, base.dtype), 1);
      const std::array<PtxValue, 2> terms = {base, add};
      out.lanes.push_back(ptx_elementwise(b, Op::Add, base.dtype, terms, false, "at").lanes[0]);
    }
  }
  return out;
}

PtxValue lane_of(const PtxValue& v, size_t k) {
  return {.dtype = v.dtype, .lanes = {v.lanes.at(k)}, .constant = v.constant};
}

// Halves are combined until one lane is left, as the other renderers do: sums of floats depend on
// the order.
PtxValue reduce(PtxBlock& b, ReduceOp op, const PtxValue& v) {
  constexpr std::array<Op, 3> kOps = {Op::Add, Op::Mul, Op::Max};
  PtxValue all = v;
  while (all.count() > 1) {
    const auto half = all.lanes.begin() + all.count() / 2;
    const std::array<PtxValue, 2> halves = {
        PtxValue{.dtype = v.dtype, .lanes = {all.lanes.begin(), half}, .constant = v.constant},
        PtxValue{.dtype = v.dtype, .lanes = {half, all.lanes.end()}, .constant = v.constant}};
    all = ptx_elementwise(b, kOps.at(static_cast<size_t>(op)), v.dtype, halves, false);
  }
  return all;
}

// A fragment as registers of 32 bits, in each of which lie neighbouring elements; rounded first
// where the unit takes fewer bits.
std::string words(PtxBlock& b, const MatrixUnit& unit, const PtxValue& v) {
  std::vector<std::string> out;
  const int each = 4 / ptx_bytes(unit.input);
  for (size_t k = 0; k < v.lanes.size(); k += static_cast<size_t>(each)) {
    const std::string first = b.reg(v.dtype, v.lanes[k]);
    if (each == 1) {
      out.push_back(
          b.temp(unit.rounds_input ? "cvt.rna.tf32.f32" : "mov.b32", DType::UInt32, {first}));
      continue;
    }
    const std::string both = fmt::format("{{{}, {}}}", first, b.reg(v.dtype, v.lanes[k + 1]));
    out.push_back(b.temp("mov.b32", DType::UInt32, {both}));
  }
  return fmt::format("{{{}}}", fmt::join(out, ", "));
}

}  // namespace

PtxValue ptx_constant(const Scalar& s, int lanes) {
  return {.dtype = s.dtype(),
          .lanes = std::vector<std::string>(static_cast<size_t>(lanes), ptx_literal(s)),
          .constant = s};
}

PtxValue ptx_move_lanes(PtxBlock& b, const UOp& u, std::span<const PtxValue> src,
                        bool for_addresses) {
  const PtxValue& x = src[0];
  PtxValue out{.dtype = x.dtype};
  switch (u.op()) {
    case Op::Splat:
      out.lanes.assign(static_cast<size_t>(u.lanes()), x.lanes[0]);
      out.constant = x.constant;
      return out;
    case Op::Ramp:
      return ramp(b, u, x, for_addresses);
    case Op::Stack:
      for (const PtxValue& v : src) out.lanes.push_back(v.lanes[0]);
      return out;
    case Op::Shuffle:
      for (int64_t k : u.arg()) {
        const bool first = k < x.count();
        out.lanes.push_back(
            (first ? x : src[1]).lanes.at(static_cast<size_t>(k - (first ? 0 : x.count()))));
      }
      return out;
    case Op::Extract:
      return lane_of(x, x.count() == 1 ? 0 : static_cast<size_t>(u.arg(0)));
    case Op::VReduce:
      return reduce(b, static_cast<ReduceOp>(u.arg(0)), x);
    default:
      break;
  }
  TG_CHECK(false, "{} moves no lanes", op_name(u.op()));
  return {};
}

PtxValue ptx_multiply(PtxBlock& b, const MatrixUnit& unit, std::span<const PtxValue> src) {
  TG_CHECK(unit.m == 16, "no matrix unit {} in this language", unit.name);
  const std::string left = words(b, unit, src[0]), right = words(b, unit, src[1]);
  std::vector<std::string> sum;
  for (const std::string& c : src[2].lanes) sum.push_back(b.reg(unit.sum, c));
  const std::string_view type = unit.input == DType::Float16    ? "f16"
                                : unit.input == DType::BFloat16 ? "bf16"
                                                                : "tf32";
  PtxValue out{.dtype = unit.sum, .lanes = b.fresh_lanes("v", unit.sum, src[2].count())};
  b.emit(fmt::format("mma.sync.aligned.m{}n{}k{}.row.col.f32.{}.{}.f32", unit.m, unit.n, unit.k,
                     type, type),
         fmt::format("{{{}}}", fmt::join(out.lanes, ", ")),
         {left, right, fmt::format("{{{}}}", fmt::join(sum, ", "))});
  return out;
}

}  // namespace tg
