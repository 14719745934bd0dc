// Groups grow from a temporary's writer to its last reader, and on to the last readers of what is
// written between; then the dimensions are chosen along which all can be cut, and the sizes of the
// parts. See slice_items.h.
#include "schedule/slice_items.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include "kernel/affine.h"
#include "kernel/kernel_slice.h"
#include "kernel/window_form.h"
#include "schedule/accesses.h"
#include "support/log.h"
#include "tg/ir/walk.h"
#include "uop/shape.h"

namespace tg {
namespace {

constexpr int64_t kMostSlices = 512;

int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

// A divisor of n that is nearly `most`, else parts of equal size but for the last.
int64_t part_of(int64_t n, int64_t most) {
  for (int64_t p = most; 2 * p > most; --p) {
    if (n % p == 0) return p;
  }
  return ceil_div(n, ceil_div(n, most));
}

struct Uses {
  size_t first = 0, last = 0;  // items
  int writers = 0;
  bool is_read_first = false;
};

// Items first to last, cut along the first dimensions of what they hand over.
struct Group {
  size_t first = 0, last = 0;
  std::vector<std::vector<const Node*>> loops;  // by item, by dimension
  std::set<int> handed;                         // temporaries of no use elsewhere
  std::vector<int64_t> extents, parts;          // by dimension
  int64_t slices() const {
    int64_t n = 1;
    for (size_t d = 0; d < parts.size(); ++d) n *= ceil_div(extents[d], parts[d]);
    return n;
  }
};

class Slicer {
 public:
  Slicer(std::vector<ScheduleItem>& items, std::vector<ScheduledBuffer>& buffers,
         const std::vector<bool>& kept, std::vector<UOp>& keep, const Target& target)
      : items_(items),
        buffers_(buffers),
        kept_(kept),
        keep_(keep),
        near_(target.l2_bytes * target.threads * 3 / 4),
        far_(std::max(near_, target.l3_bytes / 2)) {}

  void run() {
    if (!has_large_temporary()) return;
    for (size_t i = 0; i < items_.size(); ++i) note_uses(i);
    std::vector<ScheduleItem> out;
    for (size_t i = 0; i < items_.size();) {
      const std::optional<Group> group = group_from(i);
      if (!group) {
        out.push_back(std::move(items_[i++]));
        continue;
      }
      emit(*group, out);
      i = group->last + 1;
    }
    items_ = std::move(out);
  }

 private:
  void note_uses(size_t i) {
    accesses_.push_back(accesses_of(items_[i]));
    for (size_t slot = 0; slot < items_[i].buffers.size(); ++slot) {
      const auto [it, is_new] = uses_.try_emplace(items_[i].buffers[slot], Uses{.first = i});
      it->second.last = i;
      it->second.writers += accesses_[i][slot].writes ? 1 : 0;
      if (is_new) it->second.is_read_first = accesses_[i][slot].reads;
    }
  }

  int64_t bytes_of(int b) const {
    const Node* n = buffers_[static_cast<size_t>(b)].node;
    return numel(n->shape()) * dtype_size(n->dtype);
  }

  // A value that one item writes and later ones read, and nobody else.
  bool is_temporary(int b) const {
    const Uses& u = uses_.at(b);
    const auto i = static_cast<size_t>(b);
    return !buffers_[i].external && !kept_[i] && u.writers == 1 && !u.is_read_first &&
           u.last > u.first;
  }

  std::optional<Group> group_from(size_t first) const {
    std::optional<Group> best;
    for (size_t slot = 0; slot < items_[first].buffers.size(); ++slot) {
      const int b = items_[first].buffers[slot];
      if (!accesses_[first][slot].writes || !is_large(b)) continue;
      best = grown(group(first, uses_.at(b).last));
    }
    if (!best || !choose_parts(*best)) return {};
    return best;
  }

  bool is_large(int b) const { return is_temporary(b) && bytes_of(b) > 2 * near_; }

  bool has_large_temporary() const {
    for (size_t b = 0; b < buffers_.size(); ++b) {
      if (!buffers_[b].external && !kept_[b] && bytes_of(static_cast<int>(b)) > 2 * near_)
        return true;
    }
    return false;
  }

  std::optional<Group> grown(std::optional<Group> g) const {
    for (size_t i = g ? g->first + 1 : 0; g && i <= g->last; ++i) {
      for (size_t slot = 0; slot < items_[i].buffers.size(); ++slot) {
        const int b = items_[i].buffers[slot];
        if (!accesses_[i][slot].writes || !is_large(b) || uses_.at(b).last <= g->last) continue;
        if (auto more = group(g->first, uses_.at(b).last)) g = std::move(more);
      }
    }
    return g;
  }

  // ---- what can be cut

