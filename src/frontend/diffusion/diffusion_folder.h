// A folder with a diffusion model as `diffusers` writes it: which parts by model_index.json, the
// network's sizes and weights, the schedule of its noise. What is made of them: diffusion.cpp.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

#include "frontend/language/model_folder.h"
#include "tg/models/diffusion.h"
#include "tg/state.h"

namespace tg::models {

inline constexpr std::string_view kLoadDiffusion = "Diffusion::load";

/// Height and width of pictures.
struct PictureSize {
  int64_t height = 0, width = 0;
};

class DiffusionFolder {
 public:
  /// Reads all but the weights. FileError in the name of Diffusion::load. `sampler`: in place of
  /// the one that the folder says.
  DiffusionFolder(const std::filesystem::path& folder, std::optional<Sampler> sampler);

  const UNetOptions& network_options() const { return network_; }
  const PictureSize& size() const { return size_; }
  const NoiseScheduleOptions& schedule() const { return schedule_; }
  uint64_t weight_bytes() const { return file_.bytes; }
  /// Gives the network its weights.
  void load_weights(UNet2D& network, const nn::ReadProgress& progress) const;

 private:
  UNetOptions network_;
  PictureSize size_;
  NoiseScheduleOptions schedule_;
  WeightsFile file_;
};

}  // namespace tg::models
