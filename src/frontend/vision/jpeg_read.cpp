// JPEG files by libjpeg. It reports errors by a call that must not return: longjmp, which must not
// pass objects with destructors. So the functions that call setjmp have none, and what they work on
// belongs to the class around them.
#include <csetjmp>
#include <cstdio>
// libjpeg's header needs cstdio before it.
#include <jerror.h>
#include <jpeglib.h>

#include "frontend/vision/pixels.h"

namespace tg::images {
namespace {

// Beyond any encoder's; each costs a walk over the picture.
constexpr int kMostScans = 256;

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
    jpeg_read_header(&info_, TRUE);
    return true;
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

Pixels read_jpeg(std::span<const std::byte> bytes, uint64_t most_pixels, std::string& problem) {
  JpegReader reader;
  if (!reader.read_header(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size())) {
    problem = reader.problem();
    return {};
  }
  problem = too_large(reader.height(), reader.width(), most_pixels);
  if (!problem.empty()) return {};
  Pixels out{.height = reader.height(), .width = reader.width()};
  out.bytes.resize(size_t{reader.height()} * reader.width() *
                   static_cast<size_t>(reader.channels()));
  if (!reader.read_rows(out.bytes.data())) {
    problem = reader.problem();
    return {};
  }
  if (reader.channels() == 4) out.bytes = rgb_of_cmyk(out.bytes);
  return out;
}

}  // namespace tg::images
