// See contraction_operands.h.
#include "codegen/contraction_operands.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <unordered_set>

#include "tg/ir/walk.h"

namespace tg {
namespace {

std::vector<bool> parallel_bases(const UOp& value, const KernelSchedule& s) {
  std::vector<bool> out(s.bases.size());
  for (const UOp& r : free_ranges(value)) {
    const int b = s.find_base(r);
    if (b >= 0 && s.bases[static_cast<size_t>(b)].role == Role::Par)
      out[static_cast<size_t>(b)] = true;
  }
  return out;
}

}  // namespace

std::vector<UOp> combined_values(const UOp& term, const KernelSchedule& s) {
  const std::vector<bool> all = parallel_bases(term, s);
  std::vector<UOp> found, work = {term};
  std::unordered_set<const Node*> seen;
  while (!work.empty()) {
    const UOp u = work.back();
    work.pop_back();
    if (!seen.insert(u.node()).second || u.is(Op::Const)) continue;
    const std::vector<bool> own = parallel_bases(u, s);
    if (own != all) {
      if (std::ranges::count(own, true) > 0) found.push_back(u);
    } else if (in_group(u.op(), kElementwise)) {
      for (int i = u.n_src(); i-- > 0;) work.push_back(u.src(i));
    } else {
      return {};
    }
  }
  return found;
}

bool is_sum_of_products(const UOp& reduce, const std::vector<UOp>& factors) {
  const UOp term = reduce.src(0);
  return static_cast<ReduceOp>(reduce.arg(0)) == ReduceOp::Add && term.is(Op::Mul) &&
         std::ranges::is_permutation(std::array{term.src(0), term.src(1)}, factors);
}

int64_t reduced_step(const ContractionFactor& f, const KernelSchedule& s) {
  int64_t step = 0;
  for (size_t b = 0; b < s.bases.size(); ++b) {
    if (s.bases[b].role == Role::Red) step = std::max(step, std::abs(f.load->stride[b]));
  }
  return step;
}

int64_t steps_of_part(int64_t extent, int64_t size, int64_t each) {
  const int64_t most = std::max<int64_t>(2, ceil_div(size, each));
  if (extent % each == 0) return most;
  const int64_t groups = ceil_div(extent, each);
  int64_t steps = most;
  while (groups % steps != 0) --steps;
  return 4 * steps < most ? 0 : steps;
}

int64_t equal_tile(int64_t extent, int64_t most) {
  return ceil_div(extent, ceil_div(extent, most));
}

int64_t even_tile(int64_t extent, int64_t most) {
  for (int64_t t = most; 5 * t >= 3 * most; --t) {
    if (extent % t == 0) return t;
  }
  return equal_tile(extent, most);
}

ReductionCut cut_reduction(const KernelSchedule& s, const ContractionFactor& packed,
                           const std::vector<int>& reduced, int64_t room) {
  constexpr int64_t kLeastShare = 8;  // of the room: results are loaded and stored that often
  const auto extent = [&](int b) { return s.bases[static_cast<size_t>(b)].extent; };
  const auto is_across = [&](int b) { return packed.load->stride[static_cast<size_t>(b)] != 1; };
  ReductionCut cut{.inside = reduced};
  int64_t terms = 1;
  for (const int b : reduced) terms *= extent(b);
  while (!cut.inside.empty() && terms > room) {
    auto farthest = std::ranges::find_if(cut.inside, is_across);
    if (farthest == cut.inside.end()) farthest = cut.inside.begin();
    const int b = *farthest;
    const int64_t others = terms / extent(b);
    if (cut.inside.size() == 1 && terms <= 2 * room) break;  // too short for two parts
    if (cut.inside.size() == 1 || kLeastShare * others <= room) {
      cut.part_of = b;
      cut.part = equal_tile(extent(b), std::max<int64_t>(1, room / others));
      break;
    }
    cut.outside.push_back(b);
    cut.inside.erase(farthest);
    terms = others;
  }
  return cut;
}

bool are_enough(const KernelSchedule& s, const Target& target, int loops) {
  constexpr int64_t kChunksOfThread = 4;
  int64_t chunks = loops > 0 ? 1 : 0;
  for (int i = 0; i < loops; ++i) chunks *= s.axes[static_cast<size_t>(i)].extent;
  return chunks >= kChunksOfThread * target.threads || (chunks > 0 && chunks % target.threads == 0);
}

void share_loops(KernelSchedule& s, const KernelFacts& facts, const Target& target, int most,
                 bool one_more) {
  int64_t chunks = 1;
  int count = 0, peeled = 0;
  const int last = std::min(one_more ? most + 1 : most, loop_count(s));
  for (int i = 0; i < last; ++i) {
    const Axis& a = s.axes[static_cast<size_t>(i)];
    const BaseRange& b = s.bases[static_cast<size_t>(a.base)];
    peeled += b.tail == Tail::Peel && a.stride == b.tile;
    const bool inside_tail = b.tail == Tail::Peel && a.stride < b.tile;
    if (b.role != Role::Par || !facts.shared[static_cast<size_t>(a.base)] || peeled > 1 ||
        inside_tail)
      break;
    if (i >= most && count > 0 && (chunks >= target.threads || target.threads == 1)) break;
    chunks *= a.extent;
    ++count;
  }
  if (count > 0 && chunks > 1) opt_thread(s, count);
}

bool has_lanes_in_order(const ContractionFactor& f, const UOp& range) {
  int found = 0;
  for (int d = 0; d < f.load->access.src(0).ndim(); ++d) {
    const int64_t step = coef_of(Affine::of(f.load->access.src(1 + d)), range);
    if (step != 0 && (step != 1 || ++found > 1)) return false;
  }
  return found == 1;
}

bool has_groups(const ContractionFactor& f, const UOp& range, int64_t each) {
  const UOp load = f.load->access;
  int found = 0;
  for (int d = 0; d < load.src(0).ndim(); ++d) {
    const Affine index = Affine::of(load.src(1 + d));
    if (coef_of(index, range) == 0) continue;
    const bool whole = std::ranges::all_of(index.terms, [&](const Affine::Term& t) {
      return t.term == range ? t.coef == 1 : t.term.is(Op::Range) && t.coef % each == 0;
    });
    if (!whole || ++found > 1) return false;
  }
  return found == 1;
}

}  // namespace tg
