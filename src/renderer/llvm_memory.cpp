// See llvm_ops.h: loads and stores. A scalar gate is a branch around the access, a lane mask goes
// to LLVM's masked intrinsics: what a gate forbids is never touched.
#include <algorithm>
#include <array>
#include <bit>
#include <optional>

#include "codegen/linear.h"
#include "renderer/llvm_ops.h"
#include "support/check.h"

namespace tg {
namespace {

bool gated(const LlvmAccess& at) { return at.gate.dtype != DType::Void; }
bool lane_gated(const LlvmAccess& at) { return gated(at) && at.gate.lanes > 1; }

int64_t alignment(const LlvmAccess& at) {
  const int64_t proven = static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(at.align)));
  return std::max<int64_t>(proven, llvm_bytes(stored_as(at.dtype)));
}

// Pointer to the first element, or a pointer a lane.
LlvmOperand address(LlvmBlock& b, const LlvmAccess& at) {
  const LlvmValue index = llvm_cast(b, at.index, DType::Index);
  const std::string type = llvm_type("ptr", index.lanes);
  if (index.constant && index.constant->i64() == 0 && index.lanes == 1) return {type, at.pointer};
  const std::string name = b.fresh("to");
  b.line(fmt::format("{} = getelementptr {}, ptr {}, {}", name, llvm_storage(at.dtype), at.pointer,
                     typed(index)));
  return {type, name};
}

// Where the lanes' common terms point.
std::string common_base(LlvmBlock& b, const LlvmAccess& at) {
  LlvmAccess next = at;
  for (const LlvmLanesKnown::Term& t : at.index.known.terms) {
    next.index = {.text = t.text, .dtype = DType::Index, .lanes = 1, .constant = {}, .known = {}};
    if (t.factor != 1)
      next.index = b.binary("mul", next.index, llvm_int(t.factor, DType::Index, 1));
    next.pointer = address(b, next).text;
  }
  return next.pointer;
}

// The access to one lane. Lanes a known distance apart share `base`, a pointer that the first of
// them computes.
LlvmAccess lane_access(LlvmBlock& b, const LlvmAccess& at, int k, std::string& base) {
  LlvmAccess one = at;
  one.lanes = 1;
  const LlvmLanesKnown& known = at.index.known;
  if (!known) {
    one.index = llvm_lane(b, at.index, k);
    return one;
  }
  if (base.empty()) base = common_base(b, at);
  one.pointer = base;
  one.index = llvm_int(known.steps.at(static_cast<size_t>(k)), DType::Index, 1);
  return one;
}

LlvmValue from_storage(LlvmBlock& b, const LlvmValue& raw, DType t) {
  return is_bool(t) ? llvm_cast(b, raw, DType::Bool) : raw;
}
LlvmValue to_storage(LlvmBlock& b, const LlvmValue& v) {
  return is_bool(v.dtype) ? llvm_cast(b, v, DType::UInt8) : v;
}

LlvmValue plain_load(LlvmBlock& b, const LlvmOperand& place, DType t, int lanes, int64_t align) {
  return b.set("x", t, lanes,
               fmt::format("load {}, ptr {}, align {}", llvm_type(t, lanes), place.text, align));
}

void plain_store(LlvmBlock& b, const LlvmOperand& place, const LlvmValue& v, int64_t align) {
  b.line(fmt::format("store {}, ptr {}, align {}", typed(v), place.text, align));
}

// Runs `body` where the scalar `gate` holds; block names for a phi.
struct Guard {
  std::string before, inside;
};
template <typename Body>
Guard where_set(LlvmBlock& b, const LlvmValue& gate, Body&& body) {
  Guard g{.before = b.label(), .inside = {}};
  const std::string yes = b.fresh_label("gate"), done = b.fresh_label("next");
  b.branch(gate.text, yes, done);
  b.open(yes);
  body();
  g.inside = b.label();
  b.fall_into(done);
  return g;
}

LlvmValue masked_load(LlvmBlock& b, const LlvmAccess& at, DType t) {
  const LlvmValue zero = llvm_int(0, t, at.lanes);
  return b.call(fmt::format("llvm.masked.load.{}.p0", llvm_suffix(t, at.lanes)), t, at.lanes,
                {address(b, at), {"i32", std::to_string(alignment(at))}, at.gate, zero});
}

