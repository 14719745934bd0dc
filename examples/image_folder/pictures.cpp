// Files are known by their names' ends and sorted, so that the order of a file system does not
// count. A picture is resized to the side that is shorter, and its middle is taken.
#include "pictures.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <random>
#include <stdexcept>

#include "../support/interrupt.h"
#include "../support/progress.h"
#include "tg/models/image.h"

namespace image_folder {
namespace {

namespace fs = std::filesystem;
using tg::Tensor;

bool is_picture(const fs::path& file) {
  std::string end = file.extension().string();
  std::ranges::transform(end, end.begin(), [](unsigned char c) { return std::tolower(c); });
  return end == ".png" || end == ".jpg" || end == ".jpeg";
}

struct Example {
  fs::path file;
  int32_t label;
};

std::vector<Example> examples_of(const fs::path& folder, int32_t label) {
  std::vector<Example> out;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.is_regular_file() && is_picture(entry.path())) out.push_back({entry.path(), label});
  std::ranges::sort(out, {}, &Example::file);
  if (out.size() < 2)
    throw std::runtime_error(folder.string() + " has " + std::to_string(out.size()) +
                             " PNG or JPEG files; a class needs two, one to train and one to test");
  return out;
}

std::vector<fs::path> class_folders(const fs::path& folder) {
  if (!fs::is_directory(folder))
    throw std::runtime_error("there is no folder " + folder.string() +
                             "; --draw makes one with pictures of shapes");
  std::vector<fs::path> out;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.is_directory()) out.push_back(entry.path());
  std::ranges::sort(out);
  if (out.size() < 2)
    throw std::runtime_error(folder.string() + " has " + std::to_string(out.size()) +
                             " folders; it takes two or more, one for each class");
  return out;
}

PictureSet read_all(const std::vector<Example>& examples, int64_t side,
                    examples::Progress& progress, int64_t& done) {
  std::vector<std::byte> bytes;
  std::vector<int32_t> labels;
  for (const Example& e : examples) {
    if (examples::stop_requested()) return {};
    const Tensor picture = tg::images::resize_shorter_side(tg::images::read(e.file), side);
    const auto cropped = tg::images::center_crop(picture, side, side).to_bytes();
    bytes.insert(bytes.end(), cropped.begin(), cropped.end());
    labels.push_back(e.label);
    progress.show(++done, "reading pictures");
  }
  const auto count = static_cast<int64_t>(examples.size());
  return {Tensor::from_bytes(bytes, {count, side, side, 3}, tg::dtypes::uint8), Tensor(labels),
          count};
}

}  // namespace

Split read_pictures(const fs::path& folder, const ReadOptions& o) {
  std::vector<Example> training, validation;
  std::mt19937_64 random(o.seed);
  Split out;
  for (const fs::path& one : class_folders(folder)) {
    auto found = examples_of(one, static_cast<int32_t>(out.labels.size()));
    out.labels.push_back(one.filename().string());
    std::ranges::shuffle(found, random);
    const auto count = static_cast<double>(found.size());
    const auto held_out =
        static_cast<std::ptrdiff_t>(std::clamp(std::round(o.validation * count), 1.0, count - 1));
    validation.insert(validation.end(), found.begin(), found.begin() + held_out);
    training.insert(training.end(), found.begin() + held_out, found.end());
  }
  examples::Progress progress(static_cast<int64_t>(training.size() + validation.size()));
  int64_t done = 0;
  out.training = read_all(training, o.side, progress, done);
  out.validation = read_all(validation, o.side, progress, done);
  return out;
}

}  // namespace image_folder
