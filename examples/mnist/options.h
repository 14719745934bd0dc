// The command line of the MNIST example.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace mnist {

struct Options {
  int64_t steps = 250;
  int64_t batch = 512;
  uint64_t seed = 1;
  double lr = 0.001;  ///< at the start; falls to 0 along a half cosine
  int64_t shift = 2;  ///< each image is moved by up to so many pixels
  std::string out = "mnist.safetensors";
  std::string eval;         ///< evaluate this file instead of training
  bool drawn = false;       ///< train on drawn digits whatever there is
  bool uncaptured = false;  ///< rebuild every step
  bool help = false;
};

/// The text of --help.
std::string help_text();

/// Reads the arguments. On a mistake: empty, and `error` says what is wrong.
std::optional<Options> parse_options(int argc, char** argv, std::string& error);

}  // namespace mnist
