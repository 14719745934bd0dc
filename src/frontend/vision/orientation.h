// How a picture was held: cameras store rows as their sensor gives them, and beside them, in EXIF
// data, how they stand upright. Nothing else of EXIF is read. Source of the numbers: EXIF 2.32, tag
// 0x0112; of the form, that of TIFF: TIFF 6.0, section 2.
#pragma once

#include "frontend/vision/pixels.h"

namespace tg::images {

/// What to do with stored rows, as EXIF numbers it.
enum class Orientation : uint8_t {
  Upright = 1,
  MirroredAcross = 2,  ///< left and right exchanged
  HalfTurn = 3,
  MirroredDown = 4,  ///< top and bottom exchanged
  Transposed = 5,
  QuarterTurn = 6,          ///< clockwise
  TransposedHalfTurn = 7,   ///< transposed along the other diagonal
  QuarterTurnBackward = 8,  ///< counterclockwise
};

/// The orientation in EXIF data, which begins with its byte order, "II" or "MM". Upright where
/// there is none, where the data is damaged, or where its number means nothing: such pictures are
/// shown as they are stored.
Orientation orientation_in(std::span<const std::byte> exif);

/// The picture as it stands upright; height and width change places for a quarter of a turn.
Pixels upright(Pixels stored, Orientation orientation);

}  // namespace tg::images
