// Losses of a training as a picture: one SVG file with a line for each, which any browser shows.
// Progress while it trains: progress.h.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace examples {

/// Losses that were measured after every `interval` steps.
struct LossCurve {
  std::string name;  ///< in the legend; nothing that XML would have to escape
  std::vector<double> losses;
  int64_t interval = 1;
};

/// Writes an SVG file with the losses over the steps; of one with many values also the mean over a
/// fiftieth of them. `unit` stands at the axis of losses. Curves without a value are left out.
/// Throws std::runtime_error if the file cannot be written.
void write_loss_curves(const std::vector<LossCurve>& curves, const std::string& unit,
                       const std::filesystem::path& file);

}  // namespace examples
