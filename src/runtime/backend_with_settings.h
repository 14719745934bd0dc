// The descriptor of a backend whose settings are a value: read from text, spelled in one form,
// opened as a device. What the settings are, the backend says.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "runtime/device.h"

namespace tg {

/// A backend with its preference, by default never the default device. `parse` reads settings
/// (std::string_view) or throws DeviceError, `spell` gives them back in one form, empty for a value
/// of no settings, and `open` opens the device of such a value.
template <auto parse, auto spell, auto open>
constexpr Backend backend_with_settings(std::string_view name, std::string (*probe)(),
                                        std::string_view takes, int preference = -1,
                                        bool (*may_be_default)() = nullptr) {
  using Settings = decltype(parse({}));
  return {.name = name,
          .preference = preference,
          .probe = probe,
          .open = +[] { return std::unique_ptr<Device>(open(Settings{})); },
          .takes = takes,
          .normalise = [](std::string_view text) { return std::string(spell(parse(text))); },
          .open_with =
              [](const std::string& text) { return std::unique_ptr<Device>(open(parse(text))); },
          .may_be_default = may_be_default};
}

}  // namespace tg
