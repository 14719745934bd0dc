// See param_uses.h.
#include "codegen/param_uses.h"

#include <algorithm>

#include "kernel/affine.h"
#include "tg/ir/walk.h"
#include "uop/shape.h"

namespace tg {
namespace {

constexpr int64_t kMostLastLevel = int64_t{64} << 20;
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

bool writes_whole_line(const UOp& store) {
  const UOp value = store.src(2);
  return store.arg(0) == static_cast<int64_t>(Combine::Set) && store.src(1).lanes() == 1 &&
         value.lanes() * static_cast<int64_t>(dtype_size(value.dtype())) == kStreamedBytes;
}

// How many lines that are no neighbours a step of the schedule's loops writes.
int64_t lines_apart(const UOp& store, const KernelSchedule& s) {
  const UOp array = store.src(0);
  std::vector<UOp> place;
  for (int d = 0; d < array.ndim(); ++d) place.push_back(store.src(1 + d));
  const Affine flat = flat_index(place, array.shape());
  std::vector<std::pair<int64_t, int64_t>> steps;  // between points that are no loop, how many
  for (const Axis& a : s.axes) {
    if (a.kind != Kind::Unroll && a.kind != Kind::Vector) continue;
    const int64_t coef = coef_of(flat, s.bases[static_cast<size_t>(a.base)].range);
    if (coef != 0) steps.emplace_back(std::abs(coef) * a.stride, a.extent);
  }
  std::ranges::sort(steps);
  int64_t points = 1, in_row = 1;
  for (const auto& [step, extent] : steps) {
    points *= extent;
    if (step == in_row) in_row *= extent;
  }
  const bool is_short = in_row * dtype_size(array.dtype()) <= 2 * kStreamedBytes;
  return is_short ? points / in_row : 1;
}

// By slot.
std::vector<int64_t> lines_by_param(const UOp& kernel, const KernelSchedule& s) {
  std::vector<int64_t> lines;
  for (const Node* n : toposort(kernel)) {
    if (n->op != Op::Store || n->src()[0]->op != Op::Param) continue;
    const auto slot = static_cast<size_t>(n->src()[0]->arg()[0]);
    if (lines.size() <= slot) lines.resize(slot + 1, 1);
    lines[slot] = std::max(lines[slot], lines_apart(UOp::share(n), s));
  }
  return lines;
}

}  // namespace

int64_t most_cached_bytes(const Target& target) {
  return (std::min(target.l3_bytes, kMostLastLevel) - 1) / 2;
}

std::vector<ParamUse> param_uses(const std::vector<UOp>& ops, const UOp& kernel,
                                 const KernelSchedule& schedule, const Target& target) {
  std::vector<ParamUse> uses;
  const std::vector<int64_t> lines = lines_by_param(kernel, schedule);
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
    if (!u.is(Op::Store) || !writes_whole_line(u)) continue;
    const bool apart = slot < lines.size() && lines[slot] >= kManyLines;
    use.streamed |= bytes_of(p) > (apart ? std::min(4 * target.l2_bytes, cached) : cached);
  }
  for (ParamUse& use : uses) use.streamed = use.streamed && !use.read;
  return uses;
}

}  // namespace tg
