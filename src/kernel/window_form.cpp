// a[i + c] of the array at address p is a[i] of the array at p + c·(bytes of an element), and row
// by row the same with dimensions. See window_form.h.
#include "kernel/window_form.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "rules/affine.h"
#include "rules/bounds.h"
#include "tg/ir/walk.h"
#include "uop/shape.h"

namespace tg {
namespace {

bool is_access(const Node* n) { return n->op == Op::Load || n->op == Op::Store; }

const Node* array_of(const Node* access) {
  const Node* array = access->src()[0];
  while (array->op == Op::After) array = array->src()[0];
  return array;
}

class Former {
 public:
  explicit Former(const UOp& kernel) : order_(toposort(kernel)) {}

  bool find() {
    for (const Node* n : order_) {
      if (is_access(n) && array_of(n)->op == Op::Param) widen(n);
    }
    for (const Node* n : order_) {
      if (n->op == Op::Param && reach_.contains(n)) set_begin(n);
    }
    return !begin_.empty();
  }

  WindowForm form() const {
    WindowForm out;
    for (const Node* n : order_) {
      if (n->op != Op::Param) continue;
      const auto slot = static_cast<size_t>(n->arg()[0]);
      if (out.offsets.size() <= slot) out.offsets.resize(slot + 1);
      if (begin_.contains(n)) out.offsets[slot] = offset_of(n);
    }
    out.kernel = rebuild();
    return out;
  }

 private:
  void widen(const Node* access) {
    const Node* array = array_of(access);
    std::vector<Interval>& reach = reach_[array];
    for (size_t d = 0; d < array->n_dim; ++d) {
      const Interval i = bounds_(access->src()[1 + d]);
      if (reach.size() == d) reach.push_back(i);
      reach[d] = {std::min(reach[d].lo, i.lo), std::max(reach[d].hi, i.hi)};
    }
  }

  // By dimension: how many of its elements are a multiple of the alignment.
  static std::vector<int64_t> aligned_steps(const Node* array) {
    std::vector<int64_t> out;
    for (const Dim stride : strides_of(array->shape())) {
      const int64_t bytes = stride * dtype_size(array->dtype);
      out.push_back(kWindowAlignment / std::gcd(kWindowAlignment, bytes));
    }
    return out;
  }

  void set_begin(const Node* array) {
    const std::vector<int64_t> steps = aligned_steps(array);
    std::vector<int64_t> begin;
    for (size_t d = 0; d < array->n_dim; ++d) {
      const int64_t last = std::max<int64_t>(array->shape()[d], 1) - 1;
      begin.push_back(std::clamp<int64_t>(reach_.at(array)[d].lo, 0, last) / steps[d] * steps[d]);
    }
    const bool ends_early =
        array->n_dim > 0 && reach_.at(array)[0].hi < std::max<int64_t>(array->shape()[0], 1) - 1;
    if (ends_early || std::ranges::any_of(begin, [](int64_t b) { return b > 0; }))
      begin_.emplace(array, begin);
  }

  int64_t offset_of(const Node* array) const {
    const std::vector<int64_t>& begin = begin_.at(array);
    const std::vector<Dim> strides = strides_of(array->shape());
    return std::inner_product(begin.begin(), begin.end(), strides.begin(), int64_t{0}) *
           dtype_size(array->dtype);
  }

  // The first dimension ends behind its window. The others keep their extents, for these are the
  // steps of the ones before.
  UOp window(const Node* array) const {
    Shape extents(array->shape().begin(), array->shape().end());
    const int64_t first = begin_.at(array)[0];
    const int64_t last = std::min<int64_t>(extents[0] - 1, reach_.at(array)[0].hi);
    extents[0] = std::max(last, first) - first + 1;
    return param(static_cast<int>(array->arg()[0]), extents, array->dtype);
  }

  UOp rebuild() const {
    std::unordered_map<const Node*, UOp> done;
    std::vector<UOp> src;
    for (const Node* n : order_) {
      if (n->op == Op::Param && begin_.contains(n)) {
        done.emplace(n, window(n));
        continue;
      }
      src.clear();
      for (const Node* s : n->src()) src.push_back(done.at(s));
      if (is_access(n) && begin_.contains(array_of(n))) shift(src, begin_.at(array_of(n)));
      done.emplace(n, with_sources(UOp::share(n), src));
    }
    return done.at(order_.back());
  }

  // The indices of an access, which stand behind its array.
  static void shift(std::vector<UOp>& src, std::span<const int64_t> begin) {
    for (size_t d = 0; d < begin.size(); ++d) {
      if (begin[d] == 0) continue;
      Affine index = Affine::of(src[1 + d]);
      index.add_constant(-begin[d]);
      src[1 + d] = index.ok ? index.to_uop() : src[1 + d] - begin[d];
    }
  }

  std::vector<const Node*> order_;
  Bounds bounds_;
  // By array, by dimension: what accesses can touch, and where the window begins.
  std::unordered_map<const Node*, std::vector<Interval>> reach_;
  std::unordered_map<const Node*, std::vector<int64_t>> begin_;
};

}  // namespace

std::optional<WindowForm> window_form(const UOp& kernel) {
  Former former(kernel);
  if (!former.find()) return std::nullopt;
  return former.form();
}

}  // namespace tg
