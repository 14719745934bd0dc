// See read_orders.h.
#include "schedule/read_orders.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_set>

#include "kernel/affine.h"
#include "tg/ir/walk.h"
#include "uop/shape.h"

namespace tg {
namespace {

// A term of a flat index. Reduced loops are alike if they are as long: two sums over one axis have
// loops of their own.
struct Step {
  int64_t loop;  ///< id of its range; −1 of a reduced one
  int64_t extent, elements;
  friend auto operator<=>(const Step&, const Step&) = default;
};

struct Orders {
  std::set<std::vector<Step>> steps;  ///< of each flat index, but for its constant
  bool known = true;                  ///< all are sums of ranges; others may be near any
  double bytes = 0;                   ///< of the array
};

std::unordered_set<const Node*> stored_loops(const UOp& kernel) {
  std::unordered_set<const Node*> out;
  for (const UOp& root : kernel.srcs()) {
    for (int i = 1; root.is(Op::End) && i < root.n_src(); ++i) out.insert(root.src_node(i));
  }
  return out;
}

void add_order(Orders& orders, const UOp& load, const std::unordered_set<const Node*>& loops) {
  const UOp array = load.src(0);
  std::vector<UOp> idx;
  for (int d = 0; d < array.ndim(); ++d) idx.push_back(load.src(1 + d));
  const Affine flat = flat_index(idx, array.shape());
  std::vector<Step> steps;
  orders.known &= flat.ok;
  for (const Affine::Term& t : flat.terms) {
    const bool plain = t.term.is(Op::Range) && t.term.src(0).is(Op::Const);
    orders.known &= plain;
    if (!plain) continue;
    const int64_t loop = loops.contains(t.term.node()) ? t.term.arg(0) : -1;
    steps.push_back({loop, extent_of(t.term), t.coef});
  }
  std::ranges::sort(steps);
  orders.steps.insert(std::move(steps));
  orders.bytes = static_cast<double>(numel(array.shape()) * dtype_size(array.dtype()));
}

// By buffer.
std::map<int, Orders> orders_of(const ScheduleItem& item) {
  std::map<int, Orders> out;
  const auto loops = stored_loops(item.kernel);
  for (const Node* n : toposort(item.kernel)) {
    if (n->op != Op::Load) continue;
    const int buffer = item.buffers[static_cast<size_t>(n->src()[0]->arg()[0])];
    add_order(out[buffer], UOp::share(n), loops);
  }
  return out;
}

}  // namespace

double bytes_read_apart(const ScheduleItem& x, const ScheduleItem& y, const ScheduleItem& joined) {
  const auto of_x = orders_of(x), of_y = orders_of(y);
  double bytes = 0;
  for (const auto& [buffer, together] : orders_of(joined)) {
    const auto in_x = of_x.find(buffer), in_y = of_y.find(buffer);
    if (in_x == of_x.end() || in_y == of_y.end() || !together.known) continue;
    const size_t apart = in_x->second.steps.size() + in_y->second.steps.size();
    if (together.steps.size() == apart) bytes += together.bytes;
  }
  return bytes;
}

}  // namespace tg
