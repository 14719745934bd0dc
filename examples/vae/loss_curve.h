// The loss of a training as a picture.
#pragma once

#include <filesystem>
#include <vector>

namespace vae {

/// Writes an SVG file with the loss over the steps, and its mean over a fiftieth of them. Throws
/// std::runtime_error if that fails.
void write_loss_curve(const std::vector<double>& losses, const std::filesystem::path& file);

}  // namespace vae
