// Sound files by libsndfile, through a stream: it never sees a file's name, by whose ending it
// would take any bytes for some format without a header. What a header says of lengths is not
// trusted: blocks are read until there are no more.
#include "frontend/audio/sound_file.h"

#include <fmt/format.h>
#include <sndfile.h>

#include <memory>

#include "support/check.h"

namespace tg::audio {
namespace {

constexpr sf_count_t kBlockSamples = 1 << 16;  // of all channels together
constexpr int kMostChannels = 1024;

std::istream& stream_of(void* data) { return *static_cast<std::istream*>(data); }

sf_count_t position_in(void* data) {
  std::istream& in = stream_of(data);
  in.clear();
  return static_cast<sf_count_t>(in.tellg());
}

sf_count_t seek_in(sf_count_t offset, int whence, void* data) {
  std::istream& in = stream_of(data);
  in.clear();
  in.seekg(offset, whence == SEEK_SET   ? std::ios::beg
                   : whence == SEEK_CUR ? std::ios::cur
                                        : std::ios::end);
  return in.fail() ? -1 : position_in(data);
}

sf_count_t length_of(void* data) {
  const sf_count_t at = position_in(data), end = seek_in(0, SEEK_END, data);
  seek_in(at, SEEK_SET, data);
  return end;
}

sf_count_t read_from(void* out, sf_count_t count, void* data) {
  std::istream& in = stream_of(data);
  in.read(static_cast<char*>(out), static_cast<std::streamsize>(count));
  return static_cast<sf_count_t>(in.gcount());
}

sf_count_t write_nothing(const void*, sf_count_t, void*) { return 0; }

struct ClosesSound {
  void operator()(SNDFILE* file) const { sf_close(file); }
};

}  // namespace

HostSound read_sound(std::string_view fn, std::istream& bytes, uint64_t most_samples,
                     const std::string& name) {
  const auto fail = [&](const std::string& problem) {
    user_error<FileError>(fn, fmt::format("\"{}\" {}", name, problem));
  };
  SF_VIRTUAL_IO io{length_of, seek_in, read_from, write_nothing, position_in};
  SF_INFO info{};
  const std::unique_ptr<SNDFILE, ClosesSound> file(sf_open_virtual(&io, SFM_READ, &info, &bytes));
  if (!file) fail(fmt::format("is no sound file: {}", sf_strerror(nullptr)));
  if (info.channels < 1 || info.channels > kMostChannels)
    fail(fmt::format("has {} channels, of at most {}", info.channels, kMostChannels));
  if (info.samplerate < kLeastRate || info.samplerate > kMostRate) {
    fail(fmt::format("has {} samples a second, and there may be {} to {}", info.samplerate,
                     kLeastRate, kMostRate));
  }
  HostSound out{.samples = {}, .rate = info.samplerate};
  const auto channels = static_cast<size_t>(info.channels);
  const sf_count_t frames = kBlockSamples / info.channels;
  std::vector<float> block(static_cast<size_t>(frames) * channels);
  while (true) {
    const sf_count_t got = sf_readf_float(file.get(), block.data(), frames);
    if (got <= 0) break;
    if (out.samples.size() + static_cast<uint64_t>(got) > most_samples)
      fail(fmt::format("has more than {} samples", most_samples));
    for (size_t i = 0; i < static_cast<size_t>(got); ++i) {
      float sum = 0;
      for (size_t c = 0; c < channels; ++c) sum += block[i * channels + c];
      out.samples.push_back(sum / static_cast<float>(channels));
    }
  }
  if (out.samples.empty()) {
    const std::string why = sf_error(file.get()) == SF_ERR_NO_ERROR ? "" : sf_strerror(file.get());
    fail(why.empty() ? "has no samples" : fmt::format("is damaged: {}", why));
  }
  return out;
}

}  // namespace tg::audio
