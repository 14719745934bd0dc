// tg-cubins: what kernels take of a graphics processor that is not here. Runs the workloads of
// tests/support/gpu_workloads.h on a device that only compiles, and prints a table for people and
// documents: registers, spills, shared memory, size. What compiles:
// src/backends/nvidia/cubin_device.h.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <exception>

#include "backends/nvidia/cubin_device.h"
#include "support/check.h"
#include "support/gpu_workloads.h"
#include "support/options.h"
#include "support/text.h"

namespace tg::cubins {
namespace {

using Report = nvidia::CubinDevice::Report;

void print_row(const std::string& workload, const Report& r) {
  fmt::print("| {} | `{}` | {} | {} | {} | {} | {} |\n", workload, r.kernel, r.group_size,
             r.use.registers, r.use.spilled_bytes, r.use.shared_bytes, r.cubin_bytes);
}

void print_table(nvidia::CubinDevice& d, const std::string& filter) {
  fmt::print("{}, {}\n\n", d.name(), d.compiler());
  fmt::print("| workload | kernel | work-items | registers | spilled | shared | cubin |\n");
  fmt::print("| --- | --- | ---: | ---: | ---: | ---: | ---: |\n");
  int64_t kernels = 0, spilled = 0;
  for (const test::Workload& w : test::gpu_workloads()) {
    if (w.name.find(filter) == std::string::npos) continue;
    const size_t before = d.reports().size();
    w.run();
    const std::vector<Report> all = d.reports();
    for (size_t i = before; i < all.size(); ++i) {
      print_row(w.name, all[i]);
      ++kernels;
      spilled += all[i].use.spilled_bytes > 0 ? 1 : 0;
    }
  }
  fmt::print(
      "\n{} kernels, {} of them spill registers. Sizes in bytes; registers and spilled bytes "
      "of a work-item, shared bytes of a group.\n",
      kernels, spilled);
}

int main(int argc, char** argv) {
  CLI::App app("What kernels take of a graphics processor that is not here.");
  std::string arch = "sm_80", filter;
  app.add_option("--arch", arch, "the architecture: sm_75 to sm_120")->capture_default_str();
  app.add_option("--filter", filter, "only workloads whose names contain this");
  CLI11_PARSE(app, argc, argv);
  Options o = options();
  o.device = "CUDA:" + arch;
  const OptionsScope scope(o);
  auto* d = dynamic_cast<nvidia::CubinDevice*>(&device(o.device));
  if (d == nullptr) user_error<DeviceError>("tg-cubins", arch + " is no architecture");
  print_table(*d, filter);
  return 0;
}

}  // namespace
}  // namespace tg::cubins

int main(int argc, char** argv) {
  try {
    return tg::cubins::main(argc, argv);
  } catch (const std::exception& e) {
    fmt::print(stderr, "{}\n", e.what());
    return 1;
  }
}
