// See device_id.h.
#include "uop/device_id.h"

#include <limits>

#include "support/check.h"
#include "support/symbol.h"

namespace tg {

DeviceId device_id(std::string_view name) {
  const int64_t id = intern_symbol(name);
  if (id > std::numeric_limits<DeviceId>::max()) {
    user_error<ArgumentError>(
        "device", fmt::format("the name \"{}\" is number {} of this process", name, id),
        "Hint: devices must be named before 65,535 other names, variables among them.");
  }
  return static_cast<DeviceId>(id);
}

}  // namespace tg
