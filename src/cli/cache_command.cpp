// tg cache: what compiled kernels and found schedules take on disk, and a way to be rid of them.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <ostream>

#include "cli/cli.h"
#include "runtime/disk_cache.h"
#include "support/options.h"
#include "support/text.h"

namespace tg::cli {
namespace {

constexpr const char* kNoCache =
    "no cache: TG_CACHE is off, or neither HOME nor XDG_CACHE_HOME is set\n";

std::string counted(const CacheUsage& u) {
  return fmt::format("{} compiled kernel file{}, {}", u.entries, u.entries == 1 ? "" : "s",
                     human_bytes(u.bytes));
}

void print_info(std::ostream& out) {
  const DiskCache cache(kKernelCache);
  if (cache.folder().empty()) {
    out << kNoCache;
    return;
  }
  out << fmt::format("{}: {} of at most {}\n", cache.folder().string(), counted(cache.usage()),
                     human_bytes(static_cast<uint64_t>(options().cache_megabytes) << 20));
  const DiskCache found(kFoundSchedules);
  const CacheUsage schedules = found.usage();
  if (schedules.entries > 0)
    out << fmt::format("{}: {} schedule{} found by BEAM, {}\n", found.folder().string(),
                       schedules.entries, schedules.entries == 1 ? "" : "s",
                       human_bytes(schedules.bytes));
}

void clear(std::ostream& out) {
  const DiskCache cache(kKernelCache);
  if (cache.folder().empty()) {
    out << kNoCache;
    return;
  }
  out << fmt::format("deleted from {}: {}\n", cache.folder().string(), counted(cache.clear()));
  const DiskCache found(kFoundSchedules);
  if (const CacheUsage schedules = found.clear(); schedules.entries > 0)
    out << fmt::format("deleted from {}: {} schedule{} found by BEAM\n", found.folder().string(),
                       schedules.entries, schedules.entries == 1 ? "" : "s");
}

}  // namespace

void add_cache_command(CLI::App& app, std::ostream& out) {
  CLI::App* command = app.add_subcommand("cache", "Show or delete the compiled kernels on disk");
  command->require_subcommand(1);
  command->add_subcommand("info", "Print where they are, how many, and their size")
      ->callback([&out] { print_info(out); });
  command->add_subcommand("clear", "Delete them; they are compiled again when needed")
      ->callback([&out] { clear(out); });
}

}  // namespace tg::cli
