// A table-free reading of RFC 3629, section 4: the lead byte fixes the length and the range of the
// second byte.
#include "nn/format/utf8.h"

#include <cstdint>

namespace tg::nn {

namespace {

// Bytes of the sequence that begins at `at`, 0 if there is no valid one.
size_t sequence_length(std::string_view text, size_t at) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[at + i]); };
  const uint8_t lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead < 0xc2 || lead > 0xf4) return 0;
  const size_t length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (text.size() - at < length) return 0;
  const uint8_t low = lead == 0xe0   ? 0xa0
                      : lead == 0xf0 ? 0x90
                                     : 0x80;  // no longer form than needed
  const uint8_t high = lead == 0xed   ? 0x9f
                       : lead == 0xf4 ? 0x8f
                                      : 0xbf;  // no surrogates, no U+110000
  if (byte(1) < low || byte(1) > high) return 0;
  for (size_t i = 2; i < length; ++i)
    if (byte(i) < 0x80 || byte(i) > 0xbf) return 0;
  return length;
}

}  // namespace

size_t valid_utf8_prefix(std::string_view text) {
  size_t at = 0;
  while (at < text.size()) {
    const size_t length = sequence_length(text, at);
    if (length == 0) return at;
    at += length;
  }
  return at;
}

std::string printable(std::string_view text) {
  std::string out(text.substr(0, 80));
  for (char& c : out)
    if (static_cast<uint8_t>(c) < 0x20 || static_cast<uint8_t>(c) > 0x7e) c = '?';
  return out;
}

}  // namespace tg::nn
