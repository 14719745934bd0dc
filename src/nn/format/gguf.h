// GGUF, the files of llama.cpp, versions 2 and 3: facts by name, then named tensors in ggml's
// element types. Reading alone; how quantised elements become floats: nn/ggml.h. Input is hostile:
// counts are believed as far as the bytes reach, and tensors lie within the file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "support/file.h"
#include "tg/files.h"

namespace tg::nn {

/// A tensor in the file.
struct GgufTensor {
  std::string name;
  std::vector<int64_t> shape;  ///< row-major: the file counts the axes from the other end
  uint32_t type = 0;           ///< of ggml
  uint64_t begin = 0;          ///< where its bytes lie
  uint64_t bytes = 0;
};

struct GgufFile {
  Facts facts;
  std::vector<GgufTensor> tensors;
};

/// Reads everything but the tensors' bytes. Throws FileError naming file, place and the broken
/// rule, also for types of elements that are not known here.
GgufFile parse_gguf(const ByteSource& source);
/// Whether the bytes begin as such a file.
bool is_gguf(const ByteSource& source);

}  // namespace tg::nn
