// JPEG files by libjpeg. It reports errors by a call that must not return: longjmp, which must not
// pass objects with destructors. So the functions that call setjmp have none, and what they work on
// belongs to the class around them.
#include <csetjmp>
#include <cstdio>
// libjpeg's header needs cstdio before it.
#include <jerror.h>
#include <jpeglib.h>

#include <algorithm>
#include <array>

#include "frontend/vision/pixels.h"

namespace tg::images {
namespace {

// Beyond any encoder's; each costs a walk over the picture.
constexpr int kMostScans = 256;
// The segment that EXIF data stands in, behind these bytes.
constexpr int kExifSegment = JPEG_APP0 + 1;
constexpr unsigned kMostSegmentBytes = 0xFFFF;
constexpr std::array<std::byte, 6> kExifStart = {std::byte{'E'}, std::byte{'x'}, std::byte{'i'},
                                                 std::byte{'f'}, std::byte{0},   std::byte{0}};

struct JpegErrors {
  jpeg_error_mgr base;  // first: libjpeg's pointer to it is one to this
  std::jmp_buf escape;
  char problem[JMSG_LENGTH_MAX + 32];
};

[[noreturn]] void leave_jpeg(j_common_ptr c, const char* text) {
  auto* errors = reinterpret_cast<JpegErrors*>(c->err);
  std::snprintf(errors->problem, sizeof errors->problem, "is damaged: %s", text);
  std::longjmp(errors->escape, 1);
}

[[noreturn]] void on_jpeg_error(j_common_ptr c) {
  char text[JMSG_LENGTH_MAX];
  c->err->format_message(c, text);
  leave_jpeg(c, text);
}

// Decoders carry on after warnings, as others do, but not without the rest of the file.
void on_jpeg_message(j_common_ptr c, int level) {
  if (level < 0 && c->err->msg_code == JWRN_JPEG_EOF) leave_jpeg(c, "it ends too early");
}
void on_jpeg_output(j_common_ptr) {}

void on_jpeg_progress(j_common_ptr c) {
  if (reinterpret_cast<j_decompress_ptr>(c)->input_scan_number > kMostScans)
    leave_jpeg(c, "it has too many scans");
}

class JpegReader {
 public:
  JpegReader() {
    info_.err = jpeg_std_error(&errors_.base);
    errors_.base.error_exit = on_jpeg_error;
    errors_.base.emit_message = on_jpeg_message;
    errors_.base.output_message = on_jpeg_output;
    progress_.progress_monitor = on_jpeg_progress;
  }
  JpegReader(const JpegReader&) = delete;
  JpegReader& operator=(const JpegReader&) = delete;
  ~JpegReader() { jpeg_destroy_decompress(&info_); }

  const char* problem() const { return errors_.problem; }
  JDIMENSION height() const { return info_.image_height; }
  JDIMENSION width() const { return info_.image_width; }
  int channels() const { return info_.num_components == 4 ? 4 : 3; }

  bool read_header(const unsigned char* bytes, size_t size) {
    if (setjmp(errors_.escape) != 0) return false;
    jpeg_create_decompress(&info_);
    info_.progress = &progress_;
    jpeg_mem_src(&info_, bytes, static_cast<unsigned long>(size));
    jpeg_save_markers(&info_, kExifSegment, kMostSegmentBytes);
    jpeg_read_header(&info_, TRUE);
    return true;
  }

  // Of the first segment that has some; valid as long as this is.
  std::span<const std::byte> exif() const {
    for (const jpeg_marker_struct* m = info_.marker_list; m != nullptr; m = m->next) {
      const auto data = std::as_bytes(std::span(m->data, m->data_length));
      if (m->marker != kExifSegment || data.size() < kExifStart.size()) continue;
      if (std::equal(kExifStart.begin(), kExifStart.end(), data.begin()))
        return data.subspan(kExifStart.size());
    }
    return {};
  }

  // Of channels() channels each.
  bool read_rows(uint8_t* out) {
    if (setjmp(errors_.escape) != 0) return false;
    info_.out_color_space = channels() == 4 ? JCS_CMYK : JCS_RGB;
    jpeg_start_decompress(&info_);
    while (info_.output_scanline < info_.output_height) {
      JSAMPROW row =
          out + size_t{info_.output_scanline} * width() * static_cast<size_t>(channels());
      jpeg_read_scanlines(&info_, &row, 1);
    }
    jpeg_finish_decompress(&info_);
    return true;
  }

 private:
  jpeg_decompress_struct info_ = {};
  JpegErrors errors_ = {};
  jpeg_progress_mgr progress_ = {};
};

// The product of two shares of 255, rounded.
uint8_t product(int a, int b) {
  const int t = a * b + 128;
  return static_cast<uint8_t>(((t >> 8) + t) >> 8);
}

// Adobe's files, and with them all others in use, hold 255 minus the ink.
std::vector<uint8_t> rgb_of_cmyk(const std::vector<uint8_t>& cmyk) {
  std::vector<uint8_t> out;
  out.reserve(cmyk.size() / 4 * 3);
  for (size_t i = 0; i + 4 <= cmyk.size(); i += 4) {
    const int light = cmyk[i + 3];
    for (size_t c = 0; c < 3; ++c)
      out.push_back(static_cast<uint8_t>(light - product(255 - cmyk[i + c], light)));
  }
  return out;
}

}  // namespace

StoredPicture read_jpeg(std::span<const std::byte> bytes, uint64_t most_pixels,
                        std::string& problem) {
  JpegReader reader;
  if (!reader.read_header(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size())) {
    problem = reader.problem();
    return {};
  }
  problem = too_large(reader.height(), reader.width(), most_pixels);
  if (!problem.empty()) return {};
  const auto exif = reader.exif();
  StoredPicture out{.pixels = {.height = reader.height(), .width = reader.width()},
                    .exif = {exif.begin(), exif.end()}};
  std::vector<uint8_t>& rows = out.pixels.bytes;
  rows.resize(size_t{reader.height()} * reader.width() * static_cast<size_t>(reader.channels()));
  if (!reader.read_rows(rows.data())) {
    problem = reader.problem();
    return {};
  }
  if (reader.channels() == 4) rows = rgb_of_cmyk(rows);
  return out;
}

}  // namespace tg::images
