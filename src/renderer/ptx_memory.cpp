// See ptx_ops.h: loads and stores. A gate is the predicate of the access: what it forbids is never
// touched. Accesses to places a known distance apart share one address.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

#include "renderer/ptx_ops.h"
#include "support/check.h"

namespace tg {
namespace {

constexpr int kAccessBytes = 16, kAccessLanes = 4;

bool gated(const PtxAccess& at) { return at.gate.dtype != DType::Void; }
bool lane_gated(const PtxAccess& at) { return gated(at) && at.gate.count() > 1; }

std::string_view space_name(PtxSpace s) {
  return s == PtxSpace::Shared ? "shared" : s == PtxSpace::Local ? "local" : "global";
}

// pointer + index · bytes as a register; shared memory has addresses of 32 bits.
std::string computed(PtxBlock& b, const PtxPointer& p, DType index_type, const std::string& index) {
  const std::string key = p.base + " " + index;
  if (const std::string* kept = b.kept(key)) return *kept;
  const std::string bytes = fmt::format("{}", ptx_bytes(p.dtype));
  const bool narrow = ptx_bytes(index_type) == 4;
  const DType t = p.space == PtxSpace::Shared ? DType::UInt32 : DType::UInt64;
  std::string address = b.fresh("to", t);
  if (p.space != PtxSpace::Shared) {
    b.emit(narrow ? "mad.wide.s32" : "mad.lo.s64", address, {index, bytes, p.base});
  } else {
    const std::string low = narrow ? index : b.temp("cvt.u32.u64", t, {index});
    b.emit("mad.lo.s32", address, {low, bytes, p.base});
  }
  b.keep(key, address);
  return address;
}

// "[%a3+16]" of lane `k` of the index, `elements` behind it.
std::string place(PtxBlock& b, const PtxAccess& at, size_t k, int64_t elements) {
  const PtxPointer& p = at.pointer;
  const std::string& index = at.index.lanes.at(k);
  const int64_t bytes = ptx_bytes(p.dtype);
  if (!at.index.offsets.empty()) elements += at.index.offsets.at(k);
  std::string base = p.base;
  if (ptx_is_literal(index)) {
    elements += at.index.constant ? at.index.constant->i64() : std::stoll(index);
  } else {
    base = computed(b, p, at.index.dtype, index);
  }
  const int64_t offset = elements * bytes;
  if (offset == 0) return fmt::format("[{}]", base);
  if (offset > std::numeric_limits<int32_t>::max() ||
      offset < std::numeric_limits<int32_t>::min()) {
    const std::string far = fmt::format("{}", offset);
    return fmt::format("[{}]", b.temp("add.s64", DType::UInt64, {base, far}));
  }
  return fmt::format("[{}+{}]", base, offset);  // also where it is negative: there is no "-"
}

// "@%m0 " before what the gate of lane `k` allows.
std::string guard(PtxBlock& b, const PtxAccess& at, size_t k) {
  if (!gated(at)) return {};
  return fmt::format("@{} ", b.reg(DType::Bool, at.gate.lanes.at(lane_gated(at) ? k : 0)));
}

// Lanes that one access takes: consecutive ones, whose address is a multiple of their bytes.
int lanes_at_once(const PtxAccess& at) {
  if (at.index.count() > 1 || lane_gated(at)) return 1;
  const int bytes = ptx_bytes(at.pointer.dtype);
  const auto aligned = std::bit_floor(static_cast<uint64_t>(std::max<int64_t>(at.align, bytes)));
  const int most =
      std::min({kAccessLanes, kAccessBytes / bytes, static_cast<int>(aligned) / bytes});
  return std::min(most, at.lanes);
}

std::string list(std::span<const std::string> registers) {
  return registers.size() == 1 ? registers[0] : fmt::format("{{{}}}", fmt::join(registers, ", "));
}
std::string vector_suffix(int lanes) { return lanes == 1 ? "" : fmt::format(".v{}", lanes); }

// What lies in memory, 0 where the gate is false.
std::vector<std::string> raw_load(PtxBlock& b, const PtxAccess& at, DType t) {
  const std::vector<std::string> out =
      b.fresh_lanes(is_bool(at.pointer.dtype) ? "t" : "x", t, at.lanes);
  const std::string_view bits = ptx_bits(ptx_kind(t));
  if (gated(at)) {
    for (const std::string& x : out)
      b.emit(fmt::format("mov.{}", bits), x, {ptx_literal(Scalar::of_int(0, t))});
  }
  const int step = lanes_at_once(at);
  const std::string name =
      fmt::format("ld.{}{}{}.{}", space_name(at.pointer.space), at.pointer.constant ? ".nc" : "",
                  vector_suffix(step), ptx_memory_type(t));
  for (int k = 0; k < at.lanes; k += step) {
    const auto i = static_cast<size_t>(k);
    const bool gathers = at.index.count() > 1;
    const std::string from = place(b, at, gathers ? i : 0, gathers ? 0 : k);
    const auto part = std::span(out).subspan(i, static_cast<size_t>(step));
    b.emit(guard(b, at, i) + name, list(part), {from});
  }
  return out;
}

std::string register_of(const PtxAccess& at, size_t k) {
  TG_CHECK(at.index.constant && at.index.count() == 1, "an array in registers is indexed by {}",
           at.index.lanes[0]);
  return fmt::format("{}{}", at.pointer.base, at.index.constant->i64() + static_cast<int64_t>(k));
}

// Copies, for the array may be written before they are used.
PtxValue load_registers(PtxBlock& b, const PtxAccess& at) {
  const DType t = at.pointer.dtype;
  const std::string move = fmt::format("mov.{}", ptx_bits(ptx_kind(t)));
  PtxValue out{.dtype = t, .lanes = b.fresh_lanes("x", t, at.lanes)};
  for (size_t k = 0; k < out.lanes.size(); ++k) {
    if (gated(at)) b.emit(move, out.lanes[k], {ptx_literal(Scalar::of_int(0, t))});
    b.emit(guard(b, at, k) + move, out.lanes[k], {register_of(at, k)});
  }
  return out;
}

// The part of an access that lane `k` is.
PtxAccess lane_access(const PtxAccess& at, size_t k) {
  PtxAccess one = at;
  one.lanes = 1;
  one.index.lanes = {at.index.lanes.at(k)};
  one.index.constant.reset();
  if (!at.index.offsets.empty()) one.index.offsets = {at.index.offsets.at(k)};
  if (lane_gated(at)) one.gate.lanes = {at.gate.lanes.at(k)};
  return one;
}

PtxValue combined(PtxBlock& b, const PtxValue& old, const PtxValue& v, Combine combine) {
  const Op op = combine == Combine::Add ? Op::Add : combine == Combine::Mul ? Op::Mul : Op::Max;
  const std::array<PtxValue, 2> both = {old, v};
  return ptx_elementwise(b, op, v.dtype, both, false);
}

// As registers of what lies in memory.
std::vector<std::string> to_storage(PtxBlock& b, const PtxValue& v) {
  std::vector<std::string> out;
  for (const std::string& x : v.lanes) {
    out.push_back(is_bool(v.dtype) && !v.constant ? b.temp("selp.b16", DType::UInt8, {"1", "0", x})
                                                  : b.reg(stored_as(v.dtype), x));
  }
  return out;
}

void raw_store(PtxBlock& b, const PtxAccess& at, const PtxValue& value) {
  const std::vector<std::string> v = to_storage(b, value);
  const int step = lanes_at_once(at);
  const std::string name =
      fmt::format("st.{}{}.{}", space_name(at.pointer.space), vector_suffix(step),
                  ptx_memory_type(stored_as(value.dtype)));
  for (int k = 0; k < at.lanes; k += step) {
    const auto i = static_cast<size_t>(k);
    const std::string to = place(b, at, 0, k);
    b.emit(guard(b, at, i) + name, to, {list(std::span(v).subspan(i, static_cast<size_t>(step)))});
  }
}

void store_registers(PtxBlock& b, const PtxAccess& at, const PtxValue& value) {
  const std::string move = fmt::format("mov.{}", ptx_bits(ptx_kind(value.dtype)));
  for (size_t k = 0; k < value.lanes.size(); ++k)
    b.emit(guard(b, at, k) + move, register_of(at, k), {value.lanes[k]});
}

}  // namespace

PtxValue ptx_load(PtxBlock& b, const PtxAccess& at) {
  if (at.pointer.space == PtxSpace::Registers) return load_registers(b, at);
  const DType t = at.pointer.dtype;
  TG_CHECK(at.index.count() == 1 || at.index.count() == at.lanes, "gather of {} lanes by {}",
           at.lanes, at.index.count());
  PtxValue raw{.dtype = stored_as(t), .lanes = raw_load(b, at, stored_as(t))};
  return is_bool(t) ? ptx_elementwise(b, Op::Cast, t, {&raw, 1}, false) : raw;
}

// Scattered lanes in order: two may name one place.
void ptx_store(PtxBlock& b, const PtxAccess& at, const PtxValue& value, Combine combine) {
  TG_CHECK(at.index.count() == 1 || at.index.count() == at.lanes, "scatter of {} lanes to {}",
           at.lanes, at.index.count());
  TG_CHECK(value.count() == at.lanes, "store of {} lanes as {}", value.count(), at.lanes);
  if (at.index.count() > 1) {
    for (size_t k = 0; k < at.index.lanes.size(); ++k) {
      const PtxValue one{
          .dtype = value.dtype, .lanes = {value.lanes[k]}, .constant = value.constant};
      ptx_store(b, lane_access(at, k), one, combine);
    }
    return;
  }
  const PtxValue v = combine == Combine::Set ? value : combined(b, ptx_load(b, at), value, combine);
  if (at.pointer.space == PtxSpace::Registers) return store_registers(b, at, v);
  raw_store(b, at, v);
}

int64_t ptx_async_copy_bytes(const PtxAccess& to, const PtxAccess& from) {
  const int64_t each = ptx_bytes(to.pointer.dtype);
  const int64_t most = std::min({to.align, from.align, each * to.lanes, int64_t{kAccessBytes}});
  return to.pointer.space == PtxSpace::Shared
             ? static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(std::max(most, each))))
             : 0;
}

// Past the first cache where the whole line of it is not wanted.
void ptx_async_copy(PtxBlock& b, const PtxAccess& to, const PtxAccess& from) {
  const int64_t each = ptx_bytes(to.pointer.dtype), bytes = ptx_async_copy_bytes(to, from);
  std::string size;
  if (gated(from)) {
    const std::string whether = b.reg(DType::Bool, from.gate.lanes[0]);
    size = ", " + b.temp("selp.b32", DType::UInt32, {fmt::format("{}", bytes), "0", whether});
  }
  for (int64_t k = 0; k < to.lanes; k += bytes / each) {
    const std::string source = place(b, from, 0, k), target = place(b, to, 0, k);
    b.line(fmt::format("cp.async.{}.shared.global {}, {}, {}{}",
                       bytes == kAccessBytes ? "cg" : "ca", target, source, bytes, size));
  }
}

}  // namespace tg