void masked_store(LlvmBlock& b, const LlvmAccess& at, const LlvmValue& v) {
  b.call_void(fmt::format("llvm.masked.store.{}.p0", llvm_suffix(v.dtype, at.lanes)),
              {v, address(b, at), {"i32", std::to_string(alignment(at))}, at.gate});
}

// Most gates keep a border out, so that most vectors lie inside: where masks cost, as a slow
// instruction or a branch for each lane, that is asked first.
bool asks_for_all(const LlvmBlock& b, int lanes) {
  constexpr int kFewLanes = 2;
  return !b.machine().has_masked_access && lanes > kFewLanes;
}

LlvmValue gated_load(LlvmBlock& b, const LlvmAccess& at, DType t) {
  if (!asks_for_all(b, at.lanes)) return masked_load(b, at, t);
  return llvm_if_all_lanes(
      b, at.gate, [&] { return plain_load(b, address(b, at), t, at.lanes, alignment(at)); },
      [&] { return masked_load(b, at, t); });
}

void gated_store(LlvmBlock& b, const LlvmAccess& at, const LlvmValue& v) {
  if (!asks_for_all(b, at.lanes)) return masked_store(b, at, v);
  llvm_branch_on_all_lanes(
      b, at.gate, [&] { plain_store(b, address(b, at), v, alignment(at)); },
      [&] { masked_store(b, at, v); });
}

// Lanes within a few vectors' width of each other, as behind a stride, backwards or repeated:
// `place` of each in the vectors that hold them, which begin `first` elements behind the common
// terms.
struct Window {
  int64_t first = 0;
  int64_t span = 1;  // elements from the first to the last that is read
  std::vector<int64_t> place;

  int64_t vectors() const {
    const int64_t lanes = std::ssize(place);
    return (span + lanes - 1) / lanes;
  }
};
std::optional<Window> window_of(const LlvmAccess& at) {
  constexpr int64_t kMostVectors = 4;  // a vector and its shuffle cost about four lanes gathered
  const std::vector<int64_t>& steps = at.index.known.steps;
  if (steps.empty()) return {};
  const auto [lo, hi] = std::ranges::minmax(steps);
  Window w{.first = lo, .span = hi - lo + 1, .place = {}};
  for (int64_t s : steps) w.place.push_back(s - lo);
  std::vector<int64_t> sorted = w.place;
  std::ranges::sort(sorted);
  // A gate forbids lanes, the vectors want to know of elements.
  const bool repeats = std::ranges::adjacent_find(sorted) != sorted.end();
  if (w.vectors() > kMostVectors || (repeats && lane_gated(at))) return {};
  return w;
}

LlvmValue lanes_from(LlvmBlock& b, const LlvmValue& x, const LlvmValue& y,
                     std::span<const int64_t> from) {
  return b.make(x.dtype, x.lanes, "shufflevector {}, {}, {}", typed(x), typed(y),
                fmt::format("<{} x i32> {}", from.size(), llvm_lanes("i32", from)));
}

// Vector `v` of the window: no element is touched outside of it, nor one that the gate forbids.
LlvmValue load_of_window(LlvmBlock& b, const LlvmAccess& at, DType t, const Window& w, int64_t v,
                         const std::string& base) {
  const int64_t n = at.lanes, begin = v * n;
  LlvmAccess part = at;
  part.pointer = base;
  part.index = llvm_int(w.first + begin, DType::Index, 1);
  part.align = 1;
  if (lane_gated(at)) {
    std::vector<int64_t> from(static_cast<size_t>(n), n);  // no lane: false
    for (int64_t k = 0; k < n; ++k) {
      const int64_t element = w.place[static_cast<size_t>(k)] - begin;
      if (element >= 0 && element < n) from[static_cast<size_t>(element)] = k;
    }
    part.gate = lanes_from(b, at.gate, llvm_int(0, DType::Bool, at.lanes), from);
    return masked_load(b, part, t);
  }
  if (begin + n <= w.span) return plain_load(b, address(b, part), t, at.lanes, alignment(part));
  std::vector<int64_t> inside(static_cast<size_t>(n));
  for (int64_t k = 0; k < n; ++k) inside[static_cast<size_t>(k)] = begin + k < w.span ? 1 : 0;
  part.gate = {.text = llvm_lanes("i1", inside),
               .dtype = DType::Bool,
               .lanes = at.lanes,
               .constant = {},
               .known = {}};
  return masked_load(b, part, t);
}

