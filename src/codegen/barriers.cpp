// See barriers.h. The list is walked with the set of arrays that were written and read since the
// last barrier; what a loop leaves behind at its end is also there at its beginning, so walks are
// repeated until nothing is added.
#include "codegen/barriers.h"

#include <algorithm>
#include <unordered_map>

#include "rewrite/item_flow.h"
#include "support/check.h"

namespace tg {
namespace {

const Node* array_of(const Node* access) {
  const Node* p = access->src()[0];
  while (p->op == Op::After) p = p->src()[0];
  return p;
}

bool is_opener(const UOp& u) { return u.is(Op::Range) || u.is(Op::If); }
bool is_closer(const UOp& u) { return u.is(Op::End) || u.is(Op::EndIf); }

// By array: what happened to it since the last barrier.
struct Pending {
  std::vector<bool> written, read;

  void clear() {
    written.assign(written.size(), false);
    read.assign(read.size(), false);
  }
  // True if that added something.
  bool merge(const Pending& other) {
    bool added = false;
    for (size_t a = 0; a < written.size(); ++a) {
      added = added || (other.written[a] && !written[a]) || (other.read[a] && !read[a]);
      written[a] = written[a] || other.written[a];
      read[a] = read[a] || other.read[a];
    }
    return added;
  }
};

class Placer {
 public:
  Placer(std::vector<UOp> list, std::span<const Node* const> shared) : list_(std::move(list)) {
    for (const Node* p : shared) array_id_.try_emplace(p, array_id_.size());
    array_.assign(list_.size(), -1);
    closer_.assign(list_.size(), 0);
    parts_.assign(list_.size(), false);
    for (size_t i = 0; i < list_.size(); ++i) read(i);
    left_.assign(list_.size(), none());
  }

  std::vector<UOp> run() {
    while (walk()) {
    }
    std::vector<UOp> out, stores;
    int64_t id = 0;
    for (size_t i = 0; i < list_.size(); ++i) {
      if (cut_[i]) {
        out.push_back(make(Op::Barrier, stores, {{id++}}));
        stores.clear();
      }
      if (array_[i] >= 0 && list_[i].is(Op::Store)) stores.push_back(list_[i]);
      out.push_back(list_[i]);
    }
    return out;
  }

 private:
  Pending none() const {
    return {std::vector<bool>(array_id_.size()), std::vector<bool>(array_id_.size())};
  }

  void read(size_t i) {
    const Node* n = list_[i].node();
    flow_.add(n);
    if (is_opener(list_[i])) {
      parts_[i] = flow_.parts(n);
      open_.push_back(i);
    } else if (is_closer(list_[i])) {
      closer_[open_.back()] = i;
      open_.pop_back();
    } else if (n->op == Op::Mma) {
      if (parted()) user_error<ArgumentError>("TC", "not all items go through the product alike");
    } else if (n->op == Op::Load || n->op == Op::Store) {
      const Node* a = array_of(n);
      if (n->op == Op::Store && a->op == Op::Alloc && a->space == Space::Scratch)
        array_id_.try_emplace(a, array_id_.size());
      const auto known = array_id_.find(a);
      if (known != array_id_.end()) array_[i] = static_cast<int>(known->second);
    }
  }

  bool conflicts(const Pending& now, size_t i) const {
    if (array_[i] < 0) return false;
    const auto a = static_cast<size_t>(array_[i]);
    return list_[i].is(Op::Store) ? now.read[a] : now.written[a];
  }

  bool anything_conflicts(const Pending& now, size_t opener) const {
    for (size_t i = opener + 1; i < closer_[opener]; ++i) {
      if (conflicts(now, i)) return true;
    }
    return false;
  }

  // Do only some items come here?
  bool parted() const {
    return std::ranges::any_of(open_, [&](size_t opener) { return parts_[opener]; });
  }

  void cut(size_t i, Pending& now) {
    if (parted())
      user_error<ArgumentError>("LOCAL",
                                "items would have to wait for each other in a loop or if "
                                "that not all of them go through alike");
    cut_[i] = true;
    now.clear();
  }

  // The launch range has no way back: groups share nothing.
  bool comes_back(size_t opener) const {
    return list_[opener].is(Op::Range) && list_[opener].arg().size() == 1;
  }

  // True if a loop was found to leave behind more than was known.
  bool walk() {
    Pending now = none();
    std::vector<Pending> before;
    bool more = false;
    cut_.assign(list_.size(), false);
    for (size_t i = 0; i < list_.size(); ++i) {
      if (is_opener(list_[i])) {
        if (anything_conflicts(now, i)) cut(i, now);
        open_.push_back(i);
        before.push_back(now);
        if (comes_back(i)) now.merge(left_[i]);
      } else if (is_closer(list_[i])) {
        if (comes_back(open_.back())) more = left_[open_.back()].merge(now) || more;
        now.merge(before.back());
        before.pop_back();
        open_.pop_back();
      } else if (array_[i] >= 0) {
        if (conflicts(now, i)) cut(i, now);
        (list_[i].is(Op::Store) ? now.written : now.read)[static_cast<size_t>(array_[i])] = true;
      }
    }
    return more;
  }

  const std::vector<UOp> list_;
  ItemFlow flow_;
  std::unordered_map<const Node*, size_t> array_id_;
  std::vector<int> array_;      // by op: the shared array that it accesses, or -1
  std::vector<size_t> closer_;  // by opener
  std::vector<bool> parts_;     // by opener: items part ways there
  std::vector<Pending> left_;   // by loop: what may be pending at its end
  std::vector<bool> cut_;       // a barrier before the op
  std::vector<size_t> open_;
};

}  // namespace

std::vector<UOp> place_barriers(std::vector<UOp> list, std::span<const Node* const> shared) {
  const bool items =
      std::ranges::any_of(list, [](const UOp& u) { return is_item_range(u.node()); });
  return items ? Placer(std::move(list), shared).run() : list;
}

}  // namespace tg
