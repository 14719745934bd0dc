// PNG files by libpng. It reports errors by longjmp, which must not pass objects with destructors:
// so the functions that call setjmp have none, and what they work on belongs to the class around
// them.
#include <png.h>

#include <csetjmp>
#include <cstdio>
#include <cstring>

#include "frontend/vision/pixels.h"

namespace tg::images {
namespace {

constexpr png_alloc_size_t kMostChunkBytes = 8 << 20;
constexpr png_uint_32 kMostSide = 1 << 20, kMostChunks = 1000;

struct PngSource {
  const std::byte* next;
  size_t left;
  char problem[160];
};

PngSource& png_source(void* pointer) { return *static_cast<PngSource*>(pointer); }

[[noreturn]] void on_png_error(png_structp png, png_const_charp message) {
  PngSource& s = png_source(png_get_error_ptr(png));
  std::snprintf(s.problem, sizeof s.problem, "is damaged: %s", message);
  png_longjmp(png, 1);
}
void on_png_warning(png_structp, png_const_charp) {}

void on_png_read(png_structp png, png_bytep out, size_t size) {
  PngSource& s = png_source(png_get_io_ptr(png));
  if (size > s.left) png_error(png, "it ends too early");
  std::memcpy(out, s.next, size);
  s.next += size;
  s.left -= size;
}

// Asks for three channels of eight bits, whatever the file has.
void ask_for_rgb(png_structp png, png_infop info) {
  const auto color = png_get_color_type(png, info);
  const auto depth = png_get_bit_depth(png, info);
  if (color == PNG_COLOR_TYPE_PALETTE) png_set_palette_to_rgb(png);
  if (color == PNG_COLOR_TYPE_GRAY && depth < 8) png_set_expand_gray_1_2_4_to_8(png);
  if (depth == 16) png_set_strip_16(png);
  if ((color & PNG_COLOR_MASK_COLOR) == 0) png_set_gray_to_rgb(png);
  png_set_strip_alpha(png);
  png_set_interlace_handling(png);
}

class PngReader {
 public:
  explicit PngReader(std::span<const std::byte> bytes) : source_{bytes.data(), bytes.size(), {}} {
    png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, &source_, on_png_error, on_png_warning);
    if (png_ != nullptr) info_ = png_create_info_struct(png_);
  }
  PngReader(const PngReader&) = delete;
  PngReader& operator=(const PngReader&) = delete;
  ~PngReader() { png_destroy_read_struct(&png_, &info_, nullptr); }

  bool is_ready() const { return png_ != nullptr && info_ != nullptr; }
  const char* problem() const { return source_.problem; }
  png_uint_32 height() const { return png_get_image_height(png_, info_); }
  png_uint_32 width() const { return png_get_image_width(png_, info_); }

  bool read_header() {
    if (setjmp(png_jmpbuf(png_)) != 0) return false;
    png_set_read_fn(png_, &source_, on_png_read);
    png_set_user_limits(png_, kMostSide, kMostSide);
    png_set_chunk_malloc_max(png_, kMostChunkBytes);
    png_set_chunk_cache_max(png_, kMostChunks);
    png_read_info(png_, info_);
    return true;
  }

  // Of a chunk before the rows, where encoders write it; valid as long as this is.
  std::span<const std::byte> exif() const {
    png_uint_32 size = 0;
    png_bytep data = nullptr;
    if (png_get_eXIf_1(png_, info_, &size, &data) == 0) return {};
    return std::as_bytes(std::span(data, size));
  }

  bool read_rows(png_bytepp rows) {
    if (setjmp(png_jmpbuf(png_)) != 0) return false;
    ask_for_rgb(png_, info_);
    png_read_update_info(png_, info_);
    if (png_get_rowbytes(png_, info_) != size_t{3} * width()) png_error(png_, "unknown colours");
    png_read_image(png_, rows);
    png_read_end(png_, nullptr);
    return true;
  }

 private:
  PngSource source_;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
};

}  // namespace

StoredPicture read_png(std::span<const std::byte> bytes, uint64_t most_pixels,
                       std::string& problem) {
  PngReader reader(bytes);
  if (!reader.is_ready()) {
    problem = "cannot be read: there is no memory";
    return {};
  }
  if (!reader.read_header()) {
    problem = reader.problem();
    return {};
  }
  problem = too_large(reader.height(), reader.width(), most_pixels);
  if (!problem.empty()) return {};
  const auto exif = reader.exif();
  StoredPicture out{.pixels = {.height = reader.height(), .width = reader.width()},
                    .exif = {exif.begin(), exif.end()}};
  const size_t row_bytes = size_t{3} * reader.width();
  out.pixels.bytes.resize(row_bytes * reader.height());
  std::vector<png_bytep> rows;
  for (size_t y = 0; y < reader.height(); ++y)
    rows.push_back(out.pixels.bytes.data() + y * row_bytes);
  if (reader.read_rows(rows.data())) return out;
  problem = reader.problem();
  return {};
}

}  // namespace tg::images
