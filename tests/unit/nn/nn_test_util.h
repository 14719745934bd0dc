// What the tests of this folder share: messages of errors, gzip streams and IDX files made on the
// spot.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "tg/error.h"

namespace tg::nn {

/// The message of the `E` that `f` throws, or a text that says that it threw none.
template <typename E, typename F>
std::string message_of(F f) {
  try {
    f();
  } catch (const E& e) {
    return e.what();
  }
  return "nothing was thrown";
}

template <typename F>
std::string file_error_of(F f) {
  return message_of<FileError>(f);
}

template <typename F>
std::string argument_error_of(F f) {
  return message_of<ArgumentError>(f);
}

/// A gzip stream of `bytes`.
inline std::string gzip(std::string_view bytes) {
  z_stream stream{};
  if (deflateInit2(&stream, 6, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::runtime_error("deflateInit2");
  std::string out(deflateBound(&stream, bytes.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int status = deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  if (status != Z_STREAM_END) throw std::runtime_error("deflate");
  return out;
}

/// The bytes of an IDX file of unsigned bytes.
inline std::string idx(const std::vector<uint32_t>& shape, std::string_view data) {
  std::string out = {'\0', '\0', '\x08', static_cast<char>(shape.size())};
  for (uint32_t size : shape)
    for (int shift = 24; shift >= 0; shift -= 8)
      out.push_back(static_cast<char>(size >> shift & 0xff));
  return out.append(data);
}

/// Text that compresses neither perfectly nor not at all.
inline std::string sample_text(size_t size) {
  std::string out;
  for (uint32_t i = 0; out.size() < size; ++i)
    out.push_back(static_cast<char>((i * 2654435761u >> 24) & 0x3f));
  return out;
}

/// `bytes` with one bit flipped.
inline std::string with_flipped_bit(std::string bytes, size_t bit) {
  bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << (bit % 8)));
  return bytes;
}

}  // namespace tg::nn
