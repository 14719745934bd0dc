// How much memory a model takes, asked before it is read: a clear error instead of a machine that
// swaps, or a system that ends the process.
#pragma once

#include <cstdint>
#include <string>

#include "frontend/language/decoder_config.h"
#include "tg/models/language_model.h"

namespace tg::models {

/// Keys and values of all layers, float32.
uint64_t cache_bytes(const DecoderConfig& config, int64_t context);

/// ArgumentError if weights, keys and values take more than `limit` bytes; 0: than the system says
/// are free, where it does.
void require_memory(const std::string& name, const LanguageModelInfo& info, uint64_t limit);

}  // namespace tg::models
