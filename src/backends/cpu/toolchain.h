// Which C compiler there is and how it is called. Running it and keeping what it made is
// compiler.h.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "target/target.h"

namespace tg::cpu {

struct Toolchain {
  std::vector<std::string>
      command;  ///< program, the user's own flags from CC, and ours, up to the output
  std::string
      identity;  ///< changes when the compiler, the flags or the processor do; part of cache keys
};

/// Option CC (a program, which may be followed by flags), else the first of default_compilers();
/// empty if none is there.
std::optional<std::string> find_compiler();
/// How `compiler` compiles for `target`: reads C from standard input, writes a shared object to the
/// name that follows.
Toolchain make_toolchain(const std::string& compiler, const Target& target);
/// Path, size and time of the file behind links: its version, without starting or opening it.
std::string file_identity(const std::string& path);
/// The sentence that says what to do where find_compiler() finds nothing.
std::string missing_compiler_advice();

}  // namespace tg::cpu
