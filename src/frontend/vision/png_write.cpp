// PNG files by libpng's simplified interface, which reports errors by its results.
#include <fmt/format.h>
#include <png.h>

#include "frontend/vision/pixels.h"
#include "support/check.h"

namespace tg::images {

std::string png_of(std::string_view fn, const Pixels& picture) {
  png_image image = {};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(picture.width);
  image.height = static_cast<png_uint_32>(picture.height);
  image.format = picture.channels == 1 ? PNG_FORMAT_GRAY : PNG_FORMAT_RGB;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
  std::string out(size, '\0');
  const int is_done =
      png_image_write_to_memory(&image, out.data(), &size, 0, picture.bytes.data(), 0, nullptr);
  png_image_free(&image);
  if (is_done == 0) user_error<FileError>(fn, fmt::format("libpng: {}", image.message));
  out.resize(size);
  return out;
}

}  // namespace tg::images
