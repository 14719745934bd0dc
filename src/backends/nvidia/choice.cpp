// See choice.h.
#include "backends/nvidia/choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "runtime/numbered_devices.h"
#include "support/check.h"
#include "support/text.h"

namespace tg::nvidia {

int capability_of(std::string_view arch) {
  if (!arch.starts_with("sm_")) return 0;
  arch.remove_prefix(3);
  if (!arch.empty() && std::isalpha(static_cast<unsigned char>(arch.back())) != 0)
    arch.remove_suffix(1);
  const auto number = parse_int64(arch);
  return number && *number >= 50 && *number < 1000 ? static_cast<int>(*number) : 0;
}

Choice parse_choice(std::string_view settings) {
  constexpr std::string_view kPtx = "ptx";
  const std::string all = to_lower(settings);
  std::string_view rest = all;
  Choice choice;
  if (rest == kPtx) return {.ptx = true};
  if (rest.starts_with(kPtx) && rest[kPtx.size()] == ':') {
    choice.ptx = true;
    rest.remove_prefix(kPtx.size() + 1);
  }
  if (const auto number = parse_device_number(rest)) {
    choice.index = *number;
    return choice;
  }
  if (capability_of(rest) != 0) {
    choice.arch = rest;
    return choice;
  }
  user_error<DeviceError>(
      "CUDA", fmt::format("takes {}, got \"{}\"", kTakes, settings),
      "Hint: DEV=CUDA:1 is the second device; DEV=CUDA:SM_80 compiles for one "
      "that is not here, and computes nothing; DEV=CUDA:PTX needs no compiler.");
}

std::string choice_text(const Choice& choice) {
  std::string text = choice.arch;
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  if (text.empty()) text = device_number_text(choice.index);
  if (!choice.ptx) return text;
  return text.empty() ? "PTX" : "PTX:" + text;
}

}  // namespace tg::nvidia
