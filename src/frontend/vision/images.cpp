// The functions of tg/models/image.h: tensors to pixels and back, and the checks of arguments.
#include "tg/models/image.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "frontend/vision/images.h"
#include "frontend/vision/resample.h"
#include "frontend/whole_file.h"
#include "support/check.h"

namespace tg::images {
namespace {

constexpr uint64_t kMostFileBytes = uint64_t{1} << 30;
constexpr int64_t kMostResultPixels = int64_t{1} << 26;

void check_size(std::string_view fn, int64_t height, int64_t width) {
  if (height >= 1 && width >= 1 && height <= kMostResultPixels / width) return;
  user_error<ArgumentError>(
      fn, fmt::format("a picture has 1 to {} pixels, got a height of {} and a width of {}",
                      kMostResultPixels, height, width));
}

uint8_t level(float share) {
  if (!(share > 0)) return 0;
  return static_cast<uint8_t>(std::lround(std::min(share, 1.0F) * 255));
}

// What can be written: of one or three channels.
Pixels pixels_to_write(std::string_view fn, const Tensor& image) {
  const Shape shape = image.shape();
  const bool is_picture =
      shape.size() == 2 || (shape.size() == 3 && (shape[2] == 1 || shape[2] == 3));
  if (!is_picture || image.numel() == 0) {
    user_error<ShapeError>(
        fn,
        fmt::format("a picture is [height, width], or has 1 or 3 channels as its last axis, got "
                    "[{}]",
                    fmt::join(shape, ", ")),
        "Hint: permute({1, 2, 0}) puts channels last.");
  }
  check_size(fn, shape[0], shape[1]);
  Pixels out{.height = shape[0],
             .width = shape[1],
             .channels = shape.size() == 3 ? shape[2] : 1,
             .bytes = {}};
  if (image.dtype() == DType::UInt8) {
    out.bytes = image.to_vector<uint8_t>();
  } else if (image.is_floating_point()) {
    for (const float share : image.to_vector<float>()) out.bytes.push_back(level(share));
  } else {
    user_error<DTypeError>(
        fn, fmt::format("a picture is uint8 or floats, got {}", dtype_name(image.dtype())));
  }
  return out;
}

void write_through_temporary(std::string_view fn, const std::filesystem::path& file,
                             const std::string& bytes) {
  std::filesystem::path temporary = file;
  temporary += ".part";
  std::ofstream stream(temporary, std::ios::binary);
  stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  stream.close();
  std::error_code error;
  if (stream) std::filesystem::rename(temporary, file, error);
  if (stream && !error) return;
  std::error_code ignored;
  std::filesystem::remove(temporary, ignored);
  user_error<FileError>(fn, fmt::format("\"{}\" cannot be written", file.string()));
}

}  // namespace

Pixels pixels_of(std::string_view fn, const Tensor& image) {
  const Shape shape = image.shape();
  if (shape.size() != 3 || shape[2] != 3 || image.numel() == 0)
    user_error<ShapeError>(
        fn, fmt::format("a picture is [height, width, 3], got [{}]", fmt::join(shape, ", ")));
  if (image.dtype() != DType::UInt8)
    user_error<DTypeError>(fn,
                           fmt::format("a picture is uint8, got {}", dtype_name(image.dtype())));
  return {
      .height = shape[0], .width = shape[1], .channels = 3, .bytes = image.to_vector<uint8_t>()};
}

Tensor tensor_of(const Pixels& picture, const std::string& device) {
  return {picture.bytes, {picture.height, picture.width, picture.channels}, {.device = device}};
}

Tensor read(const std::filesystem::path& file, const ReadOptions& options) {
  const std::string bytes = whole_file("images::read", file, kMostFileBytes);
  return tensor_of(decoded("images::read", std::as_bytes(std::span(bytes)), options.most_pixels,
                           options.upright, file.string()),
                   options.device);
}

Tensor decode(std::span<const std::byte> bytes, const ReadOptions& options, std::string_view name) {
  return tensor_of(decoded("images::decode", bytes, options.most_pixels, options.upright, name),
                   options.device);
}

void write_png(const Tensor& image, const std::filesystem::path& file) {
  constexpr std::string_view kFn = "images::write_png";
  write_through_temporary(kFn, file, png_of(kFn, pixels_to_write(kFn, image)));
}

std::string encode_png(const Tensor& image) {
  constexpr std::string_view kFn = "images::encode_png";
  return png_of(kFn, pixels_to_write(kFn, image));
}

Tensor grid(const Tensor& images, const GridOptions& options) {
  const Shape s = images.shape();
  if (s.size() != 4 || images.numel() == 0)
    user_error<ShapeError>(
        "images::grid",
        fmt::format("pictures are [n, channels, height, width], got [{}]", fmt::join(s, ", ")));
  if (options.columns < 0 || options.gap < 0)
    user_error<ArgumentError>(
        "images::grid",
        fmt::format("columns and gap are at least 0, got {} and {}", options.columns, options.gap));
  const int64_t columns =
      options.columns > 0 ? options.columns
                          : static_cast<int64_t>(std::ceil(std::sqrt(static_cast<double>(s[0]))));
  const int64_t rows = (s[0] + columns - 1) / columns, gap = options.gap;
  return images.pad({{0, rows * columns - s[0]}, {0, 0}, {gap, 0}, {gap, 0}})
      .reshape({rows, columns, s[1], s[2] + gap, s[3] + gap})
      .permute({0, 3, 1, 4, 2})
      .reshape({rows * (s[2] + gap), columns * (s[3] + gap), s[1]})
      .pad({{0, gap}, {0, gap}, {0, 0}});
}

Tensor resize(const Tensor& image, int64_t height, int64_t width, Filter filter) {
  const Pixels picture = pixels_of("images::resize", image);
  check_size("images::resize", height, width);
  return tensor_of(resampled(picture, height, width, filter), image.device());
}

Tensor resize_shorter_side(const Tensor& image, int64_t size, Filter filter) {
  constexpr std::string_view kFn = "images::resize_shorter_side";
  const Pixels picture = pixels_of(kFn, image);
  check_size(kFn, size, size);
  const int64_t shorter = std::min(picture.height, picture.width);
  check_size(kFn, picture.height * size / shorter, picture.width * size / shorter);
  return tensor_of(resampled_shorter_side(picture, size, filter), image.device());
}

Tensor center_crop(const Tensor& image, int64_t height, int64_t width) {
  const Pixels picture = pixels_of("images::center_crop", image);
  check_size("images::center_crop", height, width);
  if (picture.height < height || picture.width < width)
    user_error<ShapeError>("images::center_crop",
                           fmt::format("the picture is smaller: {} x {} of {} x {}", picture.height,
                                       picture.width, height, width));
  return tensor_of(cropped(picture, height, width), image.device());
}

Tensor normalized(const Tensor& image, const PerChannel& mean, const PerChannel& std) {
  const Pixels picture = pixels_of("images::normalized", image);
  for (const double s : std)
    if (!(s > 0))
      user_error<ArgumentError>("images::normalized",
                                fmt::format("std must be above 0, got {}", s));
  return {channels_first(picture, mean, std),
          {3, picture.height, picture.width},
          {.device = image.device()}};
}

}  // namespace tg::images
