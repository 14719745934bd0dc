// Axes a, b with b inside join to m = a·|b| + b where each access has stride(a) = stride(b)·|b|,
// and neither is used for anything but addresses. See merge_axes.h.
#include "kernel/merge_axes.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "kernel/affine.h"
#include "kernel/asked_loops.h"
#include "rules/index.h"
#include "tg/ir/walk.h"
#include "uop/shape.h"

namespace tg {
namespace {

class Merger {
 public:
  explicit Merger(const UOp& kernel) : kernel_(kernel), order_(toposort(kernel)) {}

  UOp run() {
    inspect();
    for (const Node* n : order_) {
      if (n->op == Op::End || n->op == Op::Reduce) join_neighbours(n);
    }
    return merged_.empty() ? kernel_ : rebuild();
  }

 private:
  static bool is_access(const Node* n) { return n->op == Op::Load || n->op == Op::Store; }

  void pin(const UOp& u) {
    for (const UOp& r : free_ranges(u)) pinned_.insert(r.node());
  }

  // Flat indices of all accesses; ranges used otherwise are pinned. Index arithmetic itself is not
  // visited.
  void inspect() {
    std::vector<const Node*> work{kernel_.node()};
    std::unordered_set<const Node*> seen;
    while (!work.empty()) {
      const Node* n = work.back();
      work.pop_back();
      if (!seen.insert(n).second) continue;
      if (is_access(n)) {
        inspect_access(n, work);
        continue;
      }
      const bool closes = n->op == Op::End || n->op == Op::Reduce;
      for (size_t i = 0; i < n->n_src; ++i) {
        const Node* s = n->src()[i];
        if (s->op == Op::Range) {
          if (!closes || i == 0) pinned_.insert(s);
        } else {
          work.push_back(s);
        }
      }
    }
  }

  void inspect_access(const Node* n, std::vector<const Node*>& work) {
    const Node* ptr = n->src()[0];
    std::vector<UOp> idx;
    for (size_t d = 0; d < ptr->n_dim; ++d) idx.push_back(UOp::share(n->src()[1 + d]));
    Affine flat = flat_index(idx, ptr->shape());
    for (const Affine::Term& t : flat.terms) {
      if (t.term.is(Op::Range)) continue;
      pin(t.term);
      work.push_back(t.term.node());
    }
    for (size_t i = 1 + ptr->n_dim; i < n->n_src; ++i) {
      const bool gate = n->op == Op::Load || i > size_t{1} + ptr->n_dim;
      if (gate) pin(UOp::share(n->src()[i]));
      if (n->src()[i]->op == Op::Range) {
        pinned_.insert(n->src()[i]);
      } else {
        work.push_back(n->src()[i]);
      }
    }
    flat_.emplace(n, std::move(flat));
  }

  static int64_t extent(const Node* r) { return r->src()[0]->arg()[0]; }

  // The joined range that stands for `r` now, and the extent of it.
  const Node* current(const Node* r) const {
    auto it = merged_.find(r);
    return it == merged_.end() ? r : it->second.node();
  }

  void join_neighbours(const Node* closing) {
    std::vector<const Node*> ranges(closing->src().begin() + 1, closing->src().end());
    for (size_t i = ranges.size(); i-- > 1;) {
      const Node *outer = ranges[i - 1], *inner = current(ranges[i]);
      if (!can_join(outer, ranges[i], inner)) continue;
      UOp joined = range(extent(outer) * extent(inner), next_id());
      const auto known = innermost_.find(inner);
      innermost_.emplace(joined.node(), known == innermost_.end() ? inner : known->second);
      keep_.push_back(joined);
      for (auto& [n, flat] : flat_) join_terms(flat, outer, inner, joined);
      for (auto& [from, to] : merged_) {
        if (to.node() == inner) to = joined;
      }
      merged_.insert_or_assign(ranges[i], joined);
      merged_.insert_or_assign(outer, joined);
      ranges[i - 1] = outer;
    }
  }

  bool can_join(const Node* outer, const Node* original_inner, const Node* inner) const {
    if (pinned_.contains(outer) || pinned_.contains(original_inner) || merged_.contains(outer) ||
        outer == inner)
      return false;
    if (extent(outer) <= 0 || extent(inner) <= 0) return false;
    for (const auto& [n, flat] : flat_) {
      if (coef_of(flat, UOp::share(outer)) != coef_of(flat, UOp::share(inner)) * extent(inner))
        return false;
    }
    // Every other reduction or store must close both or neither.
    for (const Node* n : order_) {
      if (n->op != Op::End && n->op != Op::Reduce) continue;
      const auto closed = n->src().subspan(1);
      if ((std::ranges::find(closed, outer) != closed.end()) !=
          (std::ranges::find(closed, original_inner) != closed.end()))
        return false;
    }
    return true;
  }

  static void join_terms(Affine& flat, const Node* outer, const Node* inner, const UOp& joined) {
    const int64_t c = coef_of(flat, UOp::share(inner));
    flat.add_term(UOp::share(inner), -c);
    flat.add_term(UOp::share(outer), -coef_of(flat, UOp::share(outer)));
    flat.add_term(joined, c);
  }

