// Rotary positions: pairs of elements of queries and keys are turned by angles that grow with the
// position, so that products depend on distances. Here the frequencies of each published scaling,
// as `transformers` (modeling_rope_utils.py) has them. Turning itself: attention.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "frontend/language/settings.h"
#include "tg/tensor.h"

namespace tg::models {

/// The turned elements of a head are the first 2 · frequencies.size().
struct Rotary {
  std::vector<double> frequencies;  ///< radians a position
  double magnitude = 1;             ///< of cosines and sines
  bool is_interleaved = false;      ///< pairs are neighbours; else element i and i + count
};

/// theta^(−2i / size) for the size/2 pairs.
std::vector<double> plain_frequencies(int64_t size, double theta);

/// How positions are stretched beyond those of the training.
struct RotaryScaling {
  enum class Kind { None, Linear, Llama3, Yarn, LongRope } kind = Kind::None;
  double factor = 1;
  double original_context = 0;
  double low_frequency = 1, high_frequency = 4;  ///< Llama3
  double fast = 32, slow = 1;                    ///< Yarn
  std::optional<double> magnitude = {};          ///< Yarn, LongRope; none: what follows from factor
  std::vector<double> factors = {};              ///< LongRope: divide the frequencies
};

/// Su et al., https://arxiv.org/abs/2402.13753: what a context of `factor` times the original asks
/// for.
double long_rope_magnitude(const RotaryScaling& scaling);

/// Frequencies with a scaling; `size` elements are turned.
Rotary scaled_rotary(int64_t size, double theta, const RotaryScaling& scaling);

/// The "rope_scaling" of a config.json. `context`: the positions that are wanted (LongRope chooses
/// by it), `longest` those of the model.
RotaryScaling read_rotary_scaling(Settings& settings, int64_t context, int64_t longest,
                                  double original_context);

/// Cosines and sines of the angles of the first `context` positions, float32 [context, frequencies]
/// each, with storage.
struct RotaryTable {
  Tensor cosines, sines;
};
RotaryTable rotary_table(const Rotary& rotary, int64_t context, const std::string& device);

}  // namespace tg::models
