// Streams blocks through zlib's inflate, so that a bomb is noticed at the limit and not at its end.
#include "nn/format/gzip.h"

#include <zlib.h>

#include <algorithm>
#include <array>

#include "support/check.h"

namespace tg::nn {

namespace {

constexpr int kGzipOnly = 16;  // added to the window bits: expect the gzip header, not zlib's
constexpr size_t kMaxFeed = 1 << 30;  // zlib counts its input in 32 bits

// One inflate stream over a whole input.
class Inflater {
 public:
  Inflater(std::string_view bytes, std::string_view name, uint64_t max_bytes)
      : bytes_(bytes), name_(name), max_bytes_(max_bytes) {
    TG_CHECK(inflateInit2(&stream_, MAX_WBITS + kGzipOnly) == Z_OK, "zlib cannot start");
  }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  std::string run() {
    while (true) {
      const int status = step();
      if (status == Z_STREAM_END) {
        if (position() == bytes_.size()) return std::move(out_);
        begin_next_member();
      } else if (status == Z_BUF_ERROR || (status == Z_OK && starved())) {
        fail(fmt::format("is truncated: the stream does not end within its {} bytes",
                         bytes_.size()));
      } else if (status != Z_OK) {
        fail(fmt::format("is corrupt near byte {}: {}", position(), reason(status)));
      }
    }
  }

 private:
  // Inflates at most one block.
  int step() {
    if (stream_.avail_in == 0) feed();
    std::array<Bytef, 1 << 16> block;
    stream_.next_out = block.data();
    stream_.avail_out = static_cast<uInt>(block.size());
    const int status = inflate(&stream_, Z_NO_FLUSH);
    const size_t produced = block.size() - stream_.avail_out;
    if (produced > max_bytes_ - out_.size())
      fail(fmt::format("is too large: it unpacks to more than {} bytes", max_bytes_));
    out_.append(reinterpret_cast<const char*>(block.data()), produced);
    return status;
  }

  void feed() {
    const size_t count = std::min(bytes_.size() - fed_, kMaxFeed);
    // zlib does not write to its input; the member is not const for the sake of old C.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes_.data() + fed_));
    stream_.avail_in = static_cast<uInt>(count);
    fed_ += count;
  }

  void begin_next_member() {
    if (!is_gzip(bytes_.substr(position())))
      fail(fmt::format("is corrupt at byte {}: the stream has ended, but {} bytes follow",
                       position(), bytes_.size() - position()));
    TG_CHECK(inflateReset(&stream_) == Z_OK, "zlib cannot restart");
  }

  // Nothing is left to read, and the last call had room to spare: more input is the only way on.
  bool starved() const { return position() == bytes_.size() && stream_.avail_out != 0; }
  size_t position() const { return fed_ - stream_.avail_in; }

  std::string_view reason(int status) const {
    if (stream_.msg != nullptr) return stream_.msg;
    return status == Z_MEM_ERROR ? "out of memory" : "invalid data";
  }

  [[noreturn]] void fail(std::string_view problem) const {
    user_error<FileError>("gunzip", fmt::format("\"{}\" {}", name_, problem));
  }

  std::string_view bytes_;
  std::string_view name_;
  uint64_t max_bytes_;
  size_t fed_ = 0;
  z_stream stream_{};
  std::string out_;
};

}  // namespace

bool is_gzip(std::string_view bytes) {
  return bytes.size() >= 2 && bytes[0] == '\x1f' && bytes[1] == '\x8b';
}

std::string gunzip(std::string_view bytes, std::string_view name, uint64_t max_bytes) {
  if (!is_gzip(bytes))
    user_error<FileError>("gunzip", fmt::format("\"{}\" is no gzip file", name),
                          "A gzip file begins with the bytes 1f 8b.");
  return Inflater(bytes, name, max_bytes).run();
}

}  // namespace tg::nn
