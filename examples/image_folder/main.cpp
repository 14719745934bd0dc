// Trains a network on a folder of pictures, with a folder inside it for each class, and saves the
// best weights with the names of the classes, so that `tg classify` reads them. The pictures:
// pictures.h; the training: train.h.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <string>

#include "../support/interrupt.h"
#include "../support/output.h"
#include "pictures.h"
#include "shapes.h"
#include "tg/models/image_classifier.h"
#include "train.h"

namespace {

using namespace image_folder;
using tg::models::ImageNetwork;

struct Options {
  std::string folder = "shapes";
  int64_t draw = 0;  // pictures of each shape
  std::string architecture = "resnet18", weights;
  std::string out = "image_folder.safetensors", curve = "image_folder.svg";
  double validation = 0.2;
  TrainOptions training;
};

// The weights of a file in a network of these classes. Its last layer stays as it starts, if the
// file knows other classes.
ImageNetwork network_from(const std::string& file, int64_t classes) {
  auto known = tg::models::ImageClassifier::load(file);
  const tg::models::ImageClassifierInfo& info = known.info();
  if (info.classes == classes) return known.network();
  ImageNetwork out = tg::models::image_network(info.architecture, {.classes = classes});
  tg::nn::StateDict weights = tg::nn::state_dict(known.network());
  for (const auto& [name, own] : tg::nn::state_dict(out)) {
    tg::Tensor& weight = weights.at(name);
    if (weight.shape() != own.shape()) weight = own;
  }
  tg::nn::load_state_dict(out, weights);
  return out;
}

// Pictures are larger than what the network sees of them, so that the part can vary.
int64_t side_of(const Options& o) { return o.training.size * 9 / 8; }

int run(const Options& o) {
  examples::require_folder_of(o.out);
  examples::require_folder_of(o.curve);
  if (o.draw > 0) {
    draw_shapes(o.folder, o.draw, o.training.seed);
    std::printf("drew %lld pictures of each of four shapes into %s\n",
                static_cast<long long>(o.draw), o.folder.c_str());
  }
  const Split pictures = read_pictures(
      o.folder, {.side = side_of(o), .validation = o.validation, .seed = o.training.seed});
  if (examples::stop_requested()) return examples::kInterrupted;
  std::printf("%s: %zu classes, %lld pictures to train on, %lld for validation\n", o.folder.c_str(),
              pictures.labels.size(), static_cast<long long>(pictures.training.count),
              static_cast<long long>(pictures.validation.count));
  std::fflush(stdout);

  tg::manual_seed(o.training.seed);
  const auto classes = static_cast<int64_t>(pictures.labels.size());
  ImageNetwork network = o.weights.empty()
                             ? tg::models::image_network(o.architecture, {.classes = classes})
                             : network_from(o.weights, classes);
  const Training done = train(network, pictures, o.training, [&] {
    tg::models::save_image_network(network, o.out, pictures.labels,
                                   {.resize = side_of(o), .crop = o.training.size});
  });
  if (!done.training.losses.empty())
    examples::write_loss_curves({done.training, done.validation}, "loss, nats a picture", o.curve);
  if (examples::stop_requested())
    std::fprintf(stderr, "image_folder: interrupted in epoch %lld of %lld%s\n",
                 static_cast<long long>(done.epochs + 1), static_cast<long long>(o.training.epochs),
                 done.epochs == 0 ? ": no weights were saved" : "");
  if (done.epochs > 0)
    std::printf("the best network recognises %lld of %lld pictures; it is in %s\n",
                static_cast<long long>(done.best.right), static_cast<long long>(done.best.count),
                o.out.c_str());
  return examples::stop_requested() ? examples::kInterrupted : 0;
}

void add_options(CLI::App& app, Options& o) {
  const CLI::Range count(1, 1'000'000);
  app.add_option("folder", o.folder, "a folder of folders, one for each class")
      ->capture_default_str();
  app.add_option("--draw", o.draw, "first make the folder: so many pictures of each of four shapes")
      ->check(count);
  app.add_option("--size", o.training.size, "height and width of what the network sees")
      ->capture_default_str()
      ->check(CLI::Range(32, 1024));
  app.add_option("--epochs", o.training.epochs)->capture_default_str()->check(count);
  app.add_option("--batch", o.training.batch, "pictures a step")
      ->capture_default_str()
      ->check(CLI::Range(2, 10'000));
  app.add_option("--lr", o.training.lr, "learning rate at the start")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 10.0));
  app.add_option("--validation", o.validation, "share of the pictures that is not trained on")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 1.0));
  app.add_option("--architecture", o.architecture,
                 "the network, by torchvision's name; with --weights, that of the file")
      ->capture_default_str();
  app.add_option("--weights", o.weights, "file of weights to start from, such as resnet18.pth");
  app.add_option("--out", o.out, "file for the best weights")->capture_default_str();
  app.add_option("--curve", o.curve, "file for the losses as a picture, SVG")
      ->capture_default_str();
  app.add_option("--seed", o.training.seed, "of weights, order, places and validation")
      ->capture_default_str();
}

}  // namespace

int main(int argc, char** argv) {
  Options o;
  CLI::App app("Trains a network to tell the pictures in the folders of a folder apart.",
               "image_folder");
  add_options(app, o);
  CLI11_PARSE(app, argc, argv);
  examples::catch_interrupts();
  try {
    return run(o);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "\nimage_folder: %s\n", e.what());
    // Ctrl-C also reaches a compiler that is at work, so that its kernel is missing.
    return examples::stop_requested() ? examples::kInterrupted : 1;
  }
}
