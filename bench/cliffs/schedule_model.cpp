// How well the model of a schedule's time (src/codegen/schedule_time.h) ranks schedules: for
// kernels of the cliff suite, legal schedules some random edits away from the heuristics' own are
// compiled and timed, and the order by the model is compared with the order by the clock.
// `schedule_model --help`. Docs: docs/search.md.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "codegen/heuristics.h"
#include "codegen/lower.h"
#include "codegen/neighbours.h"
#include "codegen/pipeline.h"
#include "codegen/schedule_time.h"
#include "engine/trial.h"
#include "kernel/split_reductions.h"
#include "row.h"
#include "support/interrupt.h"
#include "support/options.h"
#include "support/text.h"
#include "tg/error.h"
#include "tg/ir/graph.h"

namespace tg::cliffs {
namespace {

struct Arguments {
  std::vector<std::string> filters;
  int kernels = 60, schedules = 30;
  uint64_t seed = 1;
  bool verbose = false;
};

struct Sample {
  KernelSchedule schedule;
  double modelled = 0, seconds = 0;
};

// Ranks from 0; equal values share the mean of theirs.
std::vector<double> ranks(const std::vector<double>& values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::sort(order, {}, [&](size_t i) { return values[i]; });
  std::vector<double> out(values.size());
  for (size_t first = 0; first < order.size();) {
    size_t last = first;
    while (last + 1 < order.size() && values[order[last + 1]] == values[order[first]]) ++last;
    for (size_t i = first; i <= last; ++i) out[order[i]] = static_cast<double>(first + last) / 2;
    first = last + 1;
  }
  return out;
}

// Spearman's: of the ranks.
double rank_correlation(const std::vector<Sample>& samples) {
  std::vector<double> modelled, seconds;
  for (const Sample& s : samples) {
    modelled.push_back(s.modelled);
    seconds.push_back(s.seconds);
  }
  const std::vector<double> a = ranks(modelled), b = ranks(seconds);
  const double mean = (static_cast<double>(a.size()) - 1) / 2;
  double ab = 0, aa = 0, bb = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    ab += (a[i] - mean) * (b[i] - mean);
    aa += (a[i] - mean) * (a[i] - mean);
    bb += (b[i] - mean) * (b[i] - mean);
  }
  return aa == 0 || bb == 0 ? 0 : ab / std::sqrt(aa * bb);
}

struct Judged {
  std::string name;
  double correlation = 0;
  double chosen = 1;  // time of the model's choice by the best measured
  double scale = 1;   // modelled by measured time, of the best measured
};

class Bench {
 public:
  Bench(const Arguments& arguments, Device& device)
      : arguments_(arguments), device_(device), random_(arguments.seed) {}

  // Empty where there are too few schedules to rank.
  std::optional<Judged> judge(const std::string& name, const UOp& kernel) {
    const std::vector<UOp> vars = variables_of(kernel);
    std::optional<Trial> trial = Trial::of(device_, kernel, vars);
    if (!trial) return {};
    std::vector<Sample> samples;
    const ScheduleTime time(kernel, device_.target());
    for (KernelSchedule& s : schedules(kernel)) {
      check_interrupt("schedule_model");
      try {
        const LinearKernel linear[] = {lower(kernel, s, device_.target(), vars)};
        const std::vector<CompiledKernel> made = device_.compile(linear);
        const double seconds = trial->seconds_of(*made[0].program, 1);
        samples.push_back({s, time.seconds_of(s), seconds});
      } catch (const ArgumentError&) {
        continue;  // lowering takes it not
      } catch (const InternalError& e) {
        fmt::print(stderr, "{}: {}: {}\n", name, opts_text(s), e.what());
      }
    }
    if (samples.size() < 5) return {};
    const Sample& best = *std::ranges::min_element(samples, {}, &Sample::seconds);
    const Sample& chosen = *std::ranges::min_element(samples, {}, &Sample::modelled);
    if (arguments_.verbose) {
      std::ranges::sort(samples, {}, &Sample::seconds);
      for (const Sample& s : samples)
        fmt::print("    {:>9} {:>9}  {}\n", human_time(s.seconds), human_time(s.modelled),
                   opts_text(s.schedule));
    }
    return Judged{name, rank_correlation(samples), chosen.seconds / best.seconds,
                  best.modelled / best.seconds};
  }

