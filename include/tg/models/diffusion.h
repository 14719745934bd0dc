// Pictures out of noise by diffusion models without texts, from the folders that DDPMPipeline and
// DDIMPipeline of `diffusers` are published as (model_index.json, unet, scheduler). Link
// `tinygrad::models`.
//
//   auto model = tg::models::Diffusion::load("ddpm-cifar10-32");
//   const tg::Tensor pictures = model.generate({.count = 4, .steps = 50, .seed = 1});
//   tg::images::write_png(pictures[0], "first.png");
//
// What of a folder is read, and what is refused: docs/diffusion.md. The network: unet.h. The steps:
// noise_schedule.h.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "tg/export.h"
#include "tg/models/noise_schedule.h"
#include "tg/models/unet.h"
#include "tg/tensor.h"

namespace tg::models {

/// Of Diffusion::load.
struct DiffusionOptions {
  std::string device = {};  ///< where it computes; empty: the default device
  /// Bytes that the weights may take; 0: what the system says is free, where it does.
  uint64_t memory = 0;
  /// How noise is taken away, in place of what the folder says.
  std::optional<Sampler> sampler = {};
  /// Called while weights are read: bytes so far, and of all.
  std::function<void(uint64_t done, uint64_t all)> progress = {};
};

/// What a model is.
struct DiffusionInfo {
  int64_t height = 0, width = 0;  ///< of its pictures
  int64_t channels = 0;           ///< 3, or 1 for grey ones
  int64_t classes = 0;            ///< 0: none
  int64_t parameters = 0;         ///< numbers of the network
  uint64_t weight_bytes = 0;      ///< of its file
};

/// Of Diffusion::generate and Diffusion::sample.
struct ImagineOptions {
  int64_t count = 1;  ///< pictures
  int64_t steps = 50;
  uint64_t seed = 0;                        ///< equal seeds give equal pictures, whatever the count
  std::optional<int64_t> class_label = {};  ///< of all pictures, for models of classes
  double eta = 0;                           ///< of DDIM: the share of new noise, 0 to 1
  /// Standard normal numbers in place of those of the seed, float32 [count, channels, height,
  /// width]: draw 0 is the start, draw i the new noise of step i − 1, if it takes some.
  std::function<Tensor(int64_t draw)> noise = {};
  /// Called behind each step: steps that are done, and of all, and the pictures at this step as
  /// sample() gives them. Pictures are made up to 16 at a time.
  std::function<void(int64_t done, int64_t all, const Tensor& samples)> on_step = {};
};

/// A network with its weights and its steps. Copies are names for one model; only one thread at a
/// time may use it. Equal calls give equal pictures. Functions that compute throw CancelledError
/// between steps if the program's interrupt hook asks for it.
class TG_API Diffusion {
 public:
  /// From a folder of DDPMPipeline or DDIMPipeline. FileError, naming file and key or tensor, for
  /// what is missing, damaged or not supported; ArgumentError if it needs more memory than there
  /// is.
  static Diffusion load(const std::filesystem::path& folder, const DiffusionOptions& options = {});
  /// Of a network of the program's own, such as one that it has trained. ArgumentError for a size
  /// that its levels do not halve evenly, and for a network whose results are no pictures.
  Diffusion(UNet2D network, const NoiseSchedule& schedule, int64_t height, int64_t width);

  const DiffusionInfo& info() const;
  const NoiseSchedule& schedule() const;
  UNet2D& network();

  /// Pictures, uint8 [count, height, width, channels]. ArgumentError for a count or steps that are
  /// out of range, a class that is missing or unknown, or eta without DDIM; ShapeError for noise
  /// of another shape.
  Tensor generate(const ImagineOptions& options = {});
  /// The same as the network's numbers, mostly −1 (black) to 1 (white): float32 [count, channels,
  /// height, width].
  Tensor sample(const ImagineOptions& options = {});

 private:
  struct State;
  explicit Diffusion(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;
};

}  // namespace tg::models
