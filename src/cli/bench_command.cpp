// tg bench: how fast this build is on this machine, on a handful of expressions that everybody
// knows. It proves nothing about other machines and gates nothing; comparisons with hand-written
// kernels use bench/kernels.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <ostream>

#include "cli/calibrate.h"
#include "cli/cli.h"
#include "cli/peaks.h"
#include "cli/workloads.h"
#include "runtime/device.h"
#include "support/check.h"
#include "support/interrupt.h"
#include "support/options.h"
#include "support/progress.h"
#include "tg/version.h"

namespace tg::cli {
namespace {

struct BenchArguments {
  std::vector<std::string> only;
  int threads = 0;
  int repetitions = 0;
  bool json = false;
  bool calibrate = false;
};

std::vector<Workload> workloads() {
  return {
      matmul_workload("matmul-256", 256),           matmul_workload("matmul-1024", 1024),
      chain_workload("chain-4Mi", 4 << 20),         sum_workload("sum-16Mi", 16 << 20),
      sum_axis_workload("sum-rows", 4096, 4096, 1), sum_axis_workload("sum-columns", 4096, 4096, 0),
      softmax_workload("softmax", 4096, 1024),      conv_workload("conv3x3", 8, 64, 56)};
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const Workload& w : workloads()) all.push_back(w.name);
  return all;
}

void print(const std::vector<Measurement>& measured, bool json, std::ostream& out) {
  if (!json) {
    out << fmt::format("tinygrad.cpp {} on {}, threads: {}\n{}", version(), default_device(),
                       options().thread_count(), table(measured));
  }
  for (const Measurement& m : measured) {
    if (json) out << json_line(m) << "\n";
  }
}

// What the processor gives at most, beside what kernels reach of it. A device that runs work-items
// is no processor that loops of the host could measure.
void print_peaks(std::ostream& out) {
  const Target& target = device(default_device()).target();
  if (target.max_group_size > 0) return;
  out << "Peaks of hand-written loops, in operations and bytes of all threads:\n";
  const int threads = options().thread_count();
  out << table(measure_peaks(target, 1));
  if (threads > 1) out << table(measure_peaks(target, threads));
}

// Measures this machine for the cost model; kernels compiled from the next process on go by it.
void run_calibration(std::ostream& out) {
  const std::string machine = device(default_device()).target().machine;
  if (machine.empty()) {
    user_error<ArgumentError>("bench", fmt::format("{} has no speeds to measure", default_device()),
                              "Hint: choose another device with DEV.");
  }
  const InterruptScope interrupts;
  const Calibration measured = calibrate();
  const bool kept = save_calibration(default_device(), machine, measured);
  out << fmt::format(
      "{}: {:.1f} GFLOP/s a core, {:.1f} GB/s, {:.2f} us a launch\n{}\n", default_device(),
      measured.flops_per_second * 1e-9, measured.bytes_per_second * 1e-9,
      measured.launch_seconds * 1e6,
      kept ? "Kept in the cache folder for the programs that start from now on."
           : "Not kept: there is no cache folder that can be written (option TG_CACHE).");
  print_peaks(out);
}

// After Ctrl-C or an error, what was measured is printed before the error goes on.
void run_bench(const BenchArguments& arguments, std::ostream& out) {
  if (arguments.calibrate) return run_calibration(out);
  Options changed = options();
  if (arguments.threads > 0) changed.threads = arguments.threads;
  const OptionsScope scope(changed);
  const InterruptScope interrupts;
  std::vector<Workload> chosen = workloads();
  std::erase_if(chosen, [&](const Workload& w) {
    return !arguments.only.empty() && std::ranges::count(arguments.only, w.name) == 0;
  });
  std::vector<Measurement> measured;
  try {
    ProgressBar bar("bench", static_cast<int64_t>(chosen.size()));
    for (const Workload& w : chosen) {
      measured.push_back(measure(w, arguments.repetitions));
      bar.advance(1, w.name);
    }
  } catch (...) {
    if (!measured.empty()) print(measured, arguments.json, out);
    throw;
  }
  print(measured, arguments.json, out);
}

}  // namespace

void add_bench_command(CLI::App& app, std::ostream& out) {
  CLI::App* command =
      app.add_subcommand("bench", "Measure the speed of common expressions on the default device");
  const auto arguments = std::make_shared<BenchArguments>();
  command->add_option("--only", arguments->only, "Measure only this expression; repeatable")
      ->type_name("NAME")
      ->expected(1)
      ->take_all()
      ->check(CLI::IsMember(names()));
  command->add_option("--threads", arguments->threads, "Threads, instead of the option THREADS")
      ->type_name("N")
      ->check(CLI::Range(1, 1024));
  command
      ->add_option("--repetitions", arguments->repetitions,
                   "Evaluations that are timed, instead of about half a second each")
      ->type_name("N")
      ->check(CLI::Range(1, 100000));
  command->add_flag("--calibrate", arguments->calibrate,
                    "Measure what the cost model must know about this machine, and keep it");
  command->add_flag("--json", arguments->json, "Print a JSON object a line instead of a table");
  command->callback([&out, arguments] { run_bench(*arguments, out); });
}

}  // namespace tg::cli