 private:
  // The heuristics' own, and such as one to four random edits make of it or of the plain one.
  std::vector<KernelSchedule> schedules(const UOp& kernel) {
    const Target& target = device_.target();
    const KernelSchedule own = choose_schedule(kernel, target);
    std::vector<KernelSchedule> out = {own};
    for (int tries = 0; tries < 4 * arguments_.schedules; ++tries) {
      if (out.size() >= static_cast<size_t>(arguments_.schedules)) break;
      KernelSchedule s = own;
      for (int edits = 1 + static_cast<int>(random_() % 4); edits > 0; --edits) {
        std::vector<KernelSchedule> next = neighbours_of(kernel, s, target);
        if (!next.empty()) s = next[random_() % next.size()];
      }
      const bool known =
          std::ranges::any_of(out, [&](const KernelSchedule& o) { return o.opts == s.opts; });
      if (!known && unrolled_points(s) <= 512) out.push_back(std::move(s));
    }
    return out;
  }

  const Arguments& arguments_;
  Device& device_;
  std::mt19937_64 random_;
};

double at_share(std::vector<double> values, double share) {
  std::ranges::sort(values);
  return values[static_cast<size_t>(share * static_cast<double>(values.size() - 1))];
}

void print_summary(const std::vector<Judged>& all) {
  if (all.empty()) return;
  std::vector<double> correlation, chosen, scale;
  for (const Judged& j : all) {
    correlation.push_back(j.correlation);
    chosen.push_back(j.chosen);
    scale.push_back(j.scale);
  }
  fmt::print("\n{} kernels\n", all.size());
  fmt::print("rank correlation: median {:.2f}, a tenth below {:.2f}, worst {:.2f}\n",
             at_share(correlation, 0.5), at_share(correlation, 0.1), at_share(correlation, 0));
  fmt::print("time of the model's choice by the best: median {:.2f}, a tenth above {:.2f}\n",
             at_share(chosen, 0.5), at_share(chosen, 0.9));
  fmt::print("modelled by measured time of the best: median {:.2f}, {:.2f} to {:.2f} in 8 of 10\n",
             at_share(scale, 0.5), at_share(scale, 0.1), at_share(scale, 0.9));
}

bool chosen(const Row& row, const std::vector<std::string>& filters) {
  return filters.empty() || std::ranges::any_of(filters, [&](const std::string& f) {
           return row.name.find(f) != std::string::npos || row.group.find(f) != std::string::npos;
         });
}

// The longest kernel of a row, behind the passes.
UOp kernel_of(const Row& row, const Target& target) {
  Inputs inputs = row.inputs();
  UOp longest;
  double most = -1;
  for (const UOp& scheduled : kernels_of(row.write(inputs))) {
    for (const UOp& phase :
         split_reductions(run_kernel_passes(scheduled, target), target).kernels) {
      const double seconds = seconds_of(cost_of(phase), target);
      if (seconds <= most) continue;
      longest = phase;
      most = seconds;
    }
  }
  return longest;
}

void run(const Arguments& arguments) {
  Device& device = tg::device(default_device());
  std::vector<Row> rows = all_rows();
  std::erase_if(rows, [&](const Row& r) { return !chosen(r, arguments.filters); });
  std::mt19937_64 random(arguments.seed);
  std::ranges::shuffle(rows, random);
  std::vector<Judged> judged;
  Bench bench(arguments, device);
  for (const Row& row : rows) {
    if (judged.size() >= static_cast<size_t>(arguments.kernels)) break;
    const UOp kernel = kernel_of(row, device.target());
    const auto j = kernel ? bench.judge(row.name, kernel) : std::nullopt;
    if (!j) continue;
    fmt::print("{:5.2f}  chosen {:5.2f}  modelled {:5.2f}  {}\n", j->correlation, j->chosen,
               j->scale, j->name);
    std::fflush(stdout);
    judged.push_back(*j);
  }
  print_summary(judged);
}

}  // namespace
}  // namespace tg::cliffs

int main(int argc, char** argv) {
  tg::cliffs::Arguments arguments;
  CLI::App app("Ranks schedules by the model of their time and by the clock");
  app.add_option("--filter", arguments.filters, "Only rows with this in their name or group");
  app.add_option("--kernels", arguments.kernels, "Kernels, drawn from the cliff suite's rows");
  app.add_option("--schedules", arguments.schedules, "Schedules of each");
  app.add_option("--seed", arguments.seed, "Of what is drawn");
  app.add_flag("--verbose", arguments.verbose, "Print every schedule with both times");
  CLI11_PARSE(app, argc, argv);
  const tg::InterruptScope interrupts;
  try {
    tg::cliffs::run(arguments);
  } catch (const tg::Error& e) {
    fmt::print(stderr, "{}\n", e.what());
    return 1;
  }
}
