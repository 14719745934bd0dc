// See c_memory.h.
#include "renderer/c_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "codegen/linear.h"
#include "renderer/c_helpers.h"
#include "support/check.h"

namespace tg {
namespace {

bool gated(const CAccess& at) { return at.gate.dtype != DType::Void; }
bool lane_gated(const CAccess& at) { return gated(at) && at.gate.lanes > 1; }

std::string element(const CAccess& at) {
  return fmt::format("{}[{}]", at.pointer.text, at.index.text);
}

CPlace vector_place(const CAccess& at) {
  const DType t = stored_as(at.dtype);
  return {.address = c_address(at),
          .space = at.pointer.space,
          .dtype = t,
          .lanes = at.lanes,
          .aligned = at.align >= static_cast<int64_t>(at.lanes) * c_bytes(t)};
}

// Bytes 0 and 1 become a mask.
CValue from_storage(CUnit& u, const CAccess& at, std::string text, Prec prec) {
  CValue raw{
      .text = std::move(text), .prec = prec, .dtype = stored_as(at.dtype), .lanes = at.lanes};
  if (is_bool(at.dtype)) return c_elementwise(u, Op::Cast, DType::Bool, {&raw, 1}, false);
  return raw;
}

CValue to_storage(CUnit& u, const CValue& v) {
  return is_bool(v.dtype) && v.lanes > 1 ? c_elementwise(u, Op::Cast, DType::UInt8, {&v, 1}, false)
                                         : v;
}

Op combining_op(Combine combine) {
  switch (combine) {
    case Combine::Add:
      return Op::Add;
    case Combine::Mul:
      return Op::Mul;
    default:
      return Op::Max;
  }
}

CValue combined(CUnit& u, const CValue& old, const CValue& value, Combine combine) {
  const std::array<CValue, 2> both = {old, value};
  return c_elementwise(u, combining_op(combine), value.dtype, both, false);
}

std::string scatter(CUnit& u, const CAccess& at, const CValue& value, Combine combine) {
  TG_CHECK(value.lanes == at.lanes && at.index.lanes == at.lanes, "scatter of {} lanes to {}",
           value.lanes, at.index.lanes);
  return u.dialect().for_lanes(value.lanes, [&](const std::string& k) {
    const std::string place =
        fmt::format("{}[{}{}]", at.pointer.text, at_least(at.index, Prec::Atom), k);
    const std::string lane = at_least(value, Prec::Atom) + k;
    CValue item{.text = lane, .dtype = value.dtype};
    if (is_bool(value.dtype))
      item = {.text = lane + " != 0", .prec = Prec::Loose, .dtype = value.dtype};
    if (combine != Combine::Set)
      item = combined(u, {.text = place, .dtype = value.dtype}, item, combine);
    std::string guard;
    if (lane_gated(at)) guard = fmt::format("if ({}{}) ", at_least(at.gate, Prec::Atom), k);
    if (gated(at) && !lane_gated(at)) guard = fmt::format("if ({}) ", at.gate.text);
    return fmt::format("{}{} = {};\n", guard, place, item.text);
  });
}

}  // namespace

std::string c_address(const CAccess& at) {
  if (at.index.text == "0") return at.pointer.text;
  return fmt::format("{} + {}", at.pointer.text, at_least(at.index, Prec::Sum));
}

CValue c_load(CUnit& u, const CAccess& at) {
  const DType t = stored_as(at.dtype);
  const bool gathers = at.index.lanes > 1;
  if (at.lanes == 1) {
    if (!gated(at)) return from_storage(u, at, element(at), Prec::Atom);
    return from_storage(
        u, at, fmt::format("{} ? {} : 0", at_least(at.gate, Prec::Atom), element(at)), Prec::Loose);
  }
  CText text;
  if (gathers) {
    TG_CHECK(at.index.lanes == at.lanes, "gather of {} lanes by {}", at.lanes, at.index.lanes);
    const std::string fn =
        helpers::gather(u, at.pointer.space, t, at.index.dtype, at.lanes, lane_gated(at));
    const std::string mask = lane_gated(at) ? ", " + as_mask(u, at.gate, u.bytes(t)) : "";
    text.text = fmt::format("{}({}, {}{})", fn, at.pointer.text, at.index.text, mask);
  } else if (lane_gated(at)) {
    const std::string mask = as_mask(u, at.gate, u.bytes(t));
    text.text = fmt::format("{}({}, {})", u.dialect().load_mask(u, at.pointer.space, t, at.lanes),
                            c_address(at), mask);
  } else {
    text = u.dialect().load(u, vector_place(at));
  }
  if (!gated(at) || lane_gated(at)) return from_storage(u, at, text.text, text.prec);
  const std::string v = u.vector(t, at.lanes);
  return from_storage(u, at,
                      fmt::format("{} ? {} : {}", at_least(at.gate, Prec::Atom),
                                  u.dialect().loaded(v, text.text), u.dialect().list(v, "0")),
                      Prec::Loose);
}

std::string c_store(CUnit& u, const CAccess& at, const CValue& value, Combine combine) {
  if (at.index.lanes > 1) return scatter(u, at, value, combine);
  TG_CHECK(value.lanes == at.lanes, "store of {} lanes as {}", value.lanes, at.lanes);
  CValue v = value;
  if (combine != Combine::Set) {
    CAccess old = at;
    if (!lane_gated(at)) old.gate = {};
    v = combined(u, c_load(u, old), value, combine);
  }
  const std::string guard =
      gated(at) && !lane_gated(at) ? fmt::format("if ({}) ", at.gate.text) : "";
  if (at.lanes == 1) return fmt::format("{}{} = {};\n", guard, element(at), v.text);
  v = to_storage(u, v);
  if (lane_gated(at)) {
    const std::string fn = u.dialect().store_mask(u, at.pointer.space, v.dtype, at.lanes);
    return fmt::format("{}({}, {}, {});\n", fn, c_address(at),
                       as_mask(u, at.gate, u.bytes(v.dtype)), v.text);
  }
  const bool streams = at.streamed && combine == Combine::Set && !gated(at);
  const std::string stream = streams ? u.dialect().stream(u, v.dtype, v.lanes) : "";
  if (!stream.empty()) return fmt::format("{}({}, {});\n", stream, c_address(at), v.text);
  return fmt::format("{}{};\n", guard, u.dialect().store(u, vector_place(at), v.text));
}

std::vector<std::string> c_async_copy(CUnit& u, const CAccess& to, const CAccess& from) {
  const int64_t each = c_bytes(stored_as(to.dtype)), all = each * to.lanes;
  const int64_t bytes = std::min({to.align, from.align, all});
  const std::string fn = u.dialect().async_copy(u, bytes);
  if (fn.empty()) return {c_store(u, to, c_load(u, from), Combine::Set)};
  const std::string there = gated(from) ? from.gate.text : "true";
  std::vector<std::string> out;
  for (int64_t done = 0; done < all; done += bytes) {
    const std::string further = done == 0 ? "" : fmt::format(" + {}", done / each);
    out.push_back(fmt::format("{}({}{}, {}{}, {});\n", fn, c_address(to), further, c_address(from),
                              further, there));
  }
  return out;
}

}  // namespace tg
