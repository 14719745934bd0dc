// See barriers.h. The list is walked with the set of places that were written and read since the
// last barrier; what a loop leaves behind at its end is also there at its beginning, so walks are
// repeated until nothing is added. A place is an array, or a slot of one: those are counted from
// the step in hand, so what a step leaves in slot k + 1 the next one finds in slot k.
#include "codegen/barriers.h"

#include <algorithm>
#include <unordered_map>

#include "rewrite/work_item_flow.h"
#include "support/check.h"

namespace tg {
namespace {

const Node* array_of(const Node* pointer) {
  while (pointer->op == Op::After) pointer = pointer->src()[0];
  return pointer;
}

bool is_opener(const UOp& u) { return u.is(Op::Range) || u.is(Op::If); }
bool is_closer(const UOp& u) { return u.is(Op::End) || u.is(Op::EndIf); }
bool writes(const UOp& u) { return u.is(Op::Store) || u.is(Op::AsyncCopy); }

// The places of an array: one, or its slots, of which a step fills the one `ahead` of its own.
struct Places {
  size_t first = 0, count = 1, ahead = 0;
};

// By place: what happened to it since the last barrier. What is copied asynchronously is written
// when it was waited for, and what a matrix unit reads by itself is read then.
struct Pending {
  static constexpr int kUnread = 1 << 20;
  std::vector<bool> written, read, on_the_way;
  std::vector<int>
      batches;  // of products, from those that a unit may still read for on; or kUnread

  explicit Pending(size_t places)
      : written(places), read(places), on_the_way(places), batches(places, kUnread) {}
  void pass_barrier() {
    written.assign(written.size(), false);
    read.assign(read.size(), false);
  }
  // True if that added something.
  bool merge(const Pending& other) {
    bool added = false;
    for (const auto field : {&Pending::written, &Pending::read, &Pending::on_the_way}) {
      std::vector<bool>& mine = this->*field;
      const std::vector<bool>& theirs = other.*field;
      for (size_t p = 0; p < mine.size(); ++p) {
        added = added || (theirs[p] && !mine[p]);
        mine[p] = mine[p] || theirs[p];
      }
    }
    for (size_t p = 0; p < batches.size(); ++p) {
      added = added || other.batches[p] < batches[p];
      batches[p] = std::min(batches[p], other.batches[p]);
    }
    return added;
  }
  // A step of the loop of a ring is over, or the loop.
  void turn(const Places& slots) {
    for (std::vector<bool>* field : {&written, &read, &on_the_way}) {
      const auto begin = field->begin() + static_cast<std::ptrdiff_t>(slots.first);
      std::rotate(begin, begin + 1, begin + static_cast<std::ptrdiff_t>(slots.count));
    }
    const auto begin = batches.begin() + static_cast<std::ptrdiff_t>(slots.first);
    std::rotate(begin, begin + 1, begin + static_cast<std::ptrdiff_t>(slots.count));
  }
  void spread(const Places& slots) {
    for (std::vector<bool>* field : {&written, &read, &on_the_way}) {
      const auto begin = field->begin() + static_cast<std::ptrdiff_t>(slots.first);
      const auto end = begin + static_cast<std::ptrdiff_t>(slots.count);
      std::fill(begin, end, std::find(begin, end, true) != end);
    }
    const auto begin = batches.begin() + static_cast<std::ptrdiff_t>(slots.first);
    const auto end = begin + static_cast<std::ptrdiff_t>(slots.count);
    std::fill(begin, end, *std::min_element(begin, end));
  }
  // All products but the last `under_way` batches of them are made.
  void finish(int64_t under_way) {
    for (size_t p = 0; p < batches.size(); ++p) {
      if (batches[p] == kUnread) continue;
      if (batches[p] < under_way) {
        ++batches[p];
      } else {
        read[p] = true;
        batches[p] = kUnread;
      }
    }
  }
  // All but what is copied asynchronously for the last `on_their_way` of the steps to come.
  void arrive(const Places& slots, size_t on_their_way) {
    const size_t steps = slots.ahead;
    const size_t n = on_their_way == 0 ? slots.count : steps - std::min(steps, on_their_way);
    for (size_t p = slots.first; p < slots.first + n; ++p) {
      written[p] = written[p] || on_the_way[p];
      on_the_way[p] = false;
    }
  }
};

class Placer {
 public:
  Placer(std::vector<UOp> list, std::span<const Node* const> shared,
         std::span<const RingArray> rings)
      : list_(std::move(list)), rings_(rings) {
    for (const Node* p : shared) share(p);
    closer_.assign(list_.size(), 0);
    parts_.assign(list_.size(), false);
    places_.assign(list_.size(), Places{0, 0});
    for (size_t i = 0; i < list_.size(); ++i) read(i);
    left_.assign(list_.size(), Pending(n_places_));
  }

