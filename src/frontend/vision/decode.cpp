// Which reader a file is for, by its first bytes; and which way up its rows go.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "frontend/vision/orientation.h"
#include "frontend/vision/pixels.h"
#include "support/check.h"

namespace tg::images {
namespace {

constexpr std::array<uint8_t, 8> kPngStart = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
constexpr std::array<uint8_t, 3> kJpegStart = {0xFF, 0xD8, 0xFF};

template <size_t N>
bool starts_with(std::span<const std::byte> bytes, const std::array<uint8_t, N>& start) {
  return bytes.size() >= N && std::equal(start.begin(), start.end(), bytes.begin(),
                                         [](uint8_t a, std::byte b) { return std::byte{a} == b; });
}

}  // namespace

std::string too_large(uint64_t height, uint64_t width, uint64_t most_pixels) {
  if (width == 0 || height <= most_pixels / width) return {};
  return fmt::format("has {} x {} pixels, of at most {}", width, height, most_pixels);
}

Pixels decoded(std::string_view fn, std::span<const std::byte> bytes, uint64_t most_pixels,
               bool turns, std::string_view name) {
  std::string problem;
  StoredPicture out;
  if (starts_with(bytes, kPngStart)) {
    out = read_png(bytes, most_pixels, problem);
  } else if (starts_with(bytes, kJpegStart)) {
    out = read_jpeg(bytes, most_pixels, problem);
  } else {
    problem = "is neither PNG nor JPEG";
  }
  if (!problem.empty()) user_error<FileError>(fn, fmt::format("\"{}\" {}", name, problem));
  if (!turns) return std::move(out.pixels);
  return upright(std::move(out.pixels), orientation_in(out.exif));
}

}  // namespace tg::images
