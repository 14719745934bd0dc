// tg tune: runs a program under BEAM, so that the schedules of its kernels are searched for and
// kept. The search itself: src/engine/search.h.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>

#include "cli/cli.h"
#include "runtime/disk_cache.h"
#include "support/check.h"
#include "support/subprocess.h"

namespace tg::cli {
namespace {

struct Tuning {
  int beam = 4, seconds = 5;
  std::vector<std::string> program;
};

void tune(const Tuning& t, std::ostream& out) {
  const DiskCache found(kFoundSchedules);
  if (found.folder().empty())
    user_error<ArgumentError>("tune", "there is no cache to keep schedules in",
                              "Hint: set TG_CACHE to a folder.");
  const CacheUsage before = found.usage();
  const int status = run_attached(t.program, {{"BEAM", fmt::format("{}", t.beam)},
                                              {"BEAM_SECONDS", fmt::format("{}", t.seconds)}});
  const int64_t more = found.usage().entries - before.entries;
  out << fmt::format("{} kernel{} searched for, kept in {}\n", more, more == 1 ? "" : "s",
                     found.folder().string());
  if (status != 0)
    user_error<DeviceError>("tune", fmt::format("{} ended with status {}", t.program[0], status));
  out << fmt::format("run with BEAM={} BEAM_SECONDS=0 to use what was found\n", t.beam);
}

}  // namespace

void add_tune_command(CLI::App& app, std::ostream& out) {
  CLI::App* command = app.add_subcommand(
      "tune", "Run a program and search for the quickest schedules of its kernels");
  const auto t = std::make_shared<Tuning>();
  command->add_option("--beam", t->beam, "Schedules that each round of the search goes on from")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  command->add_option("--seconds", t->seconds, "Most seconds for the search of one kernel")
      ->check(CLI::Range(1, 86400))
      ->capture_default_str();
  command->add_option("program", t->program, "The program and its arguments, behind --")
      ->required();
  command->positionals_at_end();
  command->callback([t, &out] { tune(*t, out); });
}

}  // namespace tg::cli
