// tg devices: every backend of this build, whether it works here and why not, which one is the
// default, the facts that the compiler knows about
// it, and which compiler that is.
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

std::string facts(const Target& target) {
  return fmt::format("{}, {} thread{}, vectors of {} bytes, L2 {}", target.arch, target.threads,
                     target.threads == 1 ? "" : "s", target.vector_bytes,
                     human_bytes(static_cast<uint64_t>(target.l2_bytes)));
}

// What stands behind a backend's name. A device that fails to open is a line too, not the end of
// the list.
std::string status_of(const Backend& backend) {
  const std::string reason = backend.probe();
  if (!reason.empty()) return "cannot be used here: " + reason;
  try {
    const Device& d = device(backend.name);
    const std::string compiler = d.compiler();
    return facts(d.target()) + (compiler.empty() ? "" : ", compiler " + compiler);
  } catch (const Error& error) {
    return std::string("fails: ") + error.what();
  }
}

// Sorted as they are preferred.
std::vector<const Backend*> by_preference() {
  const std::span<const Backend* const> all = backends();
  std::vector<const Backend*> order(all.begin(), all.end());
  std::ranges::stable_sort(order, std::greater{}, &Backend::preference);
  return order;
}

void print_devices(std::ostream& out) {
  const std::vector<const Backend*> order = by_preference();
  size_t width = 0;
  for (const Backend* backend : order) width = std::max(width, backend->name.size());
  for (const Backend* backend : order) {
    out << fmt::format("{:{}}  {}\n", backend->name, width, status_of(*backend));
  }
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