  std::vector<UOp> run() {
    while (walk()) {
    }
    std::vector<UOp> out, effects;
    int64_t id = 0;
    for (size_t i = 0; i < list_.size(); ++i) {
      if (cut_[i]) {
        out.push_back(make(Op::Barrier, effects, {{id++}}));
        effects.clear();
      }
      const bool shared_store = list_[i].is(Op::Store) && places_[i].count > 0;
      if (shared_store || list_[i].is(Op::AsyncWait) || list_[i].is(Op::MmaWait))
        effects.push_back(list_[i]);
      out.push_back(list_[i]);
    }
    return out;
  }

 private:
  // Places for an array that work-items share.
  void share(const Node* array) {
    const auto ring = std::ranges::find(rings_, array, &RingArray::array);
    const bool slots = ring != rings_.end();
    const Places places{n_places_, slots ? static_cast<size_t>(ring->depth) : 1,
                        slots ? static_cast<size_t>(ring->ahead) : 0};
    if (of_array_.try_emplace(array, places).second) n_places_ += places.count;
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
    } else if (n->op == Op::Mma || n->op == Op::MmaAsync || n->op == Op::SubgroupShuffle) {
      if (parted())
        user_error<ArgumentError>(n->op == Op::SubgroupShuffle ? "GROUP" : "TC",
                                  "not all work-items reach alike what a subgroup does together");
      if (n->op == Op::MmaAsync) read_factors(i);
    } else if (n->op == Op::Load || writes(list_[i])) {
      const Node* a = array_of(n->src()[0]);
      if (n->op != Op::Load && a->op == Op::Alloc && a->space == Space::Scratch) share(a);
      const auto known = of_array_.find(a);
      if (known != of_array_.end()) places_[i] = touched(known->second, a, n->op == Op::Load);
    }
  }

  // Factors are arrays of scratch that copies were made to, so they have places.
  void read_factors(size_t i) {
    std::vector<Places>& both = factors_[i];
    for (const size_t s : {0, 2}) {
      const Node* a = array_of(list_[i].node()->src()[s]);
      share(a);
      both.push_back(touched(of_array_.at(a), a, true));
    }
  }

  // In the loop that turns it, a ring is read in its first slot and written in the one that is
  // ahead.
  Places touched(const Places& all, const Node* array, bool reads) const {
    const bool turns = std::ranges::any_of(rings_, [&](const RingArray& ring) {
      return ring.array == array && std::ranges::any_of(open_, [&](size_t opener) {
               return list_[opener].node() == ring.loop;
             });
    });
    return turns ? Places{reads ? all.first : all.first + all.ahead, 1} : all;
  }

  static bool any(const std::vector<bool>& field, const Places& p) {
    const auto begin = field.begin() + static_cast<std::ptrdiff_t>(p.first);
    return std::find(begin, begin + static_cast<std::ptrdiff_t>(p.count), true) !=
           begin + static_cast<std::ptrdiff_t>(p.count);
  }

  bool conflicts(const Pending& now, size_t i) const {
    if (list_[i].is(Op::MmaAsync)) {
      return std::ranges::any_of(factors_.at(i),
                                 [&](const Places& p) { return any(now.written, p); });
    }
    if (!writes(list_[i])) return any(now.written, places_[i]);
    return any(now.read, places_[i]);
  }

  // A barrier does not wait for a unit.
  void check_units(const Pending& now, size_t i) const {
    if (!writes(list_[i])) return;
    for (size_t p = places_[i].first; p < places_[i].first + places_[i].count; ++p) {
      if (now.batches[p] != Pending::kUnread)
        user_error<ArgumentError>("STAGE", "a copy would overwrite what a matrix unit still reads");
    }
  }

