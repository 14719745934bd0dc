// See orientation.h.
#include "frontend/vision/orientation.h"

#include <algorithm>
#include <optional>

namespace tg::images {
namespace {

// Numbers of 16 and 32 bits in one byte order, anywhere in the data.
class TiffReader {
 public:
  TiffReader(std::span<const std::byte> bytes, bool big_endian)
      : bytes_(bytes), big_endian_(big_endian) {}

  std::optional<uint32_t> number(size_t at, size_t size) const {
    if (at > bytes_.size() || bytes_.size() - at < size) return std::nullopt;
    uint32_t out = 0;
    for (size_t i = 0; i < size; ++i) {
      const size_t next = big_endian_ ? i : size - 1 - i;
      out = out << 8 | std::to_integer<uint32_t>(bytes_[at + next]);
    }
    return out;
  }

 private:
  std::span<const std::byte> bytes_;
  bool big_endian_;
};

constexpr uint32_t kTiff = 42, kOrientationTag = 0x0112, kShort = 3;
constexpr size_t kEntryBytes = 12;

bool swaps_sides(Orientation o) { return o >= Orientation::Transposed; }

// Where row y, column x of the upright picture is stored, of `rows` by `columns` stored ones.
std::pair<int64_t, int64_t> stored_place(Orientation o, int64_t y, int64_t x, int64_t rows,
                                         int64_t columns) {
  switch (o) {
    case Orientation::Upright:
      break;
    case Orientation::MirroredAcross:
      return {y, columns - 1 - x};
    case Orientation::HalfTurn:
      return {rows - 1 - y, columns - 1 - x};
    case Orientation::MirroredDown:
      return {rows - 1 - y, x};
    case Orientation::Transposed:
      return {x, y};
    case Orientation::QuarterTurn:
      return {rows - 1 - x, y};
    case Orientation::TransposedHalfTurn:
      return {rows - 1 - x, columns - 1 - y};
    case Orientation::QuarterTurnBackward:
      return {x, columns - 1 - y};
  }
  return {y, x};
}

}  // namespace

Orientation orientation_in(std::span<const std::byte> exif) {
  constexpr auto kNone = Orientation::Upright;
  if (exif.size() < 8 || exif[0] != exif[1]) return kNone;
  const bool is_big = exif[0] == std::byte{'M'};
  if (!is_big && exif[0] != std::byte{'I'}) return kNone;
  const TiffReader tiff(exif, is_big);
  if (tiff.number(2, 2) != kTiff) return kNone;
  const size_t directory = *tiff.number(4, 4);
  const uint32_t entries = tiff.number(directory, 2).value_or(0);
  for (size_t i = 0; i < entries; ++i) {
    const size_t entry = directory + 2 + i * kEntryBytes;
    const auto tag = tiff.number(entry, 2);
    if (!tag) return kNone;
    if (*tag != kOrientationTag) continue;
    const uint32_t value = tiff.number(entry + 8, 2).value_or(0);
    const bool is_known = tiff.number(entry + 2, 2) == kShort && value >= 1 && value <= 8;
    return is_known ? static_cast<Orientation>(value) : kNone;
  }
  return kNone;
}

Pixels upright(Pixels stored, Orientation orientation) {
  if (orientation == Orientation::Upright) return stored;
  Pixels out = stored;
  if (swaps_sides(orientation)) std::swap(out.height, out.width);
  const int64_t channels = stored.channels;
  auto to = out.bytes.begin();
  for (int64_t y = 0; y < out.height; ++y) {
    for (int64_t x = 0; x < out.width; ++x) {
      const auto [row, column] = stored_place(orientation, y, x, stored.height, stored.width);
      const auto from = stored.bytes.begin() + (row * stored.width + column) * channels;
      to = std::copy_n(from, channels, to);
    }
  }
  return out;
}

}  // namespace tg::images
