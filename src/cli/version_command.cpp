// tg version: which library, and how it was built.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <ostream>

#include "cli/cli.h"
#include "tg/version.h"

namespace tg::cli {
namespace {

std::string built_with() {
#if defined(__clang__)
  const std::string compiler = fmt::format("clang {}.{}", __clang_major__, __clang_minor__);
#else
  const std::string compiler = fmt::format("gcc {}.{}", __GNUC__, __GNUC_MINOR__);
#endif
#ifdef NDEBUG
  return compiler + ", release";
#else
  return compiler + ", with checks";
#endif
}

}  // namespace

void add_version_command(CLI::App& app, std::ostream& out) {
  app.add_subcommand("version", "Print the version and how it was built")->callback([&out] {
    out << fmt::format("tinygrad.cpp {} ({})\n", version(), built_with());
  });
}

}  // namespace tg::cli
