// See c_ahead.h.
#include "renderer/c_ahead.h"

#include <map>
#include <utility>
#include <vector>

#include "kernel/affine.h"

namespace tg {
namespace {

constexpr int64_t kLineBytes = 64;
/// Rows shorter than this are prefetched by hardware, longer ones do not stay in a cache until they
/// are wanted.
constexpr int64_t kLeastBytes = 1 << 10, kMostBytes = 1 << 16;
/// Floating-point ops for each line: with fewer, a loop waits for memory itself.
constexpr int64_t kOpsPerLine = 16;

/// A loop without loops, its parent with a number of its own, and what it loads in whole lines.
struct Inner {
  const Node* range;
  const Node* outer;
  int64_t outer_number;
  std::vector<const Node*> loads;
  int64_t ops = 0;
};

/// Slot of an array and number of the loop over its rows.
using Place = std::pair<int64_t, int64_t>;

const Node* array_of(const Node* load) {
  const Node* p = load->src()[0];
  while (p->op == Op::After) p = p->src()[0];
  return p->op == Op::Param ? p : nullptr;
}

bool loads_line(const UOp& u) {
  return u.is(Op::Load) && u.n_src() == 2 && u.src(1).lanes() == 1 && array_of(u.node()) &&
         u.lanes() * static_cast<int64_t>(dtype_size(u.dtype())) == kLineBytes;
}

std::vector<Inner> inner_loops(const LinearKernel& kernel) {
  std::vector<Inner> found, open;
  for (const UOp& u : kernel.ops) {
    if (u.is(Op::Range)) {
      const Node* outer = open.empty() ? nullptr : open.back().range;
      open.push_back({u.node(), outer, outer == nullptr ? -1 : outer->arg()[0], {}});
      for (size_t i = 0; i + 1 < open.size(); ++i) open[i].outer = nullptr;
    } else if (u.is(Op::End)) {
      if (open.back().outer != nullptr) found.push_back(open.back());
      open.pop_back();
    } else if (!open.empty()) {
      open.back().ops += in_group(u.op(), kElementwise) && is_float(u.dtype());
      if (loads_line(u)) open.back().loads.push_back(u.node());
    }
  }
  return found;
}

// Elements from one row to the next if the loop runs over a whole row, else 0.
int64_t row_of(const Inner& loop, const Node* load) {
  const UOp extent = UOp::share(loop.range->src()[0]);
  if (!extent.is(Op::Const)) return 0;
  const Affine at = Affine::of(UOp::share(load->src()[1]));
  const int64_t row = coef_of(at, UOp::share(loop.outer));
  const int64_t bytes = row * static_cast<int64_t>(dtype_size(load->dtype));
  const bool whole = coef_of(at, UOp::share(loop.range)) * extent.arg(0) == row;
  return whole && bytes >= kLeastBytes && bytes <= kMostBytes ? row : 0;
}

}  // namespace

std::unordered_map<const Node*, int64_t> c_ahead(const LinearKernel& kernel) {
  using Rows = std::unordered_map<const Node*, int64_t>;  // by load
  const std::vector<Inner> loops = inner_loops(kernel);
  std::vector<Rows> rows;
  std::map<Place, size_t> last;   // by array and the loop over rows: the last loop that reads a row
  std::map<Place, size_t> first;  // and the first
  const auto place_of = [&](size_t i, const Node* load) {
    return Place{array_of(load)->arg()[0], loops[i].outer_number};
  };
  for (size_t i = 0; i < loops.size(); ++i) {
    rows.emplace_back();
    for (const Node* load : loops[i].loads) {
      const int64_t row = row_of(loops[i], load);
      if (row == 0) continue;
      rows[i].emplace(load, row);
      last[place_of(i, load)] = i;
      first.emplace(place_of(i, load), i);
    }
  }
  std::unordered_map<const Node*, int64_t> ahead;
  for (size_t i = 0; i < loops.size(); ++i) {
    if (loops[i].ops < kOpsPerLine * std::ssize(loops[i].loads)) continue;
    for (const Node* load : loops[i].loads) {
      const auto row = rows[i].find(load);
      if (row == rows[i].end()) continue;
      const Place at = place_of(i, load);
      if (first.at(at) < i && last.at(at) == i) ahead.emplace(load, row->second);
    }
  }
  return ahead;
}

}  // namespace tg