  // The items, with the most dimensions along which all of them can be cut.
  std::optional<Group> group(size_t first, size_t last) const {
    const std::set<int> shared = shared_by(first, last);
    size_t most = SIZE_MAX;
    for (size_t i = first; i <= last; ++i) {
      if (!is_plain(i, first)) return {};
      for (const Node* n : toposort(items_[i].kernel)) {
        if (n->op == Op::Param && shared.contains(buffer_of(i, n)))
          most = std::min<size_t>(most, n->n_dim);
      }
    }
    for (size_t dims = most; dims > 0 && dims != SIZE_MAX; --dims) {
      Group g{.first = first, .last = last};
      if (!walk(g, shared, dims)) continue;
      for (const int b : shared) {
        const Uses& u = uses_.at(b);
        if (is_temporary(b) && u.first >= first && u.last <= last) g.handed.insert(b);
      }
      return g;
    }
    return {};
  }

  int buffer_of(size_t item, const Node* array) const {
    return items_[item].buffers[static_cast<size_t>(array->arg()[0])];
  }

  // Buffers that some of the items write and others touch.
  std::set<int> shared_by(size_t first, size_t last) const {
    std::map<int, std::pair<int, bool>> seen;  // how many items touch it, does one write it
    for (size_t i = first; i <= last; ++i) {
      for (size_t slot = 0; slot < items_[i].buffers.size(); ++slot) {
        auto& [touched, written] = seen[items_[i].buffers[slot]];
        ++touched;
        written |= accesses_[i][slot].writes;
      }
    }
    std::set<int> out;
    for (const auto& [b, s] : seen) {
      if (s.first > 1 && s.second) out.insert(b);
    }
    return out;
  }

  // A kernel, on the device of the first item, whose buffers are all different.
  bool is_plain(size_t i, size_t first) const {
    const ScheduleItem& item = items_[i];
    std::vector<int> sorted = item.buffers;
    std::ranges::sort(sorted);
    return item.kernel && item.device == items_[first].device &&
           std::ranges::adjacent_find(sorted) == sorted.end();
  }

  // The loops of all items over the first dimensions of what they share; false if one has others.
  bool walk(Group& g, const std::set<int>& shared, size_t dims) const {
    for (size_t i = g.first; i <= g.last; ++i) {
      std::optional<std::vector<const Node*>> loops;
      for (size_t slot = 0; slot < items_[i].buffers.size(); ++slot) {
        if (!shared.contains(items_[i].buffers[slot])) continue;
        auto here = leading_loops(items_[i].kernel, static_cast<int>(slot), dims);
        if (!here || (loops && *loops != *here)) return false;
        loops = std::move(here);
      }
      if (!loops) return false;
      std::vector<int64_t> extents;
      for (const Node* loop : *loops) extents.push_back(loop == nullptr ? 1 : extent_of(loop));
      if (g.extents.empty()) g.extents = extents;
      if (g.extents != extents) return false;
      g.loops.push_back(*std::move(loops));
    }
    return true;
  }

  static int64_t extent_of(const Node* loop) { return loop->src()[0]->arg()[0]; }

  // ---- how it is cut

  // Parts of the dimensions, from the first on, until what is handed over fits. False if none pays.
  bool choose_parts(Group& g) const {
    int64_t handed = 0, largest = 0;
    for (const int b : g.handed) {
      handed += bytes_of(b);
      largest = std::max(largest, bytes_of(b));
    }
    g.parts = g.extents;
    if (handed < outer_bytes(g)) return false;
    for (size_t d = 0; d < g.parts.size() && largest > near_; ++d) {
      const int64_t each = largest / g.extents[d];
      const int64_t before = read_again(g);
      cut(g, d, near_ / each);
      if (read_again(g) > before) cut(g, d, far_ / each);
      while (g.parts[d] < g.extents[d] &&
             (!are_aligned(g, d) || g.slices() > kMostSlices || read_again(g) > handed))
        g.parts[d] = std::min(2 * g.parts[d], g.extents[d]);
      largest = each * g.parts[d];
    }
    // A part that only the shared cache holds is no better than the whole, if that fits there, too.
    const bool stays = largest <= near_ || (largest <= far_ && handed > 2 * far_);
    return g.slices() > 1 && stays;
  }

  static void cut(Group& g, size_t d, int64_t most) {
    g.parts[d] = part_of(g.extents[d], std::clamp<int64_t>(most, 1, g.extents[d]));
  }

  // Calls visit(access, index of the item) for each access to a buffer that is not handed over.
  void visit_outer(const Group& g, auto&& visit) const {
    for (size_t i = g.first; i <= g.last; ++i) {
      for (const Node* n : toposort(items_[i].kernel)) {
        if ((n->op == Op::Load || n->op == Op::Store) && n->src()[0]->op == Op::Param &&
            !g.handed.contains(buffer_of(i, n->src()[0])))
          visit(n, i);
      }
    }
  }

  int64_t outer_bytes(const Group& g) const {
    std::set<int> seen;
    visit_outer(g, [&](const Node* n, size_t i) { seen.insert(buffer_of(i, n->src()[0])); });
    return std::accumulate(seen.begin(), seen.end(), int64_t{0},
                           [this](int64_t n, int b) { return n + bytes_of(b); });
  }

