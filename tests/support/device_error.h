// What a DeviceError says, for tests of messages.
#pragma once

#include <string>

#include "tg/error.h"

namespace tg::test {

/// The message of the DeviceError that `action` throws; "no DeviceError" if it throws none.
std::string device_error(auto&& action) {
  try {
    action();
  } catch (const DeviceError& e) {
    return e.what();
  }
  return "no DeviceError";
}

}  // namespace tg::test
