// See preprocessing.h.
#include "frontend/vision/preprocessing.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "frontend/language/model_folder.h"
#include "frontend/vision/images.h"
#include "frontend/vision/resample.h"
#include "support/check.h"

namespace tg::models {
namespace {

namespace fs = std::filesystem;

images::Pixels prepared(const images::Pixels& picture, const ImagePreprocessing& p) {
  if (p.resize == 0) return images::resampled(picture, p.crop, p.crop, p.filter);
  return images::cropped(images::resampled_shorter_side(picture, p.resize, p.filter), p.crop,
                         p.crop, p.crop_rounds_down);
}

images::PerChannel per_channel(Settings& s, std::string_view name, images::PerChannel otherwise) {
  if (!s.has(name)) return otherwise;
  const std::vector<JsonPart> list = s.list(name);
  if (list.size() != otherwise.size()) s.fail(name, "are not three numbers");
  for (size_t i = 0; i < otherwise.size(); ++i) {
    otherwise[i] = list[i].number();
    if (!std::isfinite(otherwise[i])) s.fail(name, "are not finite");
  }
  return otherwise;
}

// What all kinds of processors have: how pixels are scaled, and how pictures are.
void read_scaling(Settings& s, images::Filter usual_filter, ImagePreprocessing& p) {
  p.mean = per_channel(s, "image_mean", p.mean);
  p.std = per_channel(s, "image_std", p.std);
  for (const double x : p.std)
    if (!(x > 0)) s.fail("image_std", "is not above 0");
  const bool is_usually_cubic = usual_filter == images::Filter::Bicubic;
  const int64_t resample = s.whole_or("resample", 0, 5, is_usually_cubic ? 3 : 2);
  if (resample != 2 && resample != 3) s.fail("resample", "is neither 2 (bilinear) nor 3 (bicubic)");
  p.filter = resample == 3 ? images::Filter::Bicubic : images::Filter::Bilinear;
  p.crop_rounds_down = true;
}

// Of a square, as one number or as two equal ones.
int64_t read_side(Settings& s, std::string_view name) {
  if (!s.has_members(name)) return s.whole(name, 1, kMostPictureSide);
  Settings& sides = s.inner(name);
  const int64_t side = sides.whole("height", 1, kMostPictureSide);
  if (sides.whole("width", 1, kMostPictureSide) != side)
    s.fail(name, "is no square, which is not supported");
  return side;
}

bool has_shortest_edge(Settings& s) {
  return s.has_members("size") && s.inner("size").has("shortest_edge");
}

// Steps of CLIPImageProcessor that models could do without, and do not.
void require_usual_steps(Settings& s) {
  for (const std::string_view step : {"do_resize", "do_rescale"})
    if (!s.flag_or(step, true)) s.fail(step, "is false, which is not supported");
  constexpr double kLargest = 255, kAccuracy = 1e-6;
  if (!(std::abs(s.number_or("rescale_factor", 1 / kLargest) * kLargest - 1) < kAccuracy))
    s.fail("rescale_factor", "is not 1/255, which is not supported");
}

// What of a picture the network sees.
void read_clip_sizes(Settings& s, ImagePreprocessing& p) {
  int64_t size = p.resize;
  const bool is_square = s.has_members("size") && !has_shortest_edge(s);
  if (has_shortest_edge(s)) {
    size = s.inner("size").whole("shortest_edge", 1, kMostPictureSide);
  } else if (s.has("size")) {
    size = read_side(s, "size");
  }
  const int64_t crop = s.has("crop_size") ? read_side(s, "crop_size") : p.crop;
  const bool is_cut = s.flag_or("do_center_crop", true);
  if (!is_cut && !is_square)
    s.fail("do_center_crop", "is false, which leaves pictures that are no squares");
  p.resize = is_square ? 0 : size;
  p.crop = is_cut ? crop : size;
  if (p.crop > size || (is_square && p.crop != size))
    s.fail("crop_size",
           fmt::format("is {} of pictures of {}, which is not supported", p.crop, size));
}

}  // namespace

void check_preprocessing(std::string_view function, const ImagePreprocessing& p) {
  if (p.crop < 1 || p.crop > kMostPictureSide || p.resize > kMostPictureSide ||
      (p.resize != 0 && p.resize < p.crop))
    user_error<ArgumentError>(
        function,
        fmt::format("crop must be 1 to {}, and resize 0 or from crop to {}, got {} and {}",
                    kMostPictureSide, kMostPictureSide, p.crop, p.resize));
}

Tensor preprocessed(std::string_view function, const Tensor& picture, const ImagePreprocessing& p,
                    const std::string& device) {
  check_preprocessing(function, p);
  const images::Pixels pixels = prepared(images::pixels_of(function, picture), p);
  return {images::channels_first(pixels, p.mean, p.std), {3, p.crop, p.crop}, {.device = device}};
}

ImagePreprocessing read_classifier_preprocessing(std::string_view function, const fs::path& file,
                                                 const ImagePreprocessing& usual) {
  std::error_code unknown;
  ImagePreprocessing p = usual;
  if (!fs::exists(file, unknown)) return p;
  Settings s(json_of_file(function, file), file.string());
  read_scaling(s, images::Filter::Bilinear, p);
  if (!s.has("size")) return p;
  const bool is_edge = has_shortest_edge(s);
  const bool is_shorter_side = is_edge || (s.has("crop_pct") && !s.has_members("size"));
  p.crop = is_edge ? s.inner("size").whole("shortest_edge", 1, kMostPictureSide)
                   : read_side(s, "size");
  // ConvNextImageProcessor: small pictures are cut out of the middle, large ones are squeezed.
  constexpr int64_t kLeastSqueezed = 384;
  const bool is_cropped = is_shorter_side && p.crop < kLeastSqueezed;
  const double share = s.positive_or("crop_pct", 224.0 / 256);
  if (!(share <= 1)) s.fail("crop_pct", "is above 1");
  p.resize = is_cropped ? static_cast<int64_t>(static_cast<double>(p.crop) / share) : 0;
  return p;
}

ImagePreprocessing read_clip_preprocessing(std::string_view function, const fs::path& file,
                                           const ImagePreprocessing& usual) {
  constexpr auto kHarmless = std::to_array<std::string_view>(
      {"auto_map", "data_format", "do_convert_rgb", "feature_extractor_type",
       "image_processor_type", "processor_class", "_valid_processor_keys"});
  std::error_code unknown;
  ImagePreprocessing p = usual;
  if (!fs::exists(file, unknown)) return p;
  Settings s(json_of_file(function, file), file.string());
  read_scaling(s, usual.filter, p);
  require_usual_steps(s);
  if (!s.flag_or("do_normalize", true)) {
    p.mean = {0, 0, 0};
    p.std = {1, 1, 1};
  }
  read_clip_sizes(s, p);
  s.require_all_read(kHarmless);
  return p;
}

}  // namespace tg::models
