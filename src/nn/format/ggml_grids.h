// The tables of ggml's IQ types: an element of a block is a place in a grid, whose row gives the
// sizes of 4 or 8 neighbours at once. Signs and scales are in the block: nn/ggml.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "nn/format/ggml_type.h"

namespace tg::nn {

/// A table of sizes without signs, [values.size() / width, width].
struct GgmlGrid {
  int64_t width = 4;
  std::vector<uint8_t> values;
};

/// The grid of IQ2_S [1024, 8], IQ3_XXS [256, 4] or IQ3_S [512, 4]; other types have none.
GgmlGrid ggml_grid(GgmlType type);

}  // namespace tg::nn
