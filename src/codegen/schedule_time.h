// How long a kernel would run under a schedule, by a model: T of docs/kernel-facts.md. It makes no
// nodes and no code, only counts on the tables of facts and schedule, so thousands of schedules are
// ranked in the time that one takes to compile. A search leaves out by it what is hopeless
// (src/engine/search.h). What it knows of a machine are the facts of Target; how well it ranks is
// measured by bench/cliffs/schedule_model.
#pragma once

#include <cstdint>
#include <vector>

#include "kernel/kernel_schedule.h"
#include "target/target.h"

namespace tg {

class ScheduleTime {
 public:
  /// Looks at the kernel once: O(nodes · reductions). `target` must live as long.
  ScheduleTime(const UOp& kernel, const Target& target);

  /// Modelled seconds of a launch under a schedule of the kernel, which need not be legal. O(loops
  /// · (operations + accesses)), some µs.
  double seconds_of(const KernelSchedule& s) const;

 private:
  using BaseSet = uint64_t;  // bit b: depends on base b of the plain schedule

  struct Operation {
    BaseSet depends;
    double cost;  // in slots: see schedule_time.cpp
    int bytes;    // of the widest element that it touches
  };
  struct Access {
    const Node* node;
    std::vector<int64_t> stride;  // elements, by base; 0: not dependent, or through data
    BaseSet depends, gathered;    // gathered: through a term that is no range
    int bytes;
    int64_t elements;
    bool store, gated;
  };
  // What runs inside the loops of one reduction, or of one store.
  struct Scope {
    const Node* root;
    BaseSet path, closed;  // loops around it; of those the ones that a reduction closes
    bool chained;          // a sum of products: each term waits for the one before
    int bytes;
    std::vector<Operation> operations;
    std::vector<Access> accesses;
  };
  struct Nest;

  void add_scope(const Node* root, const std::vector<const Node*>& order);
  double slots_of(const Scope& scope, const Nest& nest, const KernelSchedule& s) const;
  double access_slots(const Access& a, const Nest& nest, bool staged) const;
  double copy_slots(const Scope& scope, const Nest& nest, const KernelSchedule& s) const;
  double traffic_seconds(const Scope& scope, const Nest& nest, const KernelSchedule& s) const;
  double run_bytes(const Access& a, const Nest& nest) const;
  double footprint(const Access& a, const Nest& nest, size_t depth) const;

  const Target& target_;
  std::vector<int64_t> extents_;  // by base
  std::vector<Scope> scopes_;
  const KernelSchedule plain_;
};

}  // namespace tg
