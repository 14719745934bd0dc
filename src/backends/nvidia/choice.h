// What may stand behind the name of the backend of NVIDIA's graphics processors.
#pragma once

#include <string>
#include <string_view>

namespace tg::nvidia {

/// What may follow the name of the backend.
inline constexpr std::string_view kTakes = "[:PTX][:INDEX|:SM_80|:SM_90A|…]";
/// Which device, or for which architecture alone, and what kernels are written in.
struct Choice {
  int index = 0;
  std::string arch;  ///< "sm_90a": nothing runs, kernels are only compiled; empty: a device
  bool ptx = false;  ///< instead of CUDA C: no compiler but the driver's assembler is needed
};
/// "1", "SM_90A", "PTX", "PTX:SM_90A". Throws DeviceError naming what may be said.
Choice parse_choice(std::string_view settings);
/// The same in one form; empty for the default.
std::string choice_text(const Choice& choice);
/// 90 of "sm_90a".
int capability_of(std::string_view arch);

}  // namespace tg::nvidia
