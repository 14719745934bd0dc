// The loaders of each format by source, for load_file, which tells them apart: tg/state.h has what
// they do.
#pragma once

#include <string>

#include "support/file.h"
#include "tg/state.h"

namespace tg::nn {

StateFile torch_state(const ByteSource& source, const TorchOptions& options);
/// The same with objects of unknown classes as their attributes: detail::load_modules.
detail::ModuleFile torch_modules(const ByteSource& source, const std::string& device);
StateDict npz_state(const ByteSource& source, const std::string& device);
StateFile safetensors_state(const ByteSource& source, const std::string& device,
                            const ReadProgress& progress = {});

/// Whether the file is an index of sharded safetensors: JSON with a "weight_map".
bool is_sharded_index(const ByteSource& source);

/// A tensor of these bytes.
Tensor tensor_of(std::string_view bytes, const Shape& shape, DType dtype,
                 const std::string& device);

}  // namespace tg::nn
