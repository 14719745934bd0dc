// tg detect: where objects are in pictures, by a network with published weights. The network:
// tg/models/object_detector.h. What a whole picture shows: classify_command.cpp.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>

#include "cli/cli.h"
#include "cli/loading_bar.h"
#include "support/check.h"
#include "support/interrupt.h"
#include "support/progress.h"
#include "tg/models/object_detector.h"

namespace tg::cli {
namespace {

namespace fs = std::filesystem;

// Fewer pictures are done soon, and lines and a bar on one terminal disturb each other.
constexpr size_t kLeastPicturesWithBar = 16;

struct DetectSettings {
  std::string model, output;
  std::vector<std::string> pictures;
  models::ObjectDetectorOptions load;
  models::DetectOptions detect;
  bool json = false;
};

void print_detections(const std::string& picture, const std::vector<models::Detection>& found,
                      std::ostream& out) {
  out << fmt::format("{}:{}\n", picture, found.empty() ? " nothing" : "");
  for (const models::Detection& d : found)
    out << fmt::format("  {:6.2f} %  {:4.0f}, {:4.0f} to {:4.0f}, {:4.0f}  {}\n",
                       100 * d.confidence, d.box.left, d.box.top, d.box.right, d.box.bottom,
                       d.label);
}

void print_detections_as_json(const std::string& picture,
                              const std::vector<models::Detection>& found, std::ostream& out) {
  nlohmann::json list = nlohmann::json::array();
  for (const models::Detection& d : found)
    list.push_back({{"index", d.index},
                    {"label", d.label},
                    {"confidence", d.confidence},
                    {"box", {d.box.left, d.box.top, d.box.right, d.box.bottom}}});
  // Names of files and classes may be anything.
  constexpr auto kReplaced = nlohmann::json::error_handler_t::replace;
  out << nlohmann::json({{"picture", picture}, {"objects", list}}).dump(-1, ' ', false, kReplaced)
      << "\n";
}

// Where each picture with its boxes goes: the file --output names, or in that folder a file with
// the picture's name. No two share one, and none is one of the pictures.
std::vector<fs::path> output_files(const DetectSettings& s) {
  std::error_code unknown;
  if (!fs::is_directory(s.output, unknown)) {
    if (s.pictures.size() > 1)
      user_error<ArgumentError>(
          "detect", fmt::format("--output \"{}\" is no folder, and there are {} pictures", s.output,
                                s.pictures.size()));
    return {s.output};
  }
  std::vector<fs::path> out;
  std::map<fs::path, std::string> pictures;  // by what is written of them
  for (const std::string& picture : s.pictures) {
    out.push_back(fs::path(s.output) / fs::path(picture).filename().replace_extension(".png"));
    const auto [first, is_new] = pictures.emplace(out.back(), picture);
    if (!is_new)
      user_error<ArgumentError>(
          "detect", fmt::format("\"{}\" and \"{}\" would both be written as \"{}\"", first->second,
                                picture, out.back().string()));
  }
  return out;
}

void require_other_files(const DetectSettings& s, const std::vector<fs::path>& outputs) {
  for (const fs::path& output : outputs)
    for (const std::string& picture : s.pictures) {
      std::error_code unknown;
      if (fs::equivalent(output, picture, unknown))
        user_error<ArgumentError>(
            "detect", fmt::format("--output would write over the picture \"{}\"", picture));
    }
}

void run_detect(const DetectSettings& s, std::ostream& out) {
  const std::vector<fs::path> outputs =
      s.output.empty() ? std::vector<fs::path>() : output_files(s);
  require_other_files(s, outputs);
  models::ObjectDetector detector = with_loading_bar(
      s.load, [&](const auto& options) { return models::ObjectDetector::load(s.model, options); });
  const InterruptScope interrupts;
  std::optional<ProgressBar> bar;
  if (s.pictures.size() >= kLeastPicturesWithBar)
    bar.emplace("detecting (pictures)", static_cast<int64_t>(s.pictures.size()));
  for (size_t i = 0; i < s.pictures.size(); ++i) {
    check_interrupt("detect");
    const std::string& file = s.pictures[i];
    const Tensor picture = images::read(file, {.device = s.load.device});
    const auto found = detector.detect(picture, s.detect);
    (s.json ? print_detections_as_json : print_detections)(file, found, out);
    out.flush();
    if (!outputs.empty()) images::write_png(models::drawn_boxes(picture, found), outputs[i]);
    if (bar) bar->advance();
  }
  if (bar) bar->finish();
}

}  // namespace

void add_detect_command(CLI::App& app, std::ostream& out) {
  auto s = std::make_shared<DetectSettings>();
  CLI::App* c = app.add_subcommand("detect", "Find objects in pictures by YOLOv8");
  c->add_option("model", s->model,
                "weights of a YOLOv8 of any size: Ultralytics' .pt (nothing in it is run), or "
                ".safetensors with the same names")
      ->required();
  c->add_option("pictures", s->pictures, "PNG and JPEG files")->required();
  c->add_option("--confidence", s->detect.confidence, "leave out objects of less, 0 to 1")
      ->capture_default_str();
  c->add_option("--iou", s->detect.iou,
                "of two boxes of a class whose intersection is more of their union, leave out the "
                "less confident one")
      ->capture_default_str();
  c->add_option("--most", s->detect.most, "print so many objects of a picture at most")
      ->capture_default_str();
  c->add_option("--size", s->detect.size, "pixels of the longer side of what the network sees")
      ->capture_default_str();
  c->add_option("--output", s->output,
                "write the picture with its boxes as this PNG file, or all pictures into this "
                "folder");
  const auto labels = std::make_shared<std::string>();
  c->add_option(
      "--labels", *labels,
      "names of the classes, if not those in the file: a line for each, a JSON list, or a "
      "JSON object by number");
  c->add_flag("--json", s->json, "print a JSON object a line");
  c->add_option("--device", s->load.device, "where it computes; the default device if left out");
  c->callback([s, labels, &out] {
    s->load.labels = *labels;
    run_detect(*s, out);
  });
}

}  // namespace tg::cli
