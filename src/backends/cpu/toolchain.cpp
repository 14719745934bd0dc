// See toolchain.h.
#include "backends/cpu/toolchain.h"

#include <fmt/format.h>

#include <filesystem>

#include "backends/cpu/target.h"
#include "support/options.h"
#include "support/subprocess.h"
#include "support/text.h"

namespace tg::cpu {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> out;
  for (std::string_view w : split(text, ' ')) {
    if (!w.empty()) out.emplace_back(w);
  }
  return out;
}

bool is_clang(const std::string& program) {
  std::error_code failed;
  const fs::path real = fs::canonical(program, failed);
  return fs::path(program).filename().string().find("clang") != std::string::npos ||
         (!failed && real.filename().string().find("clang") != std::string::npos);
}

}  // namespace

std::string file_identity(const std::string& program) {
  std::error_code failed;
  const fs::path real = fs::canonical(program, failed);
  if (failed) return program;
  const auto size = fs::file_size(real, failed);
  const auto time = fs::last_write_time(real, failed).time_since_epoch().count();
  return fmt::format("{} {} {}", real.string(), size, time);
}

std::optional<std::string> find_compiler() {
  if (!options().cc.empty()) {
    const std::vector<std::string> given = words(options().cc);
    if (given.empty() || !find_program(given[0])) return std::nullopt;
    return options().cc;
  }
  for (std::string_view name : default_compilers()) {
    if (find_program(name)) return std::string(name);
  }
  return std::nullopt;
}

// Strict values and free contraction: an fma may replace a product and a sum that stand in one
// expression, nothing else is loosened. Kernels touch no errno, no floating-point flags, and their
// integers wrap.
Toolchain make_toolchain(const std::string& compiler, const Target& target) {
  Toolchain t;
  t.command = words(compiler);
  if (const auto path = find_program(t.command[0])) t.command[0] = *path;
  const bool clang = is_clang(t.command[0]);
  std::vector<std::string> flags = {"-O2",
                                    "-std=gnu11",
                                    "-w",
                                    "-fPIC",
                                    "-shared",
                                    "-nostdlib",
                                    "-fwrapv",
                                    "-fno-strict-aliasing",
                                    "-fno-math-errno",
                                    "-fno-trapping-math",
                                    clang ? "-fno-vectorize" : "-fno-tree-loop-vectorize",
                                    clang ? "-fno-slp-vectorize" : "-fno-tree-slp-vectorize",
                                    "-fno-asynchronous-unwind-tables",
                                    "-fno-stack-protector",
                                    clang ? "-ffp-contract=on" : "-ffp-contract=fast"};
  const std::vector<std::string> native = native_flags();
  if (target.arch == "native") flags.insert(flags.end(), native.begin(), native.end());
  if (target.arch != "native" && target.arch != "generic") flags.push_back("-march=" + target.arch);
  if (target.vector_bytes == 64) flags.push_back("-mprefer-vector-width=512");
  flags.insert(flags.end(), {"-x", "c", "-", "-o"});
  t.command.insert(t.command.end(), flags.begin(), flags.end());
  t.identity = file_identity(t.command[0]) + "\n" + join(t.command, " ");
  if (target.arch == "native") t.identity += "\n" + processor_fingerprint();
  return t;
}

std::string missing_compiler_advice() {
  if (!options().cc.empty()) {
    return fmt::format(
        "the C compiler \"{}\" of option CC is not found: set CC to clang or gcc, or unset it, or "
        "use DEV=INTERP, "
        "which needs none",
        options().cc);
  }
  std::string tried;
  for (std::string_view name : default_compilers())
    tried += fmt::format("{}{}", tried.empty() ? "" : ", ", name);
  return fmt::format(
      "neither libLLVM nor a C compiler is found (tried {}): install libllvm, clang or gcc, set CC "
      "to "
      "a compiler, or use DEV=INTERP, which needs none",
      tried);
}

}  // namespace tg::cpu
