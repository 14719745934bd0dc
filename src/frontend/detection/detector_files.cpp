// See detector_files.h. Names of tensors are those of Ultralytics' DetectionModel, behind what
// checkpoints put before them.
#include "frontend/detection/detector_files.h"

#include <fmt/format.h>

#include <algorithm>

#include "frontend/random_state_kept.h"
#include "frontend/vision/classifier_files.h"
#include "frontend/vision/weights_fit.h"
#include "support/check.h"
#include "tg/state.h"

namespace tg::models {
namespace {

namespace fs = std::filesystem;

// What every file of such a network has.
constexpr std::string_view kFirstTensor = "model.0.conv.weight";
constexpr std::string_view kLastTensor = "model.22.cv3.0.2.weight";

[[noreturn]] void fail(const fs::path& file, std::string_view problem, std::string_view hint = {}) {
  user_error<FileError>(kLoadDetector, fmt::format("\"{}\" {}", file.string(), problem), hint);
}

nn::detail::ModuleFile read_modules(const fs::path& file, const ObjectDetectorOptions& options) {
  std::error_code error;
  const uint64_t all = fs::file_size(file, error);
  if (error)
    user_error<FileError>(kLoadDetector, fmt::format("\"{}\": {}", file.string(), error.message()));
  uint64_t done = 0;
  nn::detail::ModuleFile out = nn::detail::load_modules(file, options.device, [&](uint64_t bytes) {
    done += bytes;
    if (options.progress) options.progress(std::min(done, all), all);
  });
  if (options.progress) options.progress(all, all);
  return out;
}

// What stands before the names of the network's tensors: "model." where the file has a pickled
// model, "ema." for the mean of a training's last weights, which is what such a file is for.
std::string prefix_of(const nn::StateDict& tensors, const fs::path& file) {
  std::vector<std::string> found;
  for (const auto& [name, tensor] : tensors)
    if (name.ends_with(kFirstTensor))
      found.push_back(name.substr(0, name.size() - kFirstTensor.size()));
  if (found.empty())
    fail(file, fmt::format("has the tensors of no YOLOv8: there is no \"{}\"", kFirstTensor));
  const auto mean =
      std::ranges::find_if(found, [](const std::string& p) { return p.starts_with("ema."); });
  if (mean != found.end()) return *mean;
  return *std::ranges::min_element(found, {}, &std::string::size);
}

// The network's tensors by its own names, as float32.
nn::StateDict of_network(const nn::StateDict& tensors, std::string_view prefix) {
  nn::StateDict out;
  for (const auto& [name, tensor] : tensors) {
    if (!name.starts_with(prefix)) continue;
    // PyTorch counts batches, which nothing depends on; the weights of bins are their numbers.
    if (name.ends_with("num_batches_tracked") || name.ends_with("dfl.conv.weight")) continue;
    const bool is_other_float = tensor.is_floating_point() && tensor.dtype() != DType::Float32;
    out.emplace(name.substr(prefix.size()), is_other_float ? tensor.cast(DType::Float32) : tensor);
  }
  return out;
}

// ---- which size

int64_t blocks_of(const nn::StateDict& tensors, int64_t stage) {
  int64_t n = 0;
  while (tensors.contains(fmt::format("model.{}.m.{}.cv1.conv.weight", stage, n))) ++n;
  return n;
}

// A file may stretch one number to a tensor of any size, so what a network is made by is bounded.
void require_usual_size(const fs::path& file, const std::string& name, int64_t n, int64_t most) {
  if (n < 1 || n > most)
    fail(file,
         fmt::format("has the tensors of no YOLOv8: {} is {}, and may be 1 to {}", name, n, most));
}

YoloSizes sizes_in(const nn::StateDict& tensors, const fs::path& file) {
  constexpr int64_t kMostChannels = 1 << 14, kMostBlocks = 64, kMostClasses = 1 << 16;
  constexpr std::array<int64_t, 5> kConvolutions = {0, 1, 3, 5, 7};
  constexpr std::array<int64_t, 4> kStages = {2, 4, 6, 8}, kNeckStages = {12, 15, 18, 21};
  YoloSizes out;
  for (size_t i = 0; i < kConvolutions.size(); ++i) {
    const std::string name = fmt::format("model.{}.conv.weight", kConvolutions[i]);
    out.channels[i] = size_of(tensors, name, 0);
    require_usual_size(file, fmt::format("the first size of \"{}\"", name), out.channels[i],
                       kMostChannels);
  }
  for (size_t i = 0; i < kStages.size(); ++i) {
    out.blocks[i] = blocks_of(tensors, kStages[i]);
    out.neck_blocks[i] = blocks_of(tensors, kNeckStages[i]);
    const auto require = [&](int64_t stage, int64_t n) {
      require_usual_size(file, fmt::format("the number of \"model.{}.m\"", stage), n, kMostBlocks);
    };
    require(kStages[i], out.blocks[i]);
    require(kNeckStages[i], out.neck_blocks[i]);
  }
  out.classes = size_of(tensors, kLastTensor, 0);
  require_usual_size(file, fmt::format("the first size of \"{}\"", kLastTensor), out.classes,
                     kMostClasses);
  return out;
}

std::string architecture_of(const YoloSizes& sizes) {
  for (const std::string& name : detection_architectures()) {
    YoloV8Options options = detection_options(name);
    options.classes = sizes.classes;
    if (sizes_of(options) == sizes) return name;
  }
  return "yolov8";
}

// ---- what the file says beside its tensors

// Of the batch normalisations; a pickled model says it, other files do not.
double norm_eps_of(const nn::Facts& facts, std::string_view prefix, const fs::path& file) {
  const std::string name = fmt::format("{}model.0.bn.eps", prefix);
  const auto found = facts.find(name);
  if (found == facts.end()) return YoloSettings{}.norm_eps;
  const double* eps = std::get_if<double>(&found->second.value);
  if (eps == nullptr || !(*eps > 0 && *eps < 1))
    fail(file, fmt::format("says of \"{}\" what is not between 0 and 1", name));
  return *eps;
}

void require_usual_grids(const nn::StateDict& attributes, std::string_view prefix,
                         const fs::path& file) {
  const std::string name = fmt::format("{}stride", prefix);
  const auto found = attributes.find(name);
  if (found == attributes.end()) return;
  const std::vector<double> wanted(kCellPixels.begin(), kCellPixels.end());
  const bool is_usual = found->second.numel() == std::ssize(wanted) &&
                        found->second.cast(DType::Float64).to_vector<double>() == wanted;
  if (!is_usual)
    fail(file, fmt::format("has a \"{}\" that is not 8, 16 and 32, which is not supported", name));
}

// As Ultralytics has them: {0: "person", …} beside the modules; or a list in the metadata.
std::vector<std::string> names_of_classes(const nn::Facts& facts, std::string_view prefix,
                                          int64_t classes, const fs::path& file) {
  const auto text_of = [&](const std::string& name) {
    const auto found = facts.find(name);
    return found == facts.end() ? nullptr : std::get_if<std::string>(&found->second.value);
  };
  if (const std::string* list = text_of("labels"))
    return labels_of_json(*list, fmt::format("{}: labels", file.string()));
  std::vector<std::string> out;
  for (int64_t i = 0; i < classes; ++i) {
    const std::string* name = text_of(fmt::format("{}names.{}", prefix, i));
    if (name != nullptr) out.push_back(*name);
    if (name == nullptr && !out.empty()) fail(file, fmt::format("has no name for class {}", i));
  }
  return out;
}

// Gives the network the tensors themselves: there are no first weights to compute and throw away.
void take_weights(YoloV8& network, const nn::StateDict& tensors) {
  nn::visit_tensors(network, [&](const std::string& name, Tensor& t) { t = tensors.at(name); });
}

}  // namespace

LoadedDetector load_detector(const fs::path& file, const ObjectDetectorOptions& options) {
  const RandomStateKept kept;
  const auto [tensors, facts, attributes] = read_modules(file, options);
  const std::string prefix = prefix_of(tensors, file);
  const nn::StateDict weights = of_network(tensors, prefix);
  const YoloSizes sizes = sizes_in(weights, file);
  require_usual_grids(attributes, prefix, file);
  std::string architecture = architecture_of(sizes);
  YoloV8 network(sizes, {.norm_eps = norm_eps_of(facts, prefix, file), .device = options.device});
  require_fit(kLoadDetector, nn::state_dict(network), weights, file, architecture);
  take_weights(network, weights);
  network.fold();
  std::vector<Tensor> all;
  nn::visit_tensors(network, [&](const std::string&, Tensor& t) { all.push_back(t); });
  Tensor::realize(all);
  return {.architecture = std::move(architecture),
          .sizes = sizes,
          .network = std::move(network),
          .labels = names_of_classes(facts, prefix, sizes.classes, file)};
}

}  // namespace tg::models
