// The index of safetensors files that one model is shared out to: JSON whose "weight_map" says
// which file has which tensor. The files themselves: safetensors.h; both together:
// src/nn/safetensors_files.cpp.
#pragma once

#include <map>
#include <set>
#include <string>

#include "support/file.h"

namespace tg::nn {

/// Names of tensors by the files that have them, all in the index's folder or below it. Only the
/// map is looked at. Throws FileError naming the index and the broken rule.
std::map<std::string, std::set<std::string>> parse_safetensors_index(const ByteSource& index);

}  // namespace tg::nn
