// tg devices: every backend, whether it works here and why not, the compiler of its kernels, the
// facts that decisions go by, what its name takes; and which device is the default.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <ostream>

#include "cli/cli.h"
#include "runtime/device.h"
#include "support/text.h"
#include "tg/error.h"

namespace tg::cli {
namespace {

using Facts = std::vector<std::pair<std::string_view, std::string>>;

std::string bytes(int64_t n) { return human_bytes(static_cast<uint64_t>(n)); }

std::string vectors(const Target& t) {
  return fmt::format("{} bytes, {} registers{}{}", t.vector_bytes, t.vector_registers,
                     t.has_fma ? ", fused multiply-add" : "",
                     t.has_masked_access ? ", masked access" : "");
}

std::string work_items(const Target& t) {
  std::string out = fmt::format("{} a group, {} in lockstep", t.max_group_size, t.subgroup_size);
  if (t.local_bytes > 0) out += fmt::format(", {} of local memory", bytes(t.local_bytes));
  return t.max_groups > 0 ? fmt::format("{}, {} groups", out, t.max_groups) : out;
}

// What the compiler goes by, and what a user may want to choose.
Facts facts(const Backend& backend, const Device& d) {
  const Target& t = d.target();
  Facts out;
  if (const std::string compiler = d.compiler(); !compiler.empty())
    out.emplace_back("compiler", compiler);
  out.emplace_back("processor",
                   fmt::format("{}, {} core{}", t.arch, t.threads, t.threads == 1 ? "" : "s"));
  out.emplace_back("vectors", vectors(t));
  if (t.max_group_size > 0) out.emplace_back("work-items", work_items(t));
  out.emplace_back("caches", fmt::format("L1 {}, L2 {}, L3 {}", bytes(t.l1_bytes),
                                         bytes(t.l2_bytes), bytes(t.l3_bytes)));
  out.emplace_back("speed", fmt::format("{:.3g} GFLOP/s a core, {:.3g} GB/s, {:.3g} us a launch",
                                        t.flops_per_second * 1e-9, t.bytes_per_second * 1e-9,
                                        t.launch_seconds * 1e6));
  if (d.memory_bytes() > 0) out.emplace_back("memory", bytes(d.memory_bytes()));
  out.emplace_back("name", fmt::format("{}{}", backend.name, backend.takes));
  return out;
}

// What stands behind a backend's name. A device that fails to open is a line too, not the end of
// the list.
std::string description_of(const Backend& backend) {
  if (const std::string reason = backend.probe(); !reason.empty())
    return fmt::format("cannot be used here: {}\n", reason);
  std::string out = "works here";
  if (preference_here(backend) < 0) out += ", when it is asked for";
  out += "\n";
  try {
    for (const auto& [what, value] : facts(backend, device(backend.name)))
      out += fmt::format("  {:<10} {}\n", what, value);
  } catch (const Error& error) {
    return fmt::format("fails: {}\n", error.what());
  }
  return out;
}

// Sorted as they are preferred.
std::vector<const Backend*> by_preference() {
  const std::span<const Backend* const> all = backends();
  std::vector<const Backend*> order(all.begin(), all.end());
  std::ranges::stable_sort(order, std::greater{}, [](const Backend* b) {
    return std::pair(b->probe().empty(), preference_here(*b));
  });
  return order;
}

void print_devices(std::ostream& out) {
  const std::vector<const Backend*> order = by_preference();
  for (const Backend* backend : order)
    out << fmt::format("{}: {}", backend->name, description_of(*backend));
  for (const FailedBackend& f : failed_backends())
    out << fmt::format("cannot be loaded: {}\n", f.reason);
  // Last, because a wrong DEV is an error: the list above says what would be right.
  out << fmt::format("default: {}\n", default_device());
}

}  // namespace

void add_devices_command(CLI::App& app, std::ostream& out) {
  app.add_subcommand("devices", "Print the devices, whether they work here, and the default")
      ->callback([&out] { print_devices(out); });
}

}  // namespace tg::cli
