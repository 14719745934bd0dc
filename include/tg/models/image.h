// Pictures as tensors: PNG and JPEG files read, PNG files written, and what a network wants done to
// a picture before it sees it. A picture is uint8 [height, width, 3], red, green, blue; the
// computations here are done on the host. Link `tinygrad::models`.
//
//   tg::Tensor photo = tg::images::read("cat.jpg");
//   tg::images::write_png(tg::images::resize(photo, 64, 64), "small.png");
//
// Networks that classify pictures: image_classifier.h. Pictures of data sets: tg/datasets.h.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "tg/export.h"
#include "tg/tensor.h"

namespace tg::images {

/// Of `read` and `decode`.
struct ReadOptions {
  uint64_t most_pixels = uint64_t{1} << 26;  ///< a larger picture is a FileError
  std::string device = {};                   ///< of the result; empty: the default device
  /// Turns and mirrors the picture as its EXIF data says, so that a photograph stands upright.
  bool upright = true;
};

/// The picture in a PNG or JPEG file, told apart by content: uint8 [height, width, 3]. Grey becomes
/// three equal channels, of 16 bits the upper eight count, transparency is dropped, CMYK is
/// converted, and EXIF's orientation applied, as by PIL's ImageOps.exif_transpose; colour profiles
/// are not.
/// FileError for a file that is missing, cut off, damaged, of another kind, or too large.
TG_API Tensor read(const std::filesystem::path& file, const ReadOptions& options = {});
/// The same of bytes in memory; `name` stands for them in messages.
TG_API Tensor decode(std::span<const std::byte> bytes, const ReadOptions& options = {},
                     std::string_view name = "picture");

/// Writes a PNG file, through a temporary file beside it. `image` is [height, width], [height,
/// width, 1] or [height, width, 3]: uint8, or floats of which 0 is black and 1 is white (others are
/// clipped, NaN is black). ShapeError and DTypeError for others, FileError if it cannot be written.
TG_API void write_png(const Tensor& image, const std::filesystem::path& file);
/// The bytes of such a file.
TG_API std::string encode_png(const Tensor& image);

/// Of `grid`.
struct GridOptions {
  int64_t columns = 0;  ///< pictures in a row; 0: as many as rows, or one more row less full
  int64_t gap = 2;      ///< pixels of zeros around each
};

/// Pictures [n, channels, height, width] side by side in one, [rows · (height + gap) + gap, columns
/// · (width + gap) + gap, channels], of the same dtype, lazily. ShapeError for other shapes and no
/// pictures, ArgumentError for a negative number of columns or pixels.
TG_API Tensor grid(const Tensor& images, const GridOptions& options = {});

/// The weights of neighbours: a triangle, or a cubic of four neighbours (a = −1/2). Both are as
/// wide as an output pixel where a picture shrinks (antialiasing).
enum class Filter { Bilinear, Bicubic };

/// Another size, pixel for pixel as PIL's Image.resize: uint8 [height, width, 3] of any size to the
/// given one. ShapeError and DTypeError if `image` is no picture, ArgumentError for sizes below 1
/// or a result of more than 2^26 pixels.
TG_API Tensor resize(const Tensor& image, int64_t height, int64_t width,
                     Filter filter = Filter::Bilinear);
/// The same, the shorter side to `size` and the other in proportion, rounded down.
TG_API Tensor resize_shorter_side(const Tensor& image, int64_t size,
                                  Filter filter = Filter::Bilinear);
/// The middle of a picture: [height, width, 3]. ShapeError for a picture that is smaller.
TG_API Tensor center_crop(const Tensor& image, int64_t height, int64_t width);

/// A number for each of red, green and blue.
using PerChannel = std::array<double, 3>;

/// What networks read: (image / 255 − mean) / std with channels first, float32 [3, height, width].
/// ArgumentError for a `std` that is not above 0.
TG_API Tensor normalized(const Tensor& image, const PerChannel& mean, const PerChannel& std);

}  // namespace tg::images
