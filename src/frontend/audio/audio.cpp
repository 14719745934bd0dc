// The functions of tg/models/audio.h that read and resample: tensors to numbers and back, and the
// checks of arguments. Spectrograms: log_mel.cpp.
#include "tg/models/audio.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fstream>
#include <sstream>

#include "frontend/audio/samples.h"
#include "frontend/audio/sound_file.h"
#include "support/check.h"

namespace tg::audio {
namespace {

constexpr uint64_t kMostResult = uint64_t{1} << 30;

void check_rate(std::string_view fn, int64_t rate) {
  if (rate >= kLeastRate && rate <= kMostRate) return;
  user_error<ArgumentError>(
      fn, fmt::format("a rate is {} to {} samples a second, got {}", kLeastRate, kMostRate, rate));
}

Tensor tensor_of(const std::vector<float>& samples, const std::string& device) {
  return Tensor(samples, TensorOptions{.device = device});
}

Sound sound_of(std::string_view fn, std::istream& bytes, const ReadOptions& o,
               const std::string& name) {
  if (o.rate != 0) check_rate(fn, o.rate);
  HostSound host = read_sound(fn, bytes, o.most_samples, name);
  if (o.rate == 0 || o.rate == host.rate) return {tensor_of(host.samples, o.device), host.rate};
  const uint64_t count = resampled_count(host.samples.size(), host.rate, o.rate);
  if (count > o.most_samples) {
    user_error<FileError>(fn, fmt::format("\"{}\" has {} samples at {} a second, of at most {}",
                                          name, count, o.rate, o.most_samples));
  }
  return {tensor_of(resampled(host.samples, host.rate, o.rate), o.device), o.rate};
}

}  // namespace

std::vector<float> samples_of(std::string_view fn, const Tensor& samples) {
  if (samples.dtype() != DType::Float32) {
    user_error<DTypeError>(fn,
                           fmt::format("samples are float32, got {}", dtype_name(samples.dtype())));
  }
  if (samples.shape().size() != 1) {
    user_error<ShapeError>(
        fn, fmt::format("samples have one axis, got [{}]", fmt::join(samples.shape(), ", ")),
        "Hint: mean(0) makes one channel of several.");
  }
  return samples.to_vector<float>();
}

Sound read(const std::filesystem::path& file, const ReadOptions& options) {
  std::ifstream in(file, std::ios::binary);
  if (!in) {
    user_error<FileError>("audio::read", fmt::format("\"{}\" cannot be read", file.string()));
  }
  return sound_of("audio::read", in, options, file.string());
}

Sound decode(std::span<const std::byte> bytes, const ReadOptions& options, std::string_view name) {
  std::istringstream in(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  return sound_of("audio::decode", in, options, std::string(name));
}

Tensor resample(const Tensor& samples, int64_t from, int64_t to) {
  check_rate("resample", from);
  check_rate("resample", to);
  const std::vector<float> host = samples_of("resample", samples);
  const uint64_t count = resampled_count(host.size(), from, to);
  if (count > kMostResult) {
    user_error<ArgumentError>("resample", fmt::format("the result would have {} samples, of at "
                                                      "most {}",
                                                      count, kMostResult));
  }
  return tensor_of(resampled(host, from, to), samples.device());
}

}  // namespace tg::audio
