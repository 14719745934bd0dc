// Where the plug-ins of these tests are, and what errors say.
#pragma once

#include <string>

#include "runtime/device.h"
#include "support/device_error.h"
#include "tg/backend.h"
#include "tg/tensor.h"

namespace tg::test {

inline std::string plugin_path(const std::string& name) {
  return std::string(TG_PLUGINS) + name + ".so";
}

/// The message with the folder of the plug-ins, and what is kept of sources, as names.
inline std::string message_of(auto&& action) {
  std::string text = device_error(action);
  for (size_t at; (at = text.find(TG_PLUGINS)) != std::string::npos;)
    text.replace(at, std::string(TG_PLUGINS).size(), "DIR/");
  if (const size_t kept = text.find(" The source is kept in "); kept != std::string::npos)
    text.resize(kept);
  return text;
}

/// 2·x + 1 of six numbers, computed on `device`.
inline std::vector<float> small_program(const std::string& device) {
  const Tensor x(std::vector<float>{1, 2, 3, 4, 5, 6}, {.device = device});
  return (x * 2 + 1).to_vector<float>();
}

}  // namespace tg::test
