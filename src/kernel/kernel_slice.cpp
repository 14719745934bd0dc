// See kernel_slice.h.
#include "kernel/kernel_slice.h"

#include <algorithm>
#include <unordered_map>

#include "kernel/range_digits.h"
#include "rules/index.h"
#include "tg/ir/walk.h"

namespace tg {
namespace {

bool is_access(const Node* n) { return n->op == Op::Load || n->op == Op::Store; }

bool is_array(const Node* n, int slot) { return n->op == Op::Param && n->arg()[0] == slot; }

// Whether the loop encloses all that is stored, and all that uses it is what it encloses: no sum
// over it, no order of its rounds.
bool is_parallel(std::span<const Node* const> order, const Node* loop) {
  return std::ranges::all_of(order, [loop](const Node* n) {
    const auto src = n->src();
    const auto used = std::ranges::find(src, loop);
    if (n->op == Op::End) return used != src.end() && used != src.begin();
    return used == src.end() || in_group(n->op, kElementwise) || is_access(n);
  });
}

}  // namespace

std::optional<std::vector<const Node*>> leading_loops(const UOp& kernel, int slot, size_t dims) {
  const std::vector<const Node*> order = toposort(kernel);
  std::optional<std::vector<const Node*>> found;
  for (const Node* n : order) {
    const auto src = n->src();
    const auto used = std::ranges::find_if(src, [&](const Node* s) { return is_array(s, slot); });
    if (used == src.end()) continue;
    const Node* array = *used;
    if (!is_access(n) || used != src.begin() || array->n_dim < dims) return {};
    std::vector<const Node*> loops;
    for (size_t d = 0; d < dims; ++d) {
      const Node* index = n->src()[1 + d];
      const bool is_loop = index->op == Op::Range && index->src()[0]->op == Op::Const &&
                           index->src()[0]->arg()[0] == array->shape()[d];
      if (!is_loop && array->shape()[d] != 1) return {};
      loops.push_back(is_loop ? index : nullptr);
    }
    if (found && *found != loops) return {};
    found = std::move(loops);
  }
  const auto fits = [&](const Node* loop) { return loop == nullptr || is_parallel(order, loop); };
  return found && std::ranges::all_of(*found, fits) ? found : std::nullopt;
}

UOp kernel_slice(const UOp& kernel, std::span<const LoopPart> parts, std::span<const int> own) {
  int64_t next_range = next_range_of(kernel);
  std::unordered_map<const Node*, Digits> digits;
  std::vector<UOp> places;  // in the parts, by dimension
  for (const LoopPart& p : parts) {
    const bool turns = p.loop != nullptr && p.length > 1;
    places.push_back(turns ? range(p.length, next_range++) : index_const(0));
    if (p.loop == nullptr) continue;
    digits.emplace(p.loop, Digits{places.back() + p.begin,
                                  turns ? std::vector<UOp>{places.back()} : std::vector<UOp>{}});
  }
  const auto within = [&](const Node*, const UOp& access) {
    if (!is_access(access.node()) || !access.src(0).is(Op::Param)) return access;
    const UOp& array = access.src(0);
    if (std::ranges::find(own, static_cast<int>(array.arg(0))) == own.end()) return access;
    Shape shape = array.shape_vec();
    for (size_t d = 0; d < parts.size(); ++d) shape[d] = parts[d].length;
    std::vector<UOp> src = access.srcs();
    src[0] = param(static_cast<int>(array.arg(0)), shape, array.dtype());
    std::ranges::copy(places, src.begin() + 1);
    return with_sources(access, src);
  };
  const UOp slice = with_digits(kernel, digits, within), simple = IndexSimplifier()(slice);
  // An array of which this slice reads nothing stays one of its arrays.
  const bool keeps = count_nodes(simple, Op::Param) == count_nodes(slice, Op::Param);
  return keeps ? simple : slice;
}

}  // namespace tg
