// For an array [.., m, n, ..] and each of its accesses, j = i₀·n + i₁ in place of (i₀, i₁), for as
// long as one pair after the other gains. See join_dimensions.h.
#include "kernel/join_dimensions.h"

#include <algorithm>
#include <unordered_map>

#include "rules/index.h"
#include "tg/ir/walk.h"

namespace tg {
namespace {

struct ArrayUses {
  std::vector<Dim> shape;
  std::vector<const Node*> accesses;
  std::vector<std::vector<UOp>> indices;  // of each access
  bool is_used_otherwise = false;
};

size_t count_divisions(std::span<const UOp> indices) {
  const std::vector<const Node*> nodes = toposort(indices);
  return static_cast<size_t>(std::ranges::count_if(
      nodes, [](const Node* n) { return n->op == Op::IDiv || n->op == Op::Mod; }));
}

class DimensionJoiner {
 public:
  // Loads within indices have to be those of the kernel when indices are simplified.
  explicit DimensionJoiner(const UOp& kernel)
      : kernel_(kernel), simple_(simplify_(kernel)), order_(toposort(simple_)) {}

  UOp run() {
    collect();
    for (ArrayUses& uses : uses_) {
      for (size_t d = 0; d + 1 < uses.shape.size() && !uses.is_used_otherwise;) {
        if (!join(uses, d)) {
          ++d;
          continue;
        }
        joins_ = true;
        if (d > 0) --d;
      }
    }
    return joins_ ? rebuilt() : kernel_;
  }

 private:
  void collect() {
    for (const Node* n : order_) {
      const bool is_access = n->op == Op::Load || n->op == Op::Store;
      for (size_t s = 0; s < n->n_src; ++s) {
        const Node* array = n->src()[s];
        if (array->op != Op::Param) continue;
        ArrayUses& uses = uses_of(array);
        if (!is_access || s > 0) {
          uses.is_used_otherwise = true;
          continue;
        }
        uses.accesses.push_back(n);
        std::vector<UOp>& indices = uses.indices.emplace_back();
        for (size_t d = 0; d < array->n_dim; ++d) indices.push_back(UOp::share(n->src()[1 + d]));
      }
    }
  }

  ArrayUses& uses_of(const Node* array) {
    const auto [at, is_new] = place_.try_emplace(array, uses_.size());
    if (is_new) uses_.push_back({.shape = UOp::share(array).shape_vec()});
    return uses_[at->second];
  }

  // True if dimensions d and d + 1 became one.
  bool join(ArrayUses& uses, size_t d) {
    std::vector<UOp> joined;
    for (const std::vector<UOp>& indices : uses.indices) {
      const UOp both = simplify_(indices[d] * uses.shape[d + 1] + indices[d + 1]);
      const std::span<const UOp> pair(&indices[d], 2);
      if (count_divisions({&both, 1}) >= count_divisions(pair)) return false;
      joined.push_back(both);
    }
    for (size_t a = 0; a < joined.size(); ++a) {
      std::vector<UOp>& indices = uses.indices[a];
      indices[d] = joined[a];
      indices.erase(indices.begin() + static_cast<ptrdiff_t>(d) + 1);
    }
    uses.shape[d] *= uses.shape[d + 1];
    uses.shape.erase(uses.shape.begin() + static_cast<ptrdiff_t>(d) + 1);
    return true;
  }

  UOp rebuilt() const {
    std::unordered_map<const Node*, const std::vector<UOp>*> indices_of;
    for (const ArrayUses& uses : uses_) {
      for (size_t a = 0; a < uses.accesses.size(); ++a)
        indices_of.emplace(uses.accesses[a], &uses.indices[a]);
    }
    std::unordered_map<const Node*, UOp> done;
    std::vector<UOp> src;
    for (const Node* n : order_) {
      if (const auto use = place_.find(n); use != place_.end()) {
        done.emplace(n, param(static_cast<int>(n->arg()[0]), uses_[use->second].shape, n->dtype));
        continue;
      }
      src.clear();
      size_t kept = 0;  // sources that stay as they are, from this one on
      if (const auto access = indices_of.find(n); access != indices_of.end()) {
        src.push_back(done.at(n->src()[0]));
        for (const UOp& i : *access->second) src.push_back(substitute(i, done));
        kept = 1 + n->src()[0]->n_dim;
      }
      for (size_t s = kept; s < n->n_src; ++s) src.push_back(done.at(n->src()[s]));
      done.emplace(n, with_sources(UOp::share(n), src));
    }
    return done.at(simple_.node());
  }

  const UOp& kernel_;
  IndexSimplifier simplify_;
  const UOp simple_;
  const std::vector<const Node*> order_;
  std::unordered_map<const Node*, size_t> place_;  // of an array in uses_
  std::vector<ArrayUses> uses_;
  bool joins_ = false;
};

}  // namespace

UOp join_dimensions(const UOp& kernel) {
  const bool divides = count_nodes(kernel, Op::IDiv) + count_nodes(kernel, Op::Mod) > 0;
  if (!divides) return kernel;
  const UOp joined = DimensionJoiner(kernel).run();
  // Who launches the kernel counts on its arrays, also on those that no element is read of.
  const bool keeps = count_nodes(joined, Op::Param) == count_nodes(kernel, Op::Param);
  return keeps ? joined : kernel;
}

}  // namespace tg