  int64_t next_id() {
    if (next_ < 0) {
      for (const Node* n : order_) {
        if (n->op == Op::Range) next_ = std::max(next_, n->arg()[0]);
      }
    }
    return ++next_;
  }

  UOp rebuild() {
    std::unordered_map<const Node*, UOp> done;
    std::vector<UOp> src;
    for (const Node* n : order_) {
      if (n->op == Op::Param) {
        const std::vector<size_t>& first = dims_.emplace(n, dims_of(n)).first->second;
        std::vector<Dim> extents;
        for (size_t i = 0; i < first.size(); ++i) {
          const size_t end = i + 1 < first.size() ? first[i + 1] : n->n_dim;
          extents.push_back(numel(n->shape().subspan(first[i], end - first[i])));
        }
        done.emplace(n, param(static_cast<int>(n->arg()[0]), extents, n->dtype));
        continue;
      }
      src.clear();
      if (flat_.contains(n)) {
        src = {done.at(n->src()[0])};
        append_indices(n, done, src);
        for (size_t i = 1 + n->src()[0]->n_dim; i < n->n_src; ++i)
          src.push_back(done.at(n->src()[i]));
      } else if (n->op == Op::End || n->op == Op::Reduce) {
        src.push_back(done.at(n->src()[0]));
        for (const Node* r : n->src().subspan(1)) {
          UOp to = UOp::share(current(r));
          if (std::ranges::find(src, to) == src.end()) src.push_back(to);
        }
      } else {
        for (const Node* s : n->src()) src.push_back(done.at(s));
      }
      if (is_access(n) && !flat_.contains(n))
        return kernel_;  // an access that was not seen: leave everything as it is
      done.emplace(n, with_sources(UOp::share(n), src));
    }
    return done.at(kernel_.node());
  }

  // Where the dimensions of an array begin: those that a joined axis goes through, in any access,
  // become one. Others keep their extents, for gates state their bounds, and copies are boxes.
  std::vector<size_t> dims_of(const Node* array) const {
    std::vector<bool> begins(array->n_dim, true);
    for (const auto& [n, flat] : flat_) {
      if (n->src()[0] == array) join_dims(n, begins);
    }
    std::vector<size_t> first;
    for (size_t d = 0; d < begins.size(); ++d) {
      if (begins[d]) first.push_back(d);
    }
    return first;
  }

  void join_dims(const Node* access, std::vector<bool>& begins) const {
    std::unordered_map<const Node*, size_t> outermost;  // by joined axis
    for (size_t d = 0; d < begins.size(); ++d) {
      for (const UOp& r : free_ranges(UOp::share(access->src()[1 + d]))) {
        const auto it = merged_.find(r.node());
        if (it == merged_.end()) continue;
        const size_t from = outermost.try_emplace(it->second.node(), d).first->second;
        std::fill(begins.begin() + static_cast<ptrdiff_t>(from) + 1,
                  begins.begin() + static_cast<ptrdiff_t>(d) + 1, false);
      }
    }
  }

  void append_indices(const Node* n, const std::unordered_map<const Node*, UOp>& done,
                      std::vector<UOp>& src) const {
    const Node* array = n->src()[0];
    const std::vector<size_t>& first = dims_.at(array);
    for (size_t i = 0; i < first.size(); ++i) {
      const size_t end = i + 1 < first.size() ? first[i + 1] : array->n_dim;
      std::vector<UOp> idx;
      for (size_t d = first[i]; d < end; ++d) idx.push_back(UOp::share(n->src()[1 + d]));
      const Affine index = flat_index(idx, array->shape().subspan(first[i], end - first[i]));
      src.push_back(substituted(joined(index), done));
    }
  }

  // A joined axis steps as the innermost of those that it is made of.
  Affine joined(const Affine& index) const {
    Affine out{.constant = index.constant};
    for (const Affine::Term& t : index.terms) {
      const auto it = merged_.find(t.term.node());
      if (it == merged_.end()) {
        out.add_term(t.term, t.coef);
      } else if (innermost_.at(it->second.node()) == t.term.node()) {
        out.add_term(it->second, t.coef);
      }
    }
    return out;
  }

  // The index with its opaque terms rebuilt.
  static UOp substituted(const Affine& flat, const std::unordered_map<const Node*, UOp>& done) {
    Affine out;
    out.constant = flat.constant;
    for (const Affine::Term& t : flat.terms) {
      auto it = done.find(t.term.node());
      out.add_term(it == done.end() ? t.term : it->second, t.coef);
    }
    return out.to_uop();
  }

  const UOp& kernel_;
  std::vector<const Node*> order_;
  std::unordered_map<const Node*, Affine> flat_;
  std::unordered_set<const Node*> pinned_;
  std::unordered_map<const Node*, UOp> merged_;
  std::unordered_map<const Node*, const Node*>
      innermost_;  // by joined axis: of those it is made of
  std::unordered_map<const Node*, std::vector<size_t>> dims_;  // by array: where they begin
  std::vector<UOp> keep_;
  int64_t next_ = -1;
};

}  // namespace

UOp merge_axes(const UOp& kernel) {
  return has_asked_loops(kernel) ? kernel : Merger(kernel).run();
}

}  // namespace tg
