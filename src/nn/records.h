// Records of layers and optimisers, in the form of the function records (tensor/records/record.h):
// tools/tg-functions prints them, and tests compare them with include/tg/layers.h, nn.h and training.h and run
// every example.
#pragma once

#include "tensor/records/record.h"

namespace tg::nn {

/// What a record says of shapes and dtype where its result is none.
inline constexpr std::string_view kNotATensor = "not a tensor";

/// Layers, optimisers, then what training needs beside them, in the order of the documentation.
const std::vector<FnFamily>& families();
/// Everything else that is public, of include/tg/*.h: names as C++ has them, with dots for the
/// namespaces inside tg.
const std::vector<FnFamily>& library_families();

// Of training.h (training_records.cpp).
FnFamily scheduler_records();
FnFamily training_records();

}  // namespace tg::nn
