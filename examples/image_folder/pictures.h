// A folder of pictures as tensors: one folder inside it for each class, whose name is the class's.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "tg/tg.h"

namespace image_folder {

/// Pictures of one size, and their classes.
struct PictureSet {
  tg::Tensor pictures;  ///< uint8 [count, side, side, 3]
  tg::Tensor classes;   ///< int32 [count]
  int64_t count = 0;
};

struct Split {
  PictureSet training, validation;
  std::vector<std::string> labels;  ///< of the classes, in order of their names
};

struct ReadOptions {
  int64_t side = 72;        ///< height and width that pictures are resized and cropped to
  double validation = 0.2;  ///< share of each class that is not trained on
  uint64_t seed = 1;        ///< of the choice of these
};

/// Reads all PNG and JPEG files of the folders in `folder`, and keeps them in memory. Throws
/// std::runtime_error if there are less than two classes or a class has less than two pictures,
/// tg::FileError for a picture that is damaged. Ctrl-C ends it: the sets are empty then.
Split read_pictures(const std::filesystem::path& folder, const ReadOptions& options);

}  // namespace image_folder
