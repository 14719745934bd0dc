// Folders of adapters as PEFT (https://github.com/huggingface/peft) writes and reads them:
// adapter_config.json and adapter_model.safetensors. What adapters are: adapter.h.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "frontend/language/adapter.h"

namespace tg::models {

/// Reads an adapter for a decoder of these layers; it is not attached. FileError in the name of
/// `fn`, naming file and key or tensor, for what is missing, damaged, of another model, or not
/// supported.
Adapter read_adapter(std::string_view fn, const std::filesystem::path& folder,
                     std::vector<AdaptableLayer> layers, const std::string& device);

/// What is written of the model beside the adapter itself.
struct BaseModel {
  std::string path;
  std::vector<AdaptableLayer> layers;  ///< all of them
  bool has_experts = false;            ///< layers that only PEFT would find by their ends
  bool is_transposed = false;          ///< weights of its family are [in, out]
};

/// Writes the files into a folder, which is made if there is none. FileError in the name of `fn`.
void write_adapter(std::string_view fn, const std::filesystem::path& folder, const Adapter& adapter,
                   const BaseModel& base);

}  // namespace tg::models
