// What a file of weights says beside them: names of classes, and what pictures must be like. In
// safetensors both are texts, JSON here. Names in files of their own: labels.cpp.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "frontend/language/settings.h"
#include "frontend/vision/classifier_files.h"
#include "frontend/vision/preprocessing.h"
#include "support/check.h"

namespace tg::models {
namespace {

using nlohmann::json;

constexpr const char *kLabels = "labels", *kPreprocessing = "preprocessing";

// The text of a fact; null if there is none. Other programs may use its name for what is no text.
const std::string* text_of(const nn::Facts& facts, const char* name) {
  const auto found = facts.find(name);
  return found == facts.end() ? nullptr : std::get_if<std::string>(&found->second.value);
}

std::string dumped(const json& content) {
  return content.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::vector<std::string> labels_from(const std::string& text, const std::string& place) {
  const json content = parse_json(text, place);
  std::vector<std::string> out;
  for (const JsonPart& part : JsonPart(content, place).items()) out.push_back(part.text());
  return out;
}

images::PerChannel channels_from(Settings& s, std::string_view name, bool is_divisor) {
  const std::vector<JsonPart> list = s.list(name);
  images::PerChannel out{};
  if (list.size() != out.size()) s.fail(name, "are not three numbers");
  for (size_t i = 0; i < out.size(); ++i) {
    out[i] = list[i].number();
    if (!std::isfinite(out[i]) || (is_divisor && !(out[i] > 0)))
      s.fail(name, is_divisor ? "is not above 0" : "is not finite");
  }
  return out;
}

ImagePreprocessing preprocessing_from(const std::string& text, const std::string& place) {
  Settings s(parse_json(text, place), place);
  ImagePreprocessing out;
  out.crop = s.whole("crop", 1, kMostPictureSide);
  out.resize = s.whole("resize", 0, kMostPictureSide);
  if (out.resize != 0 && out.resize < out.crop) s.fail("resize", "is below crop");
  const std::string& filter = s.text("filter");
  if (filter != "bilinear" && filter != "bicubic") s.fail("filter", "is no filter");
  out.filter = filter == "bicubic" ? images::Filter::Bicubic : images::Filter::Bilinear;
  out.mean = channels_from(s, "mean", false);
  out.std = channels_from(s, "std", true);
  out.crop_rounds_down = s.flag_or("crop_rounds_down", false);
  return out;
}

}  // namespace

void read_facts(const nn::Facts& facts, const std::filesystem::path& file, LoadedClassifier& out) {
  // One alone is the metadata of another program.
  const std::string *labels = text_of(facts, kLabels), *pictures = text_of(facts, kPreprocessing);
  if (labels == nullptr || pictures == nullptr) return;
  out.labels = labels_from(*labels, fmt::format("{}: {}", file.string(), kLabels));
  out.preprocessing =
      preprocessing_from(*pictures, fmt::format("{}: {}", file.string(), kPreprocessing));
}

void save_image_network(ImageNetwork& network, const std::filesystem::path& file,
                        const std::vector<std::string>& labels, const ImagePreprocessing& p) {
  constexpr std::string_view kName = "save_image_network";
  check_preprocessing(kName, p);
  int64_t classes = 0;
  nn::visit_tensors(network, [&](const std::string&, Tensor& t) { classes = t.size(0); });
  if (!labels.empty() && static_cast<int64_t>(labels.size()) != classes)
    user_error<ArgumentError>(kName,
                              fmt::format("{} names for {} classes", labels.size(), classes));
  const json pictures = {{"resize", p.resize},
                         {"crop", p.crop},
                         {"filter", p.filter == images::Filter::Bicubic ? "bicubic" : "bilinear"},
                         {"mean", p.mean},
                         {"std", p.std},
                         {"crop_rounds_down", p.crop_rounds_down}};
  nn::save(nn::state_dict(network), file,
           {{kLabels, dumped(json(labels))}, {kPreprocessing, dumped(pictures)}});
}

}  // namespace tg::models
