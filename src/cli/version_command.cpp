// tg version and tg --version: which library, how it was built, and what compiles its kernels here.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <ostream>

#include "cli/cli.h"
#include "runtime/device.h"
#include "tg/error.h"
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

// The compiler of the default device; a machine without one is no error here.
std::string kernel_compiler() {
  try {
    const std::string name = default_device(), compiler = device(name).compiler();
    return compiler.empty() ? "" : fmt::format("kernels for {}: {}\n", name, compiler);
  } catch (const Error& error) {
    return fmt::format("no kernels: {}\n", error.what());
  }
}

}  // namespace

std::string version_line() {
  const std::string built = commit().empty() ? "" : fmt::format(", commit {}", commit());
  return fmt::format("tinygrad.cpp {} ({}{})", version(), built_with(), built);
}

void add_version_command(CLI::App& app, std::ostream& out) {
  app.add_subcommand("version", "Print the version and how it was built")->callback([&out] {
    out << version_line() << "\n" << kernel_compiler();
  });
}

}  // namespace tg::cli
