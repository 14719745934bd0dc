// PNG and JPEG files: src/frontend/vision. Of a PNG file also one whose parts have the checksums
// that they should, so that changes are not all refused for these.
#include <zlib.h>

#include <cstring>
#include <vector>

#include "frontend/vision/pixels.h"
#include "fuzz/fuzz.h"

namespace {

constexpr size_t kSignatureBytes = 8, kFieldBytes = 4, kFrameBytes = 3 * kFieldBytes;

uint32_t number_at(const std::vector<uint8_t>& bytes, size_t at) {
  uint32_t out = 0;
  for (size_t i = 0; i < kFieldBytes; ++i) out = out << 8 | bytes[at + i];
  return out;
}

// A part: its length, its kind, what it has, and a checksum of the latter two.
std::vector<uint8_t> with_checksums(std::vector<uint8_t> bytes) {
  for (size_t at = kSignatureBytes; at + kFrameBytes <= bytes.size();) {
    const size_t length = number_at(bytes, at);
    if (length > bytes.size() - at - kFrameBytes) break;
    const auto sum = static_cast<uint32_t>(
        crc32(0, bytes.data() + at + kFieldBytes, static_cast<uInt>(length + kFieldBytes)));
    at += 2 * kFieldBytes + length;
    for (size_t i = 0; i < kFieldBytes; ++i)
      bytes[at++] = static_cast<uint8_t>(sum >> (8 * (kFieldBytes - 1 - i)));
  }
  return bytes;
}

void decode(const std::vector<uint8_t>& bytes) {
  using namespace tg;
  constexpr uint64_t kMostPixels = 1 << 16;
  fuzz::read_or_refuse([&] {
    const images::Pixels p =
        images::decoded("fuzz", std::as_bytes(std::span(bytes)), kMostPixels, true, "input");
    const auto pixels = static_cast<uint64_t>(p.height * p.width);
    fuzz::expect(p.height > 0 && p.width > 0 && pixels <= kMostPixels, "a picture has its limits");
    fuzz::expect(p.channels == 3 && p.bytes.size() == pixels * 3, "a pixel has three bytes");
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::vector<uint8_t> bytes(data, data + size);
  decode(bytes);
  decode(with_checksums(bytes));
  return 0;
}