  // Bytes that slices read of arrays that others have read: those that miss a loop that is cut.
  int64_t read_again(const Group& g) const {
    double bytes = 0;
    visit_outer(g, [&](const Node* n, size_t i) {
      if (n->op != Op::Load) return;
      double times = 1;
      const std::vector<UOp> used = free_ranges(UOp::share(n));
      for (size_t d = 0; d < g.parts.size(); ++d) {
        const Node* loop = g.loops[i - g.first][d];
        const bool is_walked =
            std::ranges::any_of(used, [&](const UOp& r) { return r.node() == loop; });
        if (!is_walked) times *= static_cast<double>(ceil_div(g.extents[d], g.parts[d]));
      }
      bytes += (times - 1) * static_cast<double>(bytes_of(buffer_of(i, n->src()[0])));
    });
    return static_cast<int64_t>(bytes);
  }

  // Slices share a program if their arrays begin at aligned addresses.
  bool are_aligned(const Group& g, size_t d) const {
    bool aligned = true;
    visit_outer(g, [&](const Node* n, size_t i) {
      const Node* array = n->src()[0];
      const Node* loop = g.loops[i - g.first][d];
      if (loop == nullptr) return;
      std::vector<UOp> index;
      for (size_t k = 0; k < array->n_dim; ++k) index.push_back(UOp::share(n->src()[1 + k]));
      const int64_t step = coef_of(flat_index(index, array->shape()), UOp::share(loop));
      aligned &= step * g.parts[d] * dtype_size(array->dtype) % kWindowAlignment == 0;
    });
    return aligned;
  }

  // ---- the slices

  void emit(const Group& g, std::vector<ScheduleItem>& out) {
    int64_t whole = 0, part = 0;
    for (const int b : g.handed) whole = std::max(whole, bytes_of(b));
    std::vector<int64_t> begin(g.parts.size());
    do {
      std::map<int, int> own;  // buffers of this slice, by those that they are of
      for (size_t i = g.first; i <= g.last; ++i) out.push_back(slice(g, i, begin, own));
      for (const auto& [of, b] : own) part = std::max(part, bytes_of(b));
    } while (advance(g, begin));
    debug_log(3, "{} kernels in {} slices: {} bytes instead of {} are handed over at a time",
              g.last - g.first + 1, g.slices(), part, whole);
  }

  static bool advance(const Group& g, std::vector<int64_t>& begin) {
    for (size_t d = begin.size(); d-- > 0;) {
      begin[d] += g.parts[d];
      if (begin[d] < g.extents[d]) return true;
      begin[d] = 0;
    }
    return false;
  }

  ScheduleItem slice(const Group& g, size_t i, std::span<const int64_t> begin,
                     std::map<int, int>& own) {
    std::vector<LoopPart> parts;
    for (size_t d = 0; d < begin.size(); ++d) {
      parts.push_back(
          {g.loops[i - g.first][d], begin[d], std::min(g.parts[d], g.extents[d] - begin[d])});
    }
    ScheduleItem item = items_[i];
    std::vector<int> slots;
    for (size_t slot = 0; slot < item.buffers.size(); ++slot) {
      int& b = item.buffers[slot];
      if (!g.handed.contains(b)) continue;
      slots.push_back(static_cast<int>(slot));
      b = own_buffer(b, item.device, parts, own);
    }
    item.kernel = kernel_slice(item.kernel, parts, slots);
    return item;
  }

  // Storage for the part of buffer `of`.
  int own_buffer(int of, DeviceId device, std::span<const LoopPart> parts,
                 std::map<int, int>& own) {
    const auto [it, is_new] = own.try_emplace(of, static_cast<int>(buffers_.size()));
    if (!is_new) return it->second;
    const Node* whole = buffers_[static_cast<size_t>(of)].node;
    int64_t elements = numel(whole->shape());
    for (const LoopPart& p : parts) {
      if (p.loop != nullptr) elements = elements / extent_of(p.loop) * p.length;
    }
    const UOp storage = buffer({elements}, whole->dtype, device, nullptr);
    keep_.push_back(storage);
    buffers_.push_back({storage.node()});
    return it->second;
  }

  std::vector<ScheduleItem>& items_;
  std::vector<ScheduledBuffer>& buffers_;
  const std::vector<bool>& kept_;
  std::vector<UOp>& keep_;
  // Bytes of a value that is handed over: so that it stays in the cores' caches, and in that which
  // they share, for which other arrays may be read again.
  const int64_t near_, far_;
  std::vector<std::vector<Access>> accesses_;  // by item, by slot
  std::map<int, Uses> uses_;                   // by buffer
};

}  // namespace

void slice_items(std::vector<ScheduleItem>& items, std::vector<ScheduledBuffer>& buffers,
                 const std::vector<bool>& kept, std::vector<UOp>& keep, const Target& target) {
  const bool runs_on_threads = target.max_group_size == 0;
  if (runs_on_threads) Slicer(items, buffers, kept, keep, target).run();
}

}  // namespace tg
