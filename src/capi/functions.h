// All recorded functions by name: what tg_find_function finds and the manifest lists.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "tensor/records/record.h"

/// A function of the manifest.
struct tg_function_record {
  std::string name;            ///< "sum", "nn.Linear"
  std::string_view family;     ///< the title of its chapter
  const tg::FnRecord* record;  ///< lives as long as the process
};

namespace tg::capi {

/// Those that other languages can call, in the order of the documentation.
std::span<const tg_function_record> functions();

}  // namespace tg::capi
