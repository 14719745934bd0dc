// Every length is checked against the bytes present before anything is allocated.
#include "nn/format/idx.h"

#include <fmt/ranges.h>

#include "nn/format/gzip.h"
#include "support/check.h"
#include "support/file.h"

namespace tg::nn {

namespace {

constexpr uint8_t kUnsignedByte = 0x08;

[[noreturn]] void fail_idx(std::string_view name, std::string_view problem) {
  user_error<FileError>("parse_idx", fmt::format("\"{}\" {}", name, problem));
}

uint8_t byte_at(std::string_view bytes, size_t i) { return static_cast<uint8_t>(bytes[i]); }

uint32_t big_endian_32(std::string_view bytes, size_t at) {
  uint32_t value = 0;
  for (size_t i = 0; i < 4; ++i) value = value << 8 | byte_at(bytes, at + i);
  return value;
}

// The rank; the magic number is checked.
size_t read_rank(std::string_view bytes, std::string_view name) {
  if (bytes.size() < 4)
    fail_idx(name,
             fmt::format("is truncated: it has {} bytes, an IDX header at least 4", bytes.size()));
  if (byte_at(bytes, 0) != 0 || byte_at(bytes, 1) != 0)
    fail_idx(name, fmt::format("is no IDX file: it begins with {:08x}, not with 0000",
                               big_endian_32(bytes, 0)));
  if (byte_at(bytes, 2) != kUnsignedByte)
    fail_idx(name,
             fmt::format("has elements of IDX type {:#04x}: only unsigned bytes (0x08) are read",
                         byte_at(bytes, 2)));
  const size_t rank = byte_at(bytes, 3);
  if (rank == 0) fail_idx(name, "has no dimensions");
  if (bytes.size() < 4 + 4 * rank)
    fail_idx(name,
             fmt::format("is truncated: it has {} bytes, its header of {} dimensions needs {}",
                         bytes.size(), rank, 4 + 4 * rank));
  return rank;
}

}  // namespace

IdxArray parse_idx(std::string_view bytes, std::string_view name) {
  const size_t rank = read_rank(bytes, name);
  IdxArray array;
  uint64_t count = 1;
  bool overflow = false;
  for (size_t axis = 0; axis < rank; ++axis) {
    const uint32_t size = big_endian_32(bytes, 4 + 4 * axis);
    overflow |= __builtin_mul_overflow(count, uint64_t{size}, &count);
    array.shape.push_back(size);
  }
  const std::string_view data = bytes.substr(4 + 4 * rank);
  if (overflow || count != data.size())
    fail_idx(name, fmt::format("{}: its dimensions [{}] do not match its {} bytes of data",
                               overflow || count > data.size() ? "is truncated" : "is too long",
                               fmt::join(array.shape, ", "), data.size()));
  array.data.assign(data.begin(), data.end());
  return array;
}

IdxArray read_idx(const std::filesystem::path& path, uint64_t max_bytes) {
  const std::string name = path.string();
  std::string bytes = read_file(path, max_bytes);
  if (is_gzip(bytes)) bytes = gunzip(bytes, name, max_bytes);
  return parse_idx(bytes, name);
}

}  // namespace tg::nn
