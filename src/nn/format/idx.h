// The IDX format, in which MNIST and its relatives are published: a magic number with element type
// and rank, the dimensions, the elements. Only unsigned bytes are read, because nothing else is in
// use. What the numbers mean: nn/data/mnist.h.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

namespace tg::nn {

/// An array of unsigned bytes in row-major order.
struct IdxArray {
  std::vector<int64_t> shape;
  std::vector<uint8_t> data;
};

/// Reads the bytes of an IDX file. `name` stands for the input in messages. Throws FileError if the
/// magic number is another, the element type is not unsigned byte, the header is truncated, or the
/// data is not as long as the dimensions say.
IdxArray parse_idx(std::string_view bytes, std::string_view name);

/// Reads an IDX file, gzipped or not. Throws FileError, also when it is missing or holds more than
/// `max_bytes` unpacked.
IdxArray read_idx(const std::filesystem::path& path, uint64_t max_bytes = uint64_t{1} << 30);

}  // namespace tg::nn
