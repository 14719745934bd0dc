// A picture on the host, and the readers and the writer of files. They know bytes and pixels;
// tensors come in images.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tg::images {

/// Row-major, without gaps: [height, width, channels].
struct Pixels {
  int64_t height = 0, width = 0, channels = 3;
  std::vector<uint8_t> bytes;
};

/// What a reader found: rows as they are stored, and the EXIF data beside them, from its byte order
/// on; empty if there is none.
struct StoredPicture {
  Pixels pixels;
  std::vector<std::byte> exif;
};

/// The picture in a PNG or JPEG file, three channels; `turns` it upright as its EXIF data says.
/// FileError, in the name of `fn` about `name`.
Pixels decoded(std::string_view fn, std::span<const std::byte> bytes, uint64_t most_pixels,
               bool turns, std::string_view name);

/// Of the two kinds of file. On an error `problem` says what is wrong, and the result is empty.
StoredPicture read_png(std::span<const std::byte> bytes, uint64_t most_pixels,
                       std::string& problem);
StoredPicture read_jpeg(std::span<const std::byte> bytes, uint64_t most_pixels,
                        std::string& problem);

/// A PNG file of one or three channels. FileError, in the name of `fn`.
std::string png_of(std::string_view fn, const Pixels& picture);

/// "has 9 x 9 pixels, of at most 64"; empty if that is not so.
std::string too_large(uint64_t height, uint64_t width, uint64_t most_pixels);

}  // namespace tg::images
