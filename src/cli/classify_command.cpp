// tg classify: what is in pictures, by a network with published weights. The classifier:
// tg/models/image_classifier.h.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>

#include "cli/cli.h"
#include "cli/loading_bar.h"
#include "tg/models/image_classifier.h"

namespace tg::cli {
namespace {

struct ClassifySettings {
  std::string model;
  std::vector<std::string> pictures;
  models::ImageClassifierOptions load;
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

void classify(const ClassifySettings& s, std::ostream& out) {
  models::ImageClassifier classifier = with_loading_bar(
      s.load, [&](const auto& options) { return models::ImageClassifier::load(s.model, options); });
  for (const std::string& picture : s.pictures) {
    const auto guesses =
        classifier.classify(images::read(picture, {.device = s.load.device}), s.top);
    (s.json ? print_json : print_guesses)(picture, guesses, out);
    out.flush();
  }
}

}  // namespace

void add_classify_command(CLI::App& app, std::ostream& out) {
  auto s = std::make_shared<ClassifySettings>();
  CLI::App* c = app.add_subcommand("classify", "Say what is in pictures, by a network's weights");
  c->add_option(
       "model", s->model,
       "weights with torchvision's names (.pth, .safetensors), or a folder of Hugging Face "
       "with config.json and model.safetensors")
      ->required();
  c->add_option("pictures", s->pictures, "PNG and JPEG files")->required();
  const auto labels = std::make_shared<std::string>();
  c->add_option("--labels", *labels,
                "names of the classes: a line for each, a JSON list, or a JSON object by number");
  c->add_option("--top", s->top, "print so many classes of each picture")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  c->add_flag("--json", s->json, "print a JSON object a line");
  c->add_option("--architecture", s->load.architecture,
                "such as resnet50; if left out, that whose tensors have these names and shapes");
  c->add_option("--device", s->load.device, "where it computes; the default device if left out");
  c->callback([s, labels, &out] {
    s->load.labels = *labels;
    classify(*s, out);
  });
}

}  // namespace tg::cli
