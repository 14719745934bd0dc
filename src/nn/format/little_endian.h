// Numbers as the formats of this folder store them: little endian, at any place of some bytes. Who
// calls has checked that the bytes are there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tg::nn {

/// The number in `count` bytes (at most 8) from `at` on.
inline uint64_t little_endian(std::string_view bytes, size_t at, size_t count) {
  uint64_t value = 0;
  for (size_t i = count; i-- > 0;) value = value << 8 | static_cast<uint8_t>(bytes[at + i]);
  return value;
}
inline uint16_t little_endian_16(std::string_view bytes, size_t at) {
  return static_cast<uint16_t>(little_endian(bytes, at, 2));
}
inline uint32_t little_endian_32(std::string_view bytes, size_t at) {
  return static_cast<uint32_t>(little_endian(bytes, at, 4));
}
inline uint64_t little_endian_64(std::string_view bytes, size_t at) {
  return little_endian(bytes, at, 8);
}

/// Appends the lowest `count` bytes of `value`.
inline void append_little_endian(std::string& out, uint64_t value, size_t count) {
  for (size_t i = 0; i < count; ++i) out.push_back(static_cast<char>(value >> (8 * i) & 0xff));
}

}  // namespace tg::nn
