// The names that safetensors gives to element types, shared by its reader and its writer.
#pragma once

#include <optional>
#include <string_view>

#include "tg/dtype.h"

namespace tg::nn {

inline constexpr std::string_view kSafeTensorsMetadataKey = "__metadata__";

/// The dtype of a name of the format, empty if it is unknown here.
std::optional<DType> safetensors_dtype(std::string_view name);

}  // namespace tg::nn
