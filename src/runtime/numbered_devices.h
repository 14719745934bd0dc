// Backends whose devices have numbers: what may stand behind the backend's name, and how a device
// is called. Which devices there are, the backends know.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tg {

/// 3 of "3": the number of a device, below 1000; nothing for other text.
std::optional<int> parse_device_number(std::string_view text);
/// What may follow the name of a backend whose devices have numbers and no other settings.
inline constexpr std::string_view kTakesNumber = "[:INDEX]";
/// The number that is all the settings of such a backend. Throws DeviceError naming what may be
/// said.
int needed_device_number(std::string_view backend, std::string_view settings);
/// "1" of 1; empty for the first device, which the backend's name alone means.
std::string device_number_text(int number);
/// What a device is called: the backend's name, and behind a colon its settings if there are any.
std::string device_name(std::string_view backend, std::string_view settings);
/// Checks that there is a device `number` among those called `names`. Throws DeviceError that lists
/// them.
void check_device_number(std::string_view backend, int number, std::span<const std::string> names);
/// The same for devices of which each has the name that `name` gives.
template <typename Device, typename Name>
void check_device_number(std::string_view backend, int number, const std::vector<Device>& devices,
                         Name name) {
  std::vector<std::string> names;
  for (const Device& d : devices) names.push_back(std::invoke(name, d));
  check_device_number(backend, number, names);
}

}  // namespace tg
