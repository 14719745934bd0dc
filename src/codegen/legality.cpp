// See legality.h.
#include "codegen/legality.h"

#include <algorithm>
#include <unordered_set>

#include "kernel/element_sharing.h"
#include "support/check.h"
#include "tg/ir/walk.h"

namespace tg {
namespace {

bool is_among(const Node* n, std::span<const Node* const> list) {
  return std::ranges::find(list, n) != list.end();
}

class Legality {
 public:
  Legality(const UOp& kernel, const KernelSchedule& schedule)
      : s_(schedule), order_(toposort(kernel)), sharing_(bases_sharing_elements(kernel, schedule)) {
    for (const Node* n : order_) {
      if (n->op == Op::End) ends_.push_back(n);
      if (n->op != Op::Store) continue;
      written_.insert(n->src()[0]);
      combines_ = combines_ || n->arg()[0] != 0;
    }
  }

  void check() const {
    check_stages();
    check_shift();
    check_threads();
    check_order();
    check_running();
  }

 private:
  std::string name(int base) const {
    return fmt::format("r{}", s_.bases[static_cast<size_t>(base)].range.arg(0));
  }
  bool shares(const Axis& a) const { return sharing_.with_others[static_cast<size_t>(a.base)]; }

  void check_stages() const {
    for (const Staging& st : s_.stages) {
      if (!is_among(st.operand.node(), order_)) {
        user_error<ArgumentError>("STAGE", "the load is not in the kernel");
      }
      for (const Node* n : toposort(st.operand)) {
        if (n->op == Op::Load && written_.contains(n->src()[0]))
          user_error<ArgumentError>("STAGE", "the kernel overwrites the operand");
      }
    }
  }

  void check_shift() const {
    const bool in_place = std::ranges::any_of(
        order_, [&](const Node* n) { return n->op == Op::Load && written_.contains(n->src()[0]); });
    for (const Axis& a : s_.axes) {
      if (a.kind == Kind::Local && s_.bases[static_cast<size_t>(a.base)].tail == Tail::Shift)
        user_error<ArgumentError>(
            "shift", fmt::format("several work-items would store one element of {}", name(a.base)));
    }
    for (size_t b = 0; b < s_.bases.size(); ++b) {
      if (s_.bases[b].tail != Tail::Shift || (!combines_ && !in_place && !sharing_.with_others[b]))
        continue;
      user_error<ArgumentError>(
          "shift",
          fmt::format("items of {} would be stored twice, and a store adds to what is there",
                      name(static_cast<int>(b))));
    }
  }

  void check_threads() const {
    for (const Axis& a : s_.axes) {
      if (a.kind != Kind::Thread && a.kind != Kind::Local) continue;
      const char* opt = a.kind == Kind::Thread ? "THREAD" : "LOCAL";
      if (shares(a)) {
        user_error<ArgumentError>(
            opt, fmt::format("iterations of {} may store to one element", name(a.base)));
      }
      if (a.kind == Kind::Local) continue;  // stores that do not run over it are work-item 0's
      const Node* range = s_.bases[static_cast<size_t>(a.base)].range.node();
      for (const Node* end : ends_) {
        if (is_among(range, end->src().subspan(1))) continue;
        user_error<ArgumentError>("THREAD",
                                  fmt::format("a store does not run over {}", name(a.base)));
      }
    }
  }

  // The digits of ranges that share elements must run as they do in the plain schedule, one point
  // at a time; lanes are stored together, inside everything else.
  void check_order() const {
    std::vector<int> run, plain;
    for (size_t i = 0; i < s_.axes.size(); ++i) {
      if (!shares(s_.axes[i])) continue;
      if (s_.axes[i].kind == Kind::Vector && sharing_.alone[static_cast<size_t>(s_.axes[i].base)]) {
        user_error<ArgumentError>("VECTOR", fmt::format("iterations of {} may store to one element",
                                                        name(s_.axes[i].base)));
      }
      run.push_back(static_cast<int>(i));
    }
    std::ranges::stable_partition(
        run, [&](int i) { return s_.axes[static_cast<size_t>(i)].kind != Kind::Vector; });
    for (size_t b = 0; b < s_.bases.size(); ++b) {
      const std::vector<int> digits = s_.digits(static_cast<int>(b));
      if (sharing_.with_others[b]) plain.insert(plain.end(), digits.begin(), digits.end());
    }
    if (run != plain)
      user_error<ArgumentError>("MOVE", "the order of loops decides what is stored last");
  }

  // What a running reduction goes along is walked point by point.
  void check_running() const {
    for (const Axis& a : s_.axes) {
      if (a.kind == Kind::Serial || a.kind == Kind::Unroll) continue;
      const Node* range = s_.bases[static_cast<size_t>(a.base)].range.node();
      if (std::ranges::any_of(order_,
                              [&](const Node* n) { return is_among(range, ranges_along(n)); }))
        user_error<ArgumentError>("VECTOR",
                                  fmt::format("a running reduction goes along {}", name(a.base)));
    }
  }

  const KernelSchedule& s_;
  const std::vector<const Node*> order_;
  std::vector<const Node*> ends_;
  const SharingBases sharing_;
  std::unordered_set<const Node*> written_;
  bool combines_ = false;
};

}  // namespace

SharingBases bases_sharing_elements(const UOp& kernel, const KernelSchedule& s) {
  SharingBases out{std::vector<bool>(s.bases.size()), std::vector<bool>(s.bases.size())};
  for (const Node* end : toposort(kernel)) {
    if (end->op != Op::End || end->src()[0]->op != Op::Store) continue;
    for (const UOp& r : ranges_sharing_elements(end)) {
      const int base = s.find_base(r);
      if (base < 0) continue;
      const auto b = static_cast<size_t>(base);
      out.with_others[b] = true;
      out.alone[b] = out.alone[b] || shares_elements_along(written_by(end->src()[0]), r);
    }
  }
  for (const Node* r : running_ranges(kernel)) {
    const int base = s.find_base(UOp::share(r));
    if (base >= 0)
      out.with_others[static_cast<size_t>(base)] = out.alone[static_cast<size_t>(base)] = true;
  }
  return out;
}

std::vector<const Node*> arrays_updated_in_turn(const UOp& kernel) {
  std::vector<const Node*> out;
  const std::vector<const Node*> order = toposort(kernel);
  for (const Node* end : order) {
    if (end->op != Op::End || end->src()[0]->op != Op::Store) continue;
    const Node* array = end->src()[0]->src()[0];
    const bool read = std::ranges::any_of(
        order, [&](const Node* n) { return n->op == Op::Load && n->src()[0] == array; });
    if (read && !is_among(array, out) && !ranges_sharing_elements(end).empty())
      out.push_back(array);
  }
  return out;
}

void check_legal(const UOp& kernel, const KernelSchedule& schedule) {
  Legality(kernel, schedule).check();
}

}  // namespace tg
