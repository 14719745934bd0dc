// What may stand behind "CPU:" in a device's name: a number, for several devices on one processor;
// which compiler makes the kernels, and for which processor. What the compilers are:
// kernel_compiler.h.
#pragma once

#include <string>
#include <string_view>

namespace tg::cpu {

/// Which of the devices, and how its kernels are compiled. All devices share processor, memory and
/// threads; what is on one must be copied to another, as where they are apart.
struct Settings {
  bool clang = false;  ///< as C by a C compiler; else as LLVM IR by libLLVM
  std::string arch;    ///< "native", "generic", or a level of the architecture: "x86-64-v3"
  int number = 0;

  /// "LLVM:native", "1:LLVM:native": equal for equal settings.
  std::string text() const;
  friend bool operator==(const Settings&, const Settings&) = default;
};

/// For `tg devices`: what may follow the name.
inline constexpr std::string_view kTakes = "[:INDEX][:LLVM|CLANG[:ARCH]]";

/// What CPU alone means under the options in force: options CLANG and TG_ARCH, and libLLVM only
/// where it is found.
Settings settings_of_options();
/// What CPU alone means in this process: as the options were when it was first asked.
const Settings& default_settings();
/// Reads "COMPILER" or "COMPILER:ARCH" in any case, behind a number and a colon or without; or a
/// number alone. Without ARCH it is that of the options, without COMPILER what CPU alone means.
/// Throws DeviceError that lists what there is, also for a level that this processor does not have.
Settings parse_settings(std::string_view text);
/// text() of these settings, without the parts that CPU alone means: "1" if only the number is
/// another, empty if they are the default ones. Errors as parse_settings.
std::string normalise_settings(std::string_view text);

}  // namespace tg::cpu
