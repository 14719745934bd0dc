// The safetensors format: an 8-byte length, a JSON header, the tensors' bytes. Reading and writing
// on plain structs; how a module's state becomes such structs is the business of the state dict.
// Input is hostile: every rule of the format (https://huggingface.co/docs/safetensors) is checked,
// and a file that breaks one is refused as a whole.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/file.h"
#include "tg/dtype.h"

namespace tg::nn {

/// A named tensor whose bytes (row-major, little endian) live elsewhere.
struct TensorView {
  std::string name;
  DType dtype = DType::Float32;
  std::vector<int64_t> shape;
  std::string_view bytes;
};

/// Free text that travels with the tensors, for example {"format": "tg"}.
using SafeTensorsMetadata = std::map<std::string, std::string>;

/// A file in memory. Copies share the bytes, and so do the views while any copy lives.
struct SafeTensors {
  std::shared_ptr<const std::string> storage;
  std::vector<TensorView> tensors;  ///< in the order of their bytes
  SafeTensorsMetadata metadata;

  /// The tensor of that name or nullptr. Linear in the number of tensors.
  const TensorView* find(std::string_view name) const;
};

/// A part of a file's data: [begin, end).
struct ByteRange {
  uint64_t begin = 0;
  uint64_t end = 0;
};

/// What a file says before its data.
struct SafeTensorsHeader {
  std::vector<TensorView> tensors;  ///< without bytes, in the order of these
  std::vector<ByteRange> ranges;    ///< one a tensor
  uint64_t data = 0;                ///< where the data begin in the file
  SafeTensorsMetadata metadata;
};

/// Reads the header of a file and checks it against the file's size, but no data. Throws FileError
/// naming file, tensor and the broken rule.
SafeTensorsHeader parse_safetensors_header(const ByteSource& source);

/// Parses the bytes of a file; `name` stands for it in messages. Throws FileError naming file,
/// tensor and the broken rule.
SafeTensors parse_safetensors(std::string bytes, std::string_view name);

/// Reads a file. Throws FileError, also when it is missing or unreadable.
SafeTensors read_safetensors(const std::filesystem::path& path);

/// The bytes of a file: wide elements first, then by name, so that every tensor is aligned to its
/// element and equal input gives equal bytes; the header is padded to a multiple of 8. Throws
/// ArgumentError for a name that is empty, reserved, not UTF-8 or there twice, for a negative size
/// and for bytes that do not match shape and dtype; DTypeError for a dtype that the format has no
/// name for.
std::string safetensors_bytes(std::span<const TensorView> tensors,
                              const SafeTensorsMetadata& metadata = {});

/// Writes a file through a temporary one beside it: readers see the old file or the new one, never
/// half of it. Throws FileError if it cannot be written, and as safetensors_bytes does.
void write_safetensors(const std::filesystem::path& path, std::span<const TensorView> tensors,
                       const SafeTensorsMetadata& metadata = {});

/// The format's name of a dtype ("F32"), empty if it has none.
std::string_view safetensors_dtype_name(DType t);

}  // namespace tg::nn