LlvmValue window_load(LlvmBlock& b, const LlvmAccess& at, DType t, const Window& w) {
  const int64_t n = at.lanes;
  const std::string base = common_base(b, at);
  LlvmValue out;
  for (int64_t v = 0; v < w.vectors(); ++v) {
    const LlvmValue next = load_of_window(b, at, t, w, v, base);
    std::vector<int64_t> from;
    for (int64_t k = 0; k < n; ++k) {
      const int64_t place = w.place[static_cast<size_t>(k)] - v * n;
      from.push_back(v == 0 ? (place < n ? place : 0) : place < 0 ? k : place < n ? n + place : k);
    }
    out = v == 0 ? lanes_from(b, next, next, from) : lanes_from(b, out, next, from);
  }
  return out;
}

// Gates let all lanes through but at the ends of an array: then nothing is asked of elements.
LlvmValue gated_window_load(LlvmBlock& b, const LlvmAccess& at, DType t, const Window& w) {
  LlvmAccess ungated = at;
  ungated.gate = {};
  return llvm_if_all_lanes(
      b, at.gate, [&] { return window_load(b, ungated, t, w); },
      [&] { return window_load(b, at, t, w); });
}

LlvmValue gather(LlvmBlock& b, const LlvmAccess& at, DType t) {
  TG_CHECK(at.index.lanes == at.lanes, "gather of {} lanes by {}", at.lanes, at.index.lanes);
  if (const auto w = window_of(at))
    return lane_gated(at) ? gated_window_load(b, at, t, *w) : window_load(b, at, t, *w);
  if (lane_gated(at)) {
    const std::string name =
        fmt::format("llvm.masked.gather.{}.v{}p0", llvm_suffix(t, at.lanes), at.lanes);
    return b.call(name, t, at.lanes,
                  {address(b, at),
                   {"i32", std::to_string(llvm_bytes(t))},
                   at.gate,
                   llvm_int(0, t, at.lanes)});
  }
  LlvmValue v{.text = "poison", .dtype = t, .lanes = at.lanes, .constant = {}, .known = {}};
  std::string base;
  for (int k = 0; k < at.lanes; ++k) {
    const LlvmOperand place = address(b, lane_access(b, at, k, base));
    const LlvmValue x = plain_load(b, place, t, 1, llvm_bytes(t));
    v = b.make(t, at.lanes, "insertelement {}, {}, i64 {}", typed(v), typed(x), k);
  }
  return v;
}

// A read into all caches, which never faults.
void prefetch_ahead(LlvmBlock& b, const LlvmOperand& place, const LlvmAccess& at) {
  const std::string name = b.fresh("ahead");
  b.line(fmt::format("{} = getelementptr {}, ptr {}, i64 {}", name, llvm_storage(at.dtype),
                     place.text, at.ahead));
  b.call_void("llvm.prefetch.p0", {{"ptr", name}, {"i32", "0"}, {"i32", "3"}, {"i32", "1"}});
}

LlvmValue ungated_load(LlvmBlock& b, const LlvmAccess& at, DType t) {
  if (at.index.lanes > 1) return gather(b, at, t);
  if (lane_gated(at)) return gated_load(b, at, t);
  const LlvmOperand place = address(b, at);
  if (at.ahead != 0) prefetch_ahead(b, place, at);
  return plain_load(b, place, t, at.lanes, alignment(at));
}

LlvmValue combined(LlvmBlock& b, const LlvmValue& old, const LlvmValue& v, Combine combine) {
  const Op op = combine == Combine::Add ? Op::Add : combine == Combine::Mul ? Op::Mul : Op::Max;
  const std::array<LlvmValue, 2> both = {old, v};
  return llvm_elementwise(b, op, v.dtype, both, false);
}

// Lane by lane, in order: two lanes may name one place.
void scatter(LlvmBlock& b, const LlvmAccess& at, const LlvmValue& value, Combine combine) {
  TG_CHECK(value.lanes == at.lanes && at.index.lanes == at.lanes, "scatter of {} lanes to {}",
           value.lanes, at.index.lanes);
  std::string base;
  for (int k = 0; k < at.lanes; ++k) {
    LlvmAccess one = lane_access(b, at, k, base);
    if (gated(at)) one.gate = llvm_lane(b, at.gate, k);
    llvm_store(b, one, llvm_lane(b, value, k), combine);
  }
}

