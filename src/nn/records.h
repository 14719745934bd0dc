// Records of layers and optimisers, in the form of the function records (tensor/records/record.h):
// tools/tg-functions prints them, and tests compare them with include/tg/layers.h and nn.h and run
// every example.
#pragma once

#include "tensor/records/record.h"

namespace tg::nn {

/// Layers, then optimisers, in the order of the documentation.
const std::vector<FnFamily>& families();

}  // namespace tg::nn
