// Random sequences of Opts on a kernel's schedule. Those that are illegal must say so with
// ArgumentError and leave the table as it was, which is checked for each.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "codegen/scheduled_kernel.h"
#include "kernel/kernel_schedule.h"
#include "tg/error.h"
#include "tg/ir/walk.h"

namespace tg::test {

inline bool same_table(const KernelSchedule& a, const KernelSchedule& b) {
  auto same_base = [](const BaseRange& x, const BaseRange& y) {
    return x.range == y.range && x.extent == y.extent && x.role == y.role && x.tail == y.tail &&
           x.tile == y.tile;
  };
  auto same_axis = [](const Axis& x, const Axis& y) {
    return x.base == y.base && x.stride == y.stride && x.extent == y.extent && x.kind == y.kind &&
           x.unit_bit == y.unit_bit;
  };
  auto same_stage = [](const Staging& x, const Staging& y) {
    return x.operand == y.operand && x.level == y.level;
  };
  return std::ranges::equal(a.bases, b.bases, same_base) &&
         std::ranges::equal(a.axes, b.axes, same_axis) &&
         std::ranges::equal(a.stages, b.stages, same_stage) && a.opts == b.opts &&
         a.unit.has_value() == b.unit.has_value();
}

/// Applies `opt`; false if it is illegal, and then `s` must be what it was.
inline bool try_opt(KernelSchedule& s, const std::function<void(KernelSchedule&)>& opt) {
  const KernelSchedule before = s;
  try {
    opt(s);
    return true;
  } catch (const ArgumentError&) {
    EXPECT_TRUE(same_table(s, before)) << "an illegal Opt changed the table";
    return false;
  }
}

class ScheduleMaker {
 public:
  ScheduleMaker(const UOp& kernel, uint64_t seed) : rng_(seed), schedule_(plain_schedule(kernel)) {
    for (const Node* n : toposort(kernel)) {
      const UOp u = UOp::share(n);
      if (u.is(Op::Load) || is_copied_expression(u)) operands_.push_back(u);
    }
  }

  /// Up to `opts` Opts, threads last. With `work_items`, work-items among them.
  KernelSchedule make(int opts, bool work_items = false) {
    for (int i = 0; i < opts; ++i) {
      const int what = below(work_items ? 12 : 7), base = below(n_bases());
      try_opt(schedule_, [&](KernelSchedule& s) { random_opt(s, what, base); });
    }
    const int threads = below(3);
    if (threads > 0) try_opt(schedule_, [&](KernelSchedule& s) { opt_thread(s, threads); });
    return schedule_;
  }

  /// The same with a matrix unit for three random axes somewhere among them, if that is legal;
  /// without lanes, which a product by a unit does not have.
  KernelSchedule make_with_unit(const MatrixUnit& unit, int opts) {
    const int before = below(3);
    for (int i = 0; i < before + opts; ++i) {
      if (i == before) add_unit(unit);
      static constexpr int kOpts[] = {0, 0, 1, 1, 4, 5, 6, 6, 7, 8, 10};
      const int what = kOpts[below(std::size(kOpts))], base = below(n_bases());
      try_opt(schedule_, [&](KernelSchedule& s) { random_opt(s, what, base); });
    }
    if (!schedule_.unit) add_unit(unit);
    const int threads = below(3);
    if (threads > 0) try_opt(schedule_, [&](KernelSchedule& s) { opt_thread(s, threads); });
    return schedule_;
  }

  /// What make() made, with copies of some steps of one loop in flight for one operand or two;
  /// whether that is legal is known when the schedule is applied.
  KernelSchedule with_steps_in_flight(const KernelSchedule& made) {
    KernelSchedule s = made;
    const int level = 1 + below(4), depth = 2 + below(3);
    for (int k = 1 + below(2); k > 0 && !operands_.empty(); --k)
      try_opt(s, [&](KernelSchedule& t) { opt_stage(t, {random_operand(), level, depth}); });
    return s;
  }

 private:
  const UOp& random_operand() {
    return operands_[static_cast<size_t>(below(static_cast<int>(operands_.size())))];
  }

  // Of the axes that are legal, those that a product could have; which factor has which is tried.
  void add_unit(const MatrixUnit& unit) {
    for (int tries = 0; tries < 64 && !schedule_.unit; ++tries) {
      const std::array<int, 3> bases = {below(n_bases()), below(n_bases()), below(n_bases())};
      const Tail tail = below(3) == 0 ? Tail::Peel : Tail::Mask;
      try_opt(schedule_, [&](KernelSchedule& s) { opt_matrix(s, unit, bases, tail); });
    }
  }

  void random_opt(KernelSchedule& s, int what, int base) {
    static constexpr Tail kTails[] = {Tail::Peel, Tail::Shift, Tail::Mask, Tail::Absorb};
    const Tail tail = kTails[below(4)];
    const int64_t size = 1 + below(9);
    const int at = below(6);
    switch (what) {
      case 0:
        return opt_tile(s, base, size, at, tail);
      case 1:
        return opt_unroll(s, base, 1 + below(5), tail);
      case 2:
      case 3:
        return opt_vector(s, base, 2 << below(3), tail);
      case 4:
        return opt_move(s, below(6), below(6));
      case 5:
        return opt_split_reduce(s, base, size, at, tail);
      case 7:
      case 8:
      case 9:
        return opt_local(s, base, 2 + below(4), tail);
      case 10:
      case 11:
        return opt_group(s, base, 2 + below(4) * (1 + 9 * below(2)), tail);
      default:
        if (!operands_.empty()) opt_stage(s, {random_operand(), below(5)});
    }
  }
  int n_bases() const { return static_cast<int>(schedule_.bases.size()); }
  int below(int n) { return n <= 0 ? 0 : static_cast<int>(rng_() % static_cast<uint64_t>(n)); }

  std::mt19937_64 rng_;
  KernelSchedule schedule_;
  std::vector<UOp> operands_;
};

}  // namespace tg::test
