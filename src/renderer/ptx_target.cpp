// See ptx_target.h. Versions: the PTX manual's release notes.
#include "renderer/ptx_target.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "renderer/ptx.h"
#include "support/check.h"
#include "support/text.h"

namespace tg {
namespace {

// Architecture and version, rising; of those with instructions of their own ("sm_90a") the version
// is that of their last letter.
constexpr std::array<std::pair<int, int>, 12> kKnown = {{{75, 63},
                                                         {80, 70},
                                                         {86, 71},
                                                         {87, 74},
                                                         {88, 90},
                                                         {89, 78},
                                                         {90, 78},
                                                         {100, 86},
                                                         {103, 88},
                                                         {110, 90},
                                                         {120, 87},
                                                         {121, 88}}};
constexpr int kSm90a = 80;

}  // namespace

int ptx_version_of(std::string_view arch) {
  std::string_view digits = arch;
  if (digits.starts_with("sm_")) digits.remove_prefix(3);
  const bool own = !digits.empty() && digits.back() == 'a';
  if (own) digits.remove_suffix(1);
  const auto number = parse_int64(digits);
  TG_CHECK(number && *number >= kKnown.front().first, "PTX is not written for {}", arch);
  int version = 0;
  for (const auto& [known, since] : kKnown) {
    if (known <= *number) version = since;
  }
  return own && *number == 90 ? kSm90a : version;
}

std::string ptx_arch(int capability) {
  int found = 0;
  for (const auto& [known, since] : kKnown) {
    if (known <= capability) found = known;
  }
  if (found == 0) {
    user_error<DeviceError>("compile",
                            fmt::format("PTX is written for compute capability 7.5 and later, and "
                                        "the graphics processor has {}.{}",
                                        capability / 10, capability % 10),
                            "Hint: leave out PTX in the device's name.");
  }
  return fmt::format("sm_{}", found);
}

int ptx_version_of(const MatrixUnit& unit) {
  return unit.input == DType::Float16 && unit.k == 8 ? 65 : 70;
}

}  // namespace tg