void ungated_store(LlvmBlock& b, const LlvmAccess& at, const LlvmValue& value, Combine combine) {
  LlvmValue v = value;
  if (combine != Combine::Set)
    v = combined(b, from_storage(b, ungated_load(b, at, stored_as(at.dtype)), at.dtype), value,
                 combine);
  v = to_storage(b, v);
  if (!lane_gated(at)) return plain_store(b, address(b, at), v, alignment(at));
  gated_store(b, at, v);
}

int64_t stream_bytes_of(const LlvmStream& s) { return s.value.lanes * llvm_bytes(s.value.dtype); }

}  // namespace

LlvmValue llvm_load(LlvmBlock& b, const LlvmAccess& at) {
  const DType t = stored_as(at.dtype);
  if (!gated(at) || lane_gated(at)) return from_storage(b, ungated_load(b, at, t), at.dtype);
  LlvmValue inside;
  const Guard g = where_set(b, at.gate, [&] { inside = ungated_load(b, at, t); });
  const std::string zero = at.lanes > 1 ? "zeroinitializer" : llvm_int(0, t, 1).text;
  const LlvmValue raw = b.set("x", t, at.lanes,
                              fmt::format("phi {} [ {}, %{} ], [ {}, %{} ]", llvm_type(t, at.lanes),
                                          inside.text, g.inside, zero, g.before));
  return from_storage(b, raw, at.dtype);
}

std::optional<LlvmStream> llvm_stream(LlvmBlock& b, const LlvmAccess& at, const LlvmValue& value,
                                      Combine combine) {
  const bool streams = at.streamed && combine == Combine::Set && !gated(at) &&
                       at.index.lanes == 1 && value.lanes == at.lanes;
  if (!streams) return std::nullopt;
  return LlvmStream{address(b, at).text, to_storage(b, value), alignment(at)};
}

// Past the caches where all addresses allow it, which is known when the kernel runs: buffers begin
// where their owners say, and rows may have any length. One question for several stores: LLVM moves
// what a branch alone needs into it, so with one for each of them memory would be read in another
// order than the kernel says. The metadata is the kernel's !0.
void llvm_store_streams(LlvmBlock& b, std::span<const LlvmStream> stores) {
  LlvmValue all;
  int64_t most = 1;
  for (const LlvmStream& s : stores) {
    most = std::max(most, stream_bytes_of(s));
    const LlvmValue at = b.make(DType::Int64, 1, "ptrtoint ptr {} to i64", s.place);
    all = all.text.empty() ? at : b.binary("or", all, at);
  }
  const LlvmValue odd = b.binary("and", all, llvm_int(most - 1, DType::Int64, 1));
  const LlvmValue whole = b.compare("icmp eq", odd, llvm_int(0, DType::Int64, 1));
  const std::string stream = b.fresh_label("stream"), keep = b.fresh_label("keep"),
                    next = b.fresh_label("next");
  b.branch(whole.text, stream, keep);
  b.open(stream);
  for (const LlvmStream& s : stores) {
    b.line(fmt::format("store {}, ptr {}, align {}, !nontemporal !0", typed(s.value), s.place,
                       stream_bytes_of(s)));
  }
  b.line(fmt::format("br label %{}", next));
  b.open(keep);
  for (const LlvmStream& s : stores) plain_store(b, {"ptr", s.place}, s.value, s.align);
  b.fall_into(next);
}

void llvm_streams_end(LlvmBlock& b) {
  if (b.machine().triple.starts_with("x86_64")) return b.call_void("llvm.x86.sse.sfence", {});
  b.line("fence release");
}

void llvm_store(LlvmBlock& b, const LlvmAccess& at, const LlvmValue& value, Combine combine) {
  if (at.index.lanes > 1) return scatter(b, at, value, combine);
  TG_CHECK(value.lanes == at.lanes, "store of {} lanes as {}", value.lanes, at.lanes);
  if (!gated(at) || lane_gated(at)) return ungated_store(b, at, value, combine);
  where_set(b, at.gate, [&] { ungated_store(b, at, value, combine); });
}

}  // namespace tg
