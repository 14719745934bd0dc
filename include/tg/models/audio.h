// Sound as tensors: files read (WAV, FLAC, Ogg, MP3 and others), another sampling rate, and the
// spectrogram that speech models read. Sound is one channel, float32 [samples], from −1 to 1.
// Link `tinygrad::models`.
//
//   tg::Tensor speech = tg::audio::read("talk.flac").samples;  // one channel at 16 kHz
//   tg::Tensor picture = tg::audio::log_mel(speech);           // [80, samples / 160]
//
// Speech to text: whisper.h. Details: docs/audio.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "tg/export.h"
#include "tg/tensor.h"

namespace tg::audio {

/// What speech models hear: samples a second.
inline constexpr int64_t kSpeechRate = 16000;

/// Of `read` and `decode`.
struct ReadOptions {
  int64_t rate = kSpeechRate;  ///< samples a second of the result; 0: as the file has them
  /// A file of more samples (of one channel, as stored or as wanted) is a FileError.
  uint64_t most_samples = uint64_t{1} << 29;
  std::string device = {};  ///< of the result; empty: the default device
};

struct Sound {
  Tensor samples;  ///< float32 [samples], the mean of the channels
  int64_t rate = 0;
};

/// The sound in a file that libsndfile reads, told apart by content. FileError for one that is
/// missing, damaged, of another kind, without samples, or too long; what a file that is cut off
/// still has is read. ArgumentError for a rate out of range (see `resample`).
TG_API Sound read(const std::filesystem::path& file, const ReadOptions& options = {});
/// The same of bytes in memory; `name` stands for them in messages.
TG_API Sound decode(std::span<const std::byte> bytes, const ReadOptions& options = {},
                    std::string_view name = "sound");

/// Another sampling rate: float32 [n] at `from` samples a second to [⌈n · to / from⌉] at `to`, on
/// the host. Tones up to 90 % of half the lower rate stay as they are, those from half of it on are
/// removed, each to 1e-4 of their height: a sinc of 64 zero crossings on each side under a Kaiser
/// window (J. O. Smith, "Digital Audio Resampling Home Page"). O(n · max(to, from) / from) products
/// of 128 numbers or, to a lower rate, from / to times as many. ShapeError and DTypeError unless
/// `samples` is float32 [n]; ArgumentError for rates outside 1000 to 768000, or a result of more
/// than 2^30 samples.
TG_API Tensor resample(const Tensor& samples, int64_t from, int64_t to);

/// Of `log_mel`.
struct LogMelOptions {
  int64_t bins = 80;  ///< bands: 80, or 128 for the newest models
};

/// The spectrogram of Whisper (Radford et al., 2022) for sound at 16 kHz: float32 [n] to float32
/// [bins, n / 160], with storage. Every 10 ms the power of 25 ms under a Hann window, in `bins`
/// bands of Slaney's mel scale up to 8 kHz; its decimal logarithm, but not less than 8 below the
/// largest, plus 4, through 4. The ends are continued by reflection. ShapeError and DTypeError
/// unless `samples` is float32 [n] with n > 200; ArgumentError for bins outside 1 to 512.
TG_API Tensor log_mel(const Tensor& samples, const LogMelOptions& options = {});

}  // namespace tg::audio
