// See c_lanes.h.
#include "renderer/c_lanes.h"

#include <fmt/format.h>

#include "renderer/c_helpers.h"
#include "support/check.h"

namespace tg {
namespace {

CValue vector_of(CUnit& unit, const std::vector<std::string>& items, DType t, int mask) {
  const int lanes = static_cast<int>(items.size());
  std::string list;
  for (const std::string& s : items) list += (list.empty() ? "" : ", ") + s;
  const std::string type = unit.vector(is_bool(t) ? c_mask_dtype(mask) : t, lanes);
  return {.text = unit.dialect().list(type, list),
          .prec = Prec::Unary,
          .dtype = t,
          .lanes = lanes,
          .mask = is_bool(t) ? mask : 0};
}

// Lane `k`; of bools as 0 or −1.
std::string lane(const CUnit& unit, const CValue& v, int64_t k) {
  if (v.lanes > 1) return at_least(v, Prec::Atom) + unit.dialect().lane(k);
  if (!is_bool(v.dtype)) return v.text;
  return fmt::format("-({}){}", unit.scalar(DType::Int32), at_least(v, Prec::Unary));
}

CValue scalar(const std::string& text, DType t) {
  if (is_bool(t)) return {.text = text + " != 0", .prec = Prec::Loose, .dtype = t};
  return {.text = text, .dtype = t};
}

CValue ramp(CUnit& unit, const UOp& u, const CValue& base) {
  const int lanes = u.lanes();
  const std::string v = unit.vector(u.dtype(), lanes);
  std::string steps;
  for (int k = 0; k < lanes; ++k) steps += fmt::format("{}{}", k == 0 ? "" : ", ", k * u.arg(1));
  CValue out{.text = unit.dialect().list(v, steps),
             .prec = Prec::Unary,
             .dtype = u.dtype(),
             .lanes = lanes};
  if (base.text == "0") return out;
  const std::string left =
      base.is_literal ? fmt::format("({}){}", unit.scalar(u.dtype()), at_least(base, Prec::Unary))
                      : at_least(base, Prec::Sum);
  out.text = fmt::format("{} + {}", left, out.text);
  out.prec = Prec::Sum;
  return out;
}

CValue stack(CUnit& unit, const UOp& u, std::span<const CValue> src) {
  std::vector<std::string> items;
  for (const CValue& v : src) items.push_back(lane(unit, v, 0));
  return vector_of(unit, items, u.dtype(), 4);
}

CValue shuffle(CUnit& unit, const UOp& u, const CValue& a, const CValue& b) {
  const int mask = is_bool(u.dtype()) ? (a.lanes > 1 ? a.mask : 4) : 0;
  if (a.lanes != b.lanes || a.lanes == 1 || u.lanes() == 1) {
    std::vector<std::string> items;
    for (int64_t k : u.arg())
      items.push_back(k < a.lanes ? lane(unit, a, k) : lane(unit, b, k - a.lanes));
    if (u.lanes() > 1) return vector_of(unit, items, u.dtype(), mask);
    return scalar(items[0], u.dtype());
  }
  const std::string right =
      mask != 0 && b.mask != mask ? as_mask(unit, b, mask) : at_least(b, Prec::Atom);
  const std::string type = unit.vector(mask != 0 ? c_mask_dtype(mask) : u.dtype(), u.lanes());
  const CText moved =
      unit.dialect().shuffle(type, a.lanes, at_least(a, Prec::Atom), right, u.arg());
  return {
      .text = moved.text, .prec = moved.prec, .dtype = u.dtype(), .lanes = u.lanes(), .mask = mask};
}

CValue vreduce(CUnit& unit, const UOp& u, const CValue& v) {
  const bool mask = is_bool(u.dtype());
  const DType t = mask ? c_mask_dtype(v.mask) : u.dtype();
  const std::string fn = helpers::vreduce(unit, static_cast<ReduceOp>(u.arg(0)), t, v.lanes, mask);
  return scalar(fmt::format("{}({})", fn, v.text), u.dtype());
}

}  // namespace

CValue c_lanes(CUnit& unit, const UOp& u, std::span<const CValue> src) {
  const CValue& a = src[0];
  switch (u.op()) {
    case Op::Ramp:
      return u.lanes() == 1 ? a : ramp(unit, u, a);
    case Op::Stack:
      return u.lanes() == 1 ? a : stack(unit, u, src);
    case Op::Shuffle:
      return shuffle(unit, u, a, src[1]);
    case Op::Extract:
      return a.lanes == 1 ? a : scalar(lane(unit, a, u.arg(0)), u.dtype());
    case Op::VReduce:
      return a.lanes == 1 ? a : vreduce(unit, u, a);
    default:
      break;
  }
  TG_CHECK(false, "{} moves no lanes", op_name(u.op()));
  return {};
}

}  // namespace tg
