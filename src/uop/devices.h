// Where values live. A value that is made of storage lives where that storage is: type_rules.h
// joins the devices of sources. What is made of constants and index patterns alone lives nowhere
// (device 0), until something that lives on a device reads it, or it is a root: then its leaves
// carry that device, once for each device that reads it. After that a value that somebody decides
// to store (src/schedule) says itself where.
#pragma once

#include <string_view>
#include <vector>

#include "tg/ir/uop.h"

namespace tg {

/// The number of a device by its name. DeviceError if more names are in use than nodes can tell
/// apart.
DeviceId device_id(std::string_view name);
/// `symbol`, which intern_symbol gave, as the number of a device; the same error.
DeviceId device_id_of(int64_t symbol);

/// `x` on `device`, if it lives nowhere; else `x` itself. Storage is left where it is.
UOp placed(const UOp& x, DeviceId device);

/// The roots with everything below them on the device that reads it; roots that live nowhere are on
/// `home`, or nowhere if that is 0. A constant, however stretched, that is read stays as it is: it
/// is spelt in the kernel. A COPY of what lives nowhere is that value on the COPY's device.
std::vector<UOp> resolve_devices(std::span<const UOp> roots, DeviceId home);

}  // namespace tg
