// See numbered_devices.h.
#include "runtime/numbered_devices.h"

#include <fmt/format.h>

#include "support/check.h"
#include "support/text.h"

namespace tg {

std::optional<int> parse_device_number(std::string_view text) {
  constexpr int64_t kMost = 999;
  const auto number = parse_int64(text);
  if (!number || *number < 0 || *number > kMost) return {};
  return static_cast<int>(*number);
}

int needed_device_number(std::string_view backend, std::string_view settings) {
  if (const auto number = parse_device_number(settings)) return *number;
  user_error<DeviceError>(backend, fmt::format("takes {}, got \"{}\"", kTakesNumber, settings),
                          fmt::format("Hint: DEV={}:1 is the second device.", backend));
}

std::string device_number_text(int number) { return number == 0 ? "" : fmt::format("{}", number); }

std::string device_name(std::string_view backend, std::string_view settings) {
  return settings.empty() ? std::string(backend) : fmt::format("{}:{}", backend, settings);
}

void check_device_number(std::string_view backend, int number, std::span<const std::string> names) {
  if (number < std::ssize(names)) return;
  std::string known;
  for (size_t i = 0; i < names.size(); ++i)
    known += fmt::format("{}{} {}", i == 0 ? "" : ", ", i, names[i]);
  user_error<DeviceError>(backend, fmt::format("there is no device {}: {}", number,
                                               known.empty() ? "none at all" : known));
}

}  // namespace tg