  bool anything_conflicts(const Pending& now, size_t opener) const {
    for (size_t i = opener + 1; i < closer_[opener]; ++i) {
      if (conflicts(now, i)) return true;
    }
    return false;
  }

  void touch(Pending& now, size_t i) const {
    std::vector<bool>& field = list_[i].is(Op::Load)        ? now.read
                               : list_[i].is(Op::AsyncCopy) ? now.on_the_way
                                                            : now.written;
    for (size_t p = places_[i].first; p < places_[i].first + places_[i].count; ++p) field[p] = true;
  }

  static void begin_products(Pending& now, const Places& places) {
    for (size_t p = places.first; p < places.first + places.count; ++p) now.batches[p] = 0;
  }

  void arrive(Pending& now, const UOp& wait) const {
    for (const RingArray& ring : rings_) {
      if (const auto places = of_array_.find(ring.array); places != of_array_.end())
        now.arrive(places->second, static_cast<size_t>(wait.arg(0)));
    }
  }

  // Do only some work-items come here?
  bool parted() const {
    return std::ranges::any_of(open_, [&](size_t opener) { return parts_[opener]; });
  }

  void cut(size_t i, Pending& now) {
    if (parted())
      user_error<ArgumentError>("LOCAL",
                                "work-items would have to wait for each other in a loop or if "
                                "that not all of them go through alike");
    cut_[i] = true;
    now.pass_barrier();
  }

  // The launch range has no way back: groups share nothing.
  bool comes_back(size_t opener) const {
    return list_[opener].is(Op::Range) && list_[opener].arg().size() == 1;
  }

  template <typename Fn>
  void for_rings(size_t loop, const Fn& fn) const {
    for (const RingArray& ring : rings_) {
      if (ring.loop != list_[loop].node()) continue;
      if (const auto places = of_array_.find(ring.array); places != of_array_.end())
        fn(places->second);
    }
  }

  // True if a loop was found to leave behind more than was known.
  bool walk() {
    Pending now(n_places_);
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
        const size_t opener = open_.back();
        for_rings(opener, [&](const Places& slots) { now.turn(slots); });
        if (comes_back(opener)) more = left_[opener].merge(now) || more;
        now.merge(before.back());
        for_rings(opener, [&](const Places& slots) { now.spread(slots); });
        before.pop_back();
        open_.pop_back();
      } else if (list_[i].is(Op::AsyncWait)) {
        arrive(now, list_[i]);
      } else if (list_[i].is(Op::MmaWait)) {
        now.finish(list_[i].arg(0));
      } else if (list_[i].is(Op::MmaAsync)) {
        if (conflicts(now, i)) cut(i, now);
        for (const Places& places : factors_.at(i)) begin_products(now, places);
      } else if (places_[i].count > 0) {
        check_units(now, i);
        if (conflicts(now, i)) cut(i, now);
        touch(now, i);
      }
    }
    return more;
  }

  const std::vector<UOp> list_;
  WorkItemFlow flow_;
  const std::span<const RingArray> rings_;
  std::unordered_map<const Node*, Places> of_array_;
  size_t n_places_ = 0;
  std::vector<Places> places_;  // by op: what it accesses of what is shared; count 0: nothing
  std::unordered_map<size_t, std::vector<Places>> factors_;  // by MMA_ASYNC: what it reads
  std::vector<size_t> closer_;  // by opener
  std::vector<bool> parts_;     // by opener: work-items part ways there
  std::vector<Pending> left_;   // by loop: what may be pending at its end
  std::vector<bool> cut_;       // a barrier before the op
  std::vector<size_t> open_;
};

}  // namespace

std::vector<UOp> place_barriers(std::vector<UOp> list, std::span<const Node* const> shared,
                                std::span<const RingArray> rings) {
  const bool work_items =
      std::ranges::any_of(list, [](const UOp& u) { return is_work_item_range(u.node()); });
  return work_items ? Placer(std::move(list), shared, rings).run() : list;
}

}  // namespace tg
