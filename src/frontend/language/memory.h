// How much memory a model takes, asked before it is read: a clear error instead of a machine that
// swaps, or a system that ends the process.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "frontend/language/decoder_config.h"

namespace tg::models {

/// Keys and values of all layers, float32.
uint64_t cache_bytes(const DecoderConfig& config, int64_t context);

/// What takes memory, as messages call it.
struct MemoryPart {
  std::string what;
  uint64_t bytes;
};

/// ArgumentError in the name of `fn` if the parts of a model take more than `limit` bytes together;
/// 0: than the system says are free, where it does.
void require_memory(std::string_view fn, const std::string& name, std::span<const MemoryPart> parts,
                    uint64_t limit, std::string_view hint);

}  // namespace tg::models
