// tg classify: what is in pictures, by a network with published weights, or by a CLIP and labels of
// the user's. The models: tg/models/image_classifier.h, tg/models/clip.h.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>

#include "cli/cli.h"
#include "cli/loading_bar.h"
#include "frontend/vision/classifier_files.h"
#include "support/check.h"
#include "tg/models/clip.h"
#include "tg/models/image_classifier.h"

namespace tg::cli {
namespace {

struct ClassifySettings {
  std::string model;
  std::vector<std::string> pictures, labels;
  models::ImageClassifierOptions load;
  std::string prompt;
  int64_t top = 5;
  bool json = false;
};

void print_guesses(const std::string& picture, const std::vector<models::ImageGuess>& guesses,
                   std::ostream& out) {
  out << fmt::format("{}:\n", picture);
  for (const models::ImageGuess& g : guesses)
    out << fmt::format("  {:6.2f} %  {}\n", 100 * g.probability, g.label);
}

void print_json(const std::string& picture, const std::vector<models::ImageGuess>& guesses,
                std::ostream& out) {
  nlohmann::json list = nlohmann::json::array();
  for (const models::ImageGuess& g : guesses)
    list.push_back({{"index", g.index}, {"label", g.label}, {"probability", g.probability}});
  // Names of files and classes may be anything.
  constexpr auto kReplaced = nlohmann::json::error_handler_t::replace;
  out << nlohmann::json({{"picture", picture}, {"classes", list}}).dump(-1, ' ', false, kReplaced)
      << "\n";
}

// Calls `guess(picture)` for each picture, and prints what it gives.
template <typename F>
void print_pictures(const ClassifySettings& s, std::ostream& out, const F& guess) {
  for (const std::string& picture : s.pictures) {
    const auto guesses = guess(images::read(picture, {.device = s.load.device}));
    (s.json ? print_json : print_guesses)(picture, guesses, out);
    out.flush();
  }
}

void classify_by_network(const ClassifySettings& s, std::ostream& out) {
  if (!s.labels.empty() || !s.prompt.empty()) {
    user_error<ArgumentError>(
        "classify",
        fmt::format("\"{}\" has classes of its own, and takes no --label and no --prompt", s.model),
        "Hint: a CLIP takes them.");
  }
  models::ImageClassifier classifier = with_loading_bar(
      s.load, [&](const auto& options) { return models::ImageClassifier::load(s.model, options); });
  print_pictures(s, out,
                 [&](const Tensor& picture) { return classifier.classify(picture, s.top); });
}

void classify_by_clip(const ClassifySettings& s, std::ostream& out) {
  if (!s.load.architecture.empty())
    user_error<ArgumentError>("classify", "a CLIP takes no --architecture");
  std::vector<std::string> labels = s.labels;
  if (!s.load.labels.empty())
    for (std::string& label : models::read_labels("classify", s.load.labels))
      labels.push_back(std::move(label));
  if (labels.empty()) {
    user_error<ArgumentError>("classify",
                              fmt::format("\"{}\" is a CLIP, which chooses among labels", s.model),
                              "Hint: name them by --label, or a file with one a line by --labels.");
  }
  models::Clip clip =
      with_loading_bar(models::ClipOptions{.device = s.load.device},
                       [&](const auto& options) { return models::Clip::load(s.model, options); });
  const models::ClipClassifyOptions options{.top = s.top,
                                            .prompt = s.prompt.empty() ? "{}" : s.prompt};
  print_pictures(s, out,
                 [&](const Tensor& picture) { return clip.classify(picture, labels, options); });
}

}  // namespace

void add_classify_command(CLI::App& app, std::ostream& out) {
  auto s = std::make_shared<ClassifySettings>();
  CLI::App* c = app.add_subcommand("classify",
                                   "Say what is in pictures, by a network's weights or by labels");
  c->add_option(
       "model", s->model,
       "weights with torchvision's names (.pth, .safetensors), or a folder of Hugging Face "
       "with config.json and model.safetensors: ViT, ResNet or CLIP")
      ->required();
  c->add_option("pictures", s->pictures, "PNG and JPEG files")->required();
  const auto labels = std::make_shared<std::string>();
  c->add_option("--labels", *labels,
                "names of the classes: a line for each, a JSON list, or a JSON object by number");
  c->add_option("--label", s->labels, "for a CLIP: a label to choose among; repeatable")
      ->type_name("TEXT")
      ->allow_extra_args(false);
  c->add_option("--prompt", s->prompt,
                "for a CLIP: the text of a label, in which {} is the label: \"a photo of a {}\"");
  c->add_option("--top", s->top, "print so many classes of each picture")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  c->add_flag("--json", s->json, "print a JSON object a line");
  c->add_option("--architecture", s->load.architecture,
                "such as resnet50; if left out, that whose tensors have these names and shapes");
  c->add_option("--device", s->load.device, "where it computes; the default device if left out");
  c->callback([s, labels, &out] {
    s->load.labels = *labels;
    (models::is_clip(s->model) ? classify_by_clip : classify_by_network)(*s, out);
  });
}

}  // namespace tg::cli
