// What may stand behind "CPU:" in a device's name: which compiler makes the kernels, and for which
// processor. What the compilers are: kernel_compiler.h.
#pragma once

#include <string>
#include <string_view>

namespace tg::cpu {

/// How kernels are compiled.
struct Settings {
  bool clang = false;  ///< as C by a C compiler; else as LLVM IR by libLLVM
  std::string arch;    ///< "native", "generic", or a level of the architecture: "x86-64-v3"

  /// "LLVM:native": equal for equal settings.
  std::string text() const;
  friend bool operator==(const Settings&, const Settings&) = default;
};

/// For `tg devices`: what may follow the name.
inline constexpr std::string_view kTakes = "[:LLVM|CLANG[:ARCH]]";

/// What CPU alone means under the options in force: options CLANG and TG_ARCH, and libLLVM only
/// where it is found.
Settings settings_of_options();
/// What CPU alone means in this process: as the options were when it was first asked.
const Settings& default_settings();
/// Reads "COMPILER" or "COMPILER:ARCH" in any case; without ARCH it is that of the options. Throws
/// DeviceError that lists what there is, also for a level that this processor does not have.
Settings parse_settings(std::string_view text);
/// text() of these settings; empty if they are the default ones. Errors as parse_settings.
std::string normalise_settings(std::string_view text);

}  // namespace tg::cpu
