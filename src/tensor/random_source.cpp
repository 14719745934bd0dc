// The sequences of all devices: who drew how much, and the keys that follow from it.
#include "tensor/random_source.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <string>

#include "runtime/buffer.h"
#include "support/options.h"
#include "support/sha256.h"
#include "tg/random.h"
#include "uop/ops/eval.h"

namespace tg {
namespace {

using Words2 = std::array<uint32_t, 2>;

struct Source {
  std::mutex mutex;
  RandomState state = {.seed = options().seed, .streams = {}};
};
Source& source() {
  static Source s;
  return s;
}

Words2 halves(uint64_t x) { return {static_cast<uint32_t>(x), static_cast<uint32_t>(x >> 32)}; }

// The last 32 bits of the SHA-256 of the stream's number, written as four bytes.
uint32_t hash_of(size_t stream) {
  std::string bytes;
  for (const int shift : {24, 16, 8, 0}) bytes.push_back(static_cast<char>(stream >> shift));
  return static_cast<uint32_t>(std::stoul(sha256_hex(bytes).substr(56), nullptr, 16));
}

Words2 next_key(const std::string& device, uint64_t words) {
  Source& s = source();
  std::lock_guard lock(s.mutex);
  auto& streams = s.state.streams;
  auto stream = std::ranges::find(streams, device, &RandomStream::device);
  if (stream == streams.end()) stream = streams.insert(stream, {.device = device, .drawn = 0});
  const auto [seed, seed_above] = halves(s.state.seed);
  const Words2 key = {hash_of(static_cast<size_t>(stream - streams.begin())) ^ seed_above, seed};
  const Words2 counter = halves(stream->drawn);
  stream->drawn += words;
  return ops::threefry2x32(key, counter);
}

}  // namespace

void draw_again(Buffer& key, int64_t words) {
  const Words2 next = next_key(key.device().name(), static_cast<uint64_t>(words));
  key.copy_in(next.data(), sizeof next);
}

void manual_seed(uint64_t seed) { set_random_state({.seed = seed, .streams = {}}); }

RandomState random_state() {
  std::lock_guard lock(source().mutex);
  return source().state;
}

void set_random_state(const RandomState& state) {
  std::lock_guard lock(source().mutex);
  source().state = state;
}

}  // namespace tg
