// See param_uses.h.
#include "codegen/param_uses.h"

#include <algorithm>
#include <numeric>

#include "kernel/affine.h"
#include "tg/ir/walk.h"
#include "uop/shape.h"

namespace tg {
namespace {

constexpr int64_t kMostLastLevel = int64_t{64} << 20;
constexpr int64_t kLineBytes = 64;
/// Lines that are written together and apart, more than hardware follows.
constexpr int64_t kManyLines = 8;

const Node* array_of(const UOp& access) {
  const Node* p = access.src_node(access.is(Op::AsyncCopy) ? 2 : 0);
  while (p->op == Op::After) p = p->src()[0];
  return p;
}

int64_t bytes_of(const Node* array) {
  return numel(array->shape()) * static_cast<int64_t>(dtype_size(array->dtype));
}

// What a step of the schedule's loops writes: so many points, of which so many stand in a row.
struct Written {
  int64_t points = 1, in_row = 1;
  int64_t lanes = 1;         ///< of the vectors that hold them
  bool is_followed = false;  ///< the next step of the innermost loop writes the next row of points
  int64_t starts = 0;        ///< all vectors begin at multiples of so many elements
};

// The greatest number of elements that all vectors of a store begin at a multiple of, where the
// array does. A tail that shifts begins where its last tile ends.
int64_t common_start(const Affine& flat, const KernelSchedule& s) {
  if (!flat.ok) return 1;
  int64_t starts = flat.constant;
  for (const Affine::Term& term : flat.terms) {
    const int b = s.find_base(term.term);
    if (b < 0) return std::gcd(starts, term.coef);
    const BaseRange& base = s.bases[static_cast<size_t>(b)];
    if (base.tail == Tail::Shift) starts = std::gcd(starts, term.coef * (base.extent - base.tile));
    for (const Axis& a : s.axes)
      if (a.base == b && a.kind != Kind::Vector && a.extent > 1)
        starts = std::gcd(starts, term.coef * a.stride);
  }
  return starts;
}

Written written_by_step(const UOp& store, const KernelSchedule& s) {
  const UOp array = store.src(0);
  std::vector<UOp> place;
  for (int d = 0; d < array.ndim(); ++d) place.push_back(store.src(1 + d));
  const Affine flat = flat_index(place, array.shape());
  std::vector<std::pair<int64_t, int64_t>> steps;  // between points that are no loop, how many
  int64_t loop_step = 0;
  Written w;
  for (const Axis& a : s.axes) {
    const int64_t step = coef_of(flat, s.bases[static_cast<size_t>(a.base)].range) * a.stride;
    const bool is_loop = a.kind == Kind::Serial || a.kind == Kind::Thread;
    if (is_loop && a.extent > 1) loop_step = step;
    if (a.kind != Kind::Unroll && a.kind != Kind::Vector) continue;
    if (step == 0) continue;
    steps.emplace_back(std::abs(step), a.extent);
    if (a.kind == Kind::Vector) w.lanes *= a.extent;
  }
  std::ranges::sort(steps);
  for (const auto& [step, extent] : steps) {
    w.points *= extent;
    if (step == w.in_row) w.in_row *= extent;
  }
  w.is_followed = loop_step == w.in_row;
  w.starts = common_start(flat, s);
  return w;
}

// By slot: what is written apart by one of the stores is.
std::vector<Written> written_params(const UOp& kernel, const KernelSchedule& s) {
  std::vector<Written> written;
  for (const Node* n : toposort(kernel)) {
    if (n->op != Op::Store || n->src()[0]->op != Op::Param) continue;
    const auto slot = static_cast<size_t>(n->src()[0]->arg()[0]);
    if (written.size() <= slot) written.resize(slot + 1);
    const Written w = written_by_step(UOp::share(n), s);
    Written& all = written[slot];
    const bool is_first = all.points == 1 && all.in_row == 1;
    const int64_t starts = std::gcd(all.starts, w.starts);
    if (is_first || w.points / w.in_row > all.points / all.in_row) all = w;
    all.starts = starts;
  }
  return written;
}

// Lines that are no neighbours.
int64_t lines_apart(const Written& w, int64_t element_bytes) {
  const bool is_short = w.in_row * element_bytes <= 2 * kLineBytes;
  return is_short ? w.points / w.in_row : 1;
}

// Bytes of a store whose line is written from end to end: by it alone, or by it and those that
// follow at once. Else 0, as where some rows begin within a line: a line of which a part is stored
// past the caches and a part into them goes to memory several times.
int64_t stream_bytes(const UOp& store, const Written& w) {
  const UOp value = store.src(2);
  const int64_t element = dtype_size(stored_as(value.dtype())), bytes = value.lanes() * element;
  const bool is_plain =
      store.arg(0) == static_cast<int64_t>(Combine::Set) && store.src(1).lanes() == 1;
  if (!is_plain || w.starts % w.lanes != 0 || w.starts * element % bytes != 0) return 0;
  if (bytes == kLineBytes) return bytes;
  const bool is_part = bytes == kLineBytes / 2 || bytes == kLineBytes / 4;
  const bool in_sequence = w.points == w.in_row;
  const bool is_completed = w.is_followed || w.in_row * element % kLineBytes == 0;
  return is_part && in_sequence && is_completed ? bytes : 0;
}

}  // namespace

int64_t most_cached_bytes(const Target& target) {
  return (std::min(target.l3_bytes, kMostLastLevel) - 1) / 2;
}

std::vector<ParamUse> param_uses(const std::vector<UOp>& ops, const UOp& kernel,
                                 const KernelSchedule& schedule, const Target& target) {
  std::vector<ParamUse> uses;
  std::vector<Written> written = written_params(kernel, schedule);
  const int64_t cached = most_cached_bytes(target);
  for (const UOp& u : ops) {
    if (!u.is(Op::Load) && !u.is(Op::LoadRows) && !u.is(Op::Store) && !u.is(Op::AsyncCopy))
      continue;
    const Node* p = array_of(u);
    if (p->op != Op::Param) continue;
    const size_t slot = static_cast<size_t>(p->arg()[0]);
    if (uses.size() <= slot) uses.resize(slot + 1);
    ParamUse& use = uses[slot];
    (u.is(Op::Store) ? use.written : use.read) = true;
    if (!u.is(Op::Store)) continue;
    if (written.size() <= slot) written.resize(slot + 1);
    const bool apart = lines_apart(written[slot], dtype_size(p->dtype)) >= kManyLines;
    if (bytes_of(p) > (apart ? std::min(4 * target.l2_bytes, cached) : cached))
      use.stream_bytes = std::max(use.stream_bytes, stream_bytes(u, written[slot]));
  }
  for (ParamUse& use : uses)
    if (use.read) use.stream_bytes = 0;
  return uses;
}

}  // namespace tg
