// The command line of the VAE example.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace vae {

struct Options {
  int64_t steps = 2000;
  int64_t batch = 128;
  int64_t codes = 20;  ///< numbers that a digit is squeezed into
  uint64_t seed = 1;
  double lr = 0.001;
  std::string out = "vae";  ///< a folder
  bool drawn = false;       ///< train on drawn digits whatever there is
  bool help = false;
};

/// The text of --help.
std::string help_text();

/// Reads the arguments. On a mistake: empty, and `mistake` says what is wrong.
std::optional<Options> parse_options(int argc, char** argv, std::string& mistake);

}  // namespace vae
