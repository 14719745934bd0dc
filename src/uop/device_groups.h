// Several devices as one: the place of a value that lies on all of them. A group is a DeviceId like
// that of a single device, named by its members with commas between them ("CPU,CPU:1"), so that
// nodes join, compare and print places without knowing of groups. What lies where inside of one is
// decided by src/engine/sharding.h. Devices themselves: runtime/device.h.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tg/ir/uop.h"

namespace tg {

/// Stands between the names of a group's members.
inline constexpr char kDeviceSeparator = ',';

/// The names in the text, in order, without spaces around them: one, or those of a group.
std::vector<std::string> split_devices(std::string_view names);

/// Its members in order; empty if `device` is a single one, or none. Thread-safe; one load as long
/// as the process has no group.
std::span<const DeviceId> members_of(DeviceId device);
inline bool is_group(DeviceId device) { return !members_of(device).empty(); }

/// Says that the device with this number is called `name`: if that lists several, it is a group.
void note_group(DeviceId device, std::string_view name);

/// Is something below the roots on a group?
bool reaches_groups(std::span<const UOp> roots);

}  // namespace tg
