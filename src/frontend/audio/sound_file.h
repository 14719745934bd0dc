// The reader of sound files, and the change of sampling rate: bytes and numbers on the host.
// Tensors come in audio.cpp.
#pragma once

#include <cstdint>
#include <istream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tg::audio {

/// One channel.
struct HostSound {
  std::vector<float> samples;
  int64_t rate = 0;
};

/// The mean of the channels of a sound file. FileError, in the name of `fn` about `name`.
HostSound read_sound(std::string_view fn, std::istream& bytes, uint64_t most_samples,
                     const std::string& name);

/// Rates between which `resampled` changes.
inline constexpr int64_t kLeastRate = 1000, kMostRate = 768000;

/// How many samples `count` become.
uint64_t resampled_count(uint64_t count, int64_t from, int64_t to);
/// See audio.h; the arguments are in range.
std::vector<float> resampled(std::span<const float> samples, int64_t from, int64_t to);

}  // namespace tg::audio
