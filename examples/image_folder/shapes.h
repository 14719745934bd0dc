// Pictures to try the program on: shapes of random colour, size and place.
#pragma once

#include <cstdint>
#include <filesystem>

namespace image_folder {

/// Writes `count` PNG files, 72 pixels wide and high, of each of four shapes into the folders
/// circle, cross, square and triangle of `folder`, which must be new. They depend on the seed
/// alone. Throws std::runtime_error if it exists, tg::FileError if a file cannot be written.
void draw_shapes(const std::filesystem::path& folder, int64_t count, uint64_t seed);

}  // namespace image_folder
