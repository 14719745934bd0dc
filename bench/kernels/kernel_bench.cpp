// Generated kernels at the sizes for which hand-written ones exist, a JSON object a line, so that a
// script can set both beside each other (compare). Each with one and with two threads unless told
// otherwise: `kernel_bench [--threads N,N,...] [NAME ...]`. Nothing is gated on them.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "cli/workloads.h"
#include "support/check.h"
#include "support/interrupt.h"
#include "support/options.h"
#include "support/text.h"

namespace tg::bench {
namespace {

std::vector<cli::Workload> workloads() {
  return {cli::matmul_workload("gemm-1024", 1024),
          cli::matmul_workload("gemm-1000", 1000),
          cli::matmul_workload("gemm-1023", 1023),
          cli::chain_workload("chain-16Mi", 16 << 20),
          cli::sum_workload("sum-all-64Mi", 64 << 20),
          cli::sum_axis_workload("sum-axis0-8192x8192", 8192, 8192, 0),
          cli::sum_axis_workload("sum-axis1-8192x8192", 8192, 8192, 1),
          cli::softmax_workload("softmax-4096x4096", 4096, 4096),
          cli::layer_norm_workload("layer-norm-8192x1024", 8192, 1024),
          cli::transpose_workload("transpose-8192x8192", 8192, 8192),
          cli::conv_workload("conv3x3-16x64x56x56", 16, 64, 56)};
}

struct Arguments {
  std::vector<int> threads = {1, 2};
  std::vector<std::string> names;
};

int parse_number(std::string_view text) {
  int threads = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), threads);
  if (error != std::errc() || end != text.data() + text.size() || threads < 1 || threads > 1024) {
    user_error<ArgumentError>("kernel_bench",
                              fmt::format("--threads takes 1 to 1024, not \"{}\"", text));
  }
  return threads;
}

std::vector<int> parse_threads(std::string_view text) {
  std::vector<int> all;
  for (const std::string_view number : split(text, ',')) all.push_back(parse_number(number));
  return all;
}

Arguments parse(int argc, char** argv) {
  const std::vector<cli::Workload> all = workloads();
  Arguments arguments;
  if (options().threads > 0) arguments.threads = {options().threads};
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--threads") {
      arguments.threads = parse_threads(i + 1 < argc ? argv[++i] : "");
    } else if (std::ranges::count(all, argument, &cli::Workload::name) > 0) {
      arguments.names.push_back(argument);
    } else {
      std::string known;
      for (const cli::Workload& w : all) known += " " + w.name;
      user_error<ArgumentError>("kernel_bench",
                                fmt::format("there is no workload \"{}\"", argument),
                                "Hint: there are" + known + ".");
    }
  }
  return arguments;
}

void run(const Arguments& arguments, int threads) {
  Options changed = options();
  changed.threads = threads;
  const OptionsScope scope(changed);
  const InterruptScope interrupts;
  for (const cli::Workload& w : workloads()) {
    if (!arguments.names.empty() && std::ranges::count(arguments.names, w.name) == 0) continue;
    fmt::print("{}\n", cli::json_line(cli::measure(w)));
    std::fflush(stdout);
  }
}

}  // namespace
}  // namespace tg::bench

int main(int argc, char** argv) {
  try {
    const tg::bench::Arguments arguments = tg::bench::parse(argc, argv);
    for (const int threads : arguments.threads) tg::bench::run(arguments, threads);
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
