// The numbers that nodes have for the names of devices.
#pragma once

#include <string_view>

#include "uop/node.h"

namespace tg {

/// The number of a device's name. ArgumentError where none is left: a node has 16 bits for it.
DeviceId device_id(std::string_view name);

}  // namespace tg
