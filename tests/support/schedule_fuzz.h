// Kernels of the zoo under random schedules, and a tally of what became of them.
#pragma once

#include <cmath>
#include <iostream>
#include <map>
#include <optional>
#include <string>

#include "codegen/decompose/decompose.h"
#include "codegen/lower.h"
#include "support/kernel_zoo.h"
#include "support/random_graph.h"
#include "support/random_schedule.h"
#include "support/run_linear.h"

namespace tg::test {

/// How many schedules ran, and why others were refused: printed when a test ends, so that a fuzz
/// that refuses nearly everything is seen.
class Tally {
 public:
  explicit Tally(std::string what) : what_(std::move(what)) {}
  Tally(const Tally&) = delete;
  Tally& operator=(const Tally&) = delete;
  ~Tally() {
    std::cout << "  " << what_ << ": " << run_ << " run, " << refused() << " refused\n";
    for (const auto& [why, n] : why_) std::cout << "    " << n << " x " << why << "\n";
  }

  void ran() { ++run_; }
  /// The Opt and its reason, without what is special to one kernel.
  void refuse(const std::string& message) {
    ++why_[message.substr(0, message.find_first_of("0123456789"))];
  }
  int run() const { return run_; }
  int refused() const {
    int n = 0;
    for (const auto& [why, count] : why_) n += count;
    return n;
  }
  /// Whether half of the schedules or more ran, as far as so few can tell: the difference of two
  /// counts that are equally likely strays from 0 by the root of their sum; three of these are
  /// allowed. All of 10 or more that are refused are always seen.
  bool half_ran() const {
    return run_ - refused() > -3 * std::sqrt(static_cast<double>(run_ + refused()));
  }

 private:
  std::string what_;
  int run_ = 0;
  std::map<std::string, int> why_;
};

struct DrawnSchedule {
  ZooKernel kernel;
  KernelSchedule schedule;
  std::string text;  ///< kernel, seed and Opts
};

/// Kernel number `kind` with up to six random Opts, all from `seed`; with the ops of `target` only,
/// if there is one; with work-items if `work_items`.
inline DrawnSchedule draw_schedule(int kind, uint64_t seed, const Target* target = nullptr,
                                   bool work_items = false) {
  DrawnSchedule d{Zoo(seed).make(kind), {}, {}};
  if (target != nullptr) d.kernel.ast = decompose(d.kernel.ast, *target);
  d.schedule = ScheduleMaker(d.kernel.ast, seed).make(1 + static_cast<int>(seed % 6), work_items);
  d.text = d.kernel.name + " seed " + std::to_string(seed) + ": " + opts_text(d.schedule);
  return d;
}

/// The kernels of a random graph, with arguments of their own.
inline std::vector<ZooKernel> random_graph_kernels(uint64_t seed, const Target& target) {
  const RandomGraph g =
      random_graph(seed, {.max_ops = 14, .max_extent = 7, .stores = seed % 3 == 0});
  std::vector<ZooKernel> out;
  std::mt19937_64 rng(seed);
  for (const ScheduleItem& item : make_schedule(g.roots, target).items) {
    if (!item.kernel) continue;
    ZooKernel k{"kernel " + std::to_string(out.size()), item.kernel, {}};
    k.params.resize(item.buffers.size());
    for (const Node* n : toposort(item.kernel)) {
      if (n->op != Op::Param) continue;
      const int bound = is_bool(n->dtype) ? 1 : 2;
      k.params[static_cast<size_t>(n->arg()[0])] =
          random_tensor(rng, {n->shape().begin(), n->shape().end()}, n->dtype,
                        is_bool(n->dtype) ? 0 : -bound, bound);
    }
    const bool complete =
        std::ranges::all_of(k.params, [](const TensorValue& v) { return v.dtype != DType::Void; });
    if (complete) out.push_back(std::move(k));
  }
  return out;
}

/// Empty if the schedule is illegal for the kernel, which only an ArgumentError may say.
inline std::optional<LinearKernel> lower_or_refuse(const UOp& kernel, const KernelSchedule& s,
                                                   const Target& t, Tally& tally) {
  try {
    LinearKernel k = lower(kernel, s, t);
    tally.ran();
    return k;
  } catch (const ArgumentError& e) {
    tally.refuse(e.what());
  } catch (const InternalError& e) {
    ADD_FAILURE() << e.what();
  }
  return {};
}

}  // namespace tg::test
