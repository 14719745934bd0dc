// Random tensors. Element i of a draw is threefry(key, counter + i), elementwise, so numbers fuse
// into their users. Key and counter are data, not constants of the graph: every draw of one
// shape compiles to the same kernel.
#include <array>
#include <cmath>
#include <limits>
#include <mutex>
#include <numbers>

#include "engine/recorder.h"
#include "rules/bounds.h"
#include "runtime/buffer.h"
#include "support/options.h"
#include "tensor/ops.h"
#include "tensor/ordering.h"
#include "tensor/storage.h"
#include "tg/autograd.h"
#include "tg/random.h"

namespace tg {
namespace {

using namespace ops_detail;

struct Source {
  std::mutex mutex;
  RandomState state = {.seed = options().seed};
};
Source& source() {
  static Source s;
  return s;
}

// The counter of the first of `n` numbers. A draw that would carry into the high word starts at the
// next one instead, so that 32-bit arithmetic suffices for all its elements.
RandomState reserve(Dim n) {
  constexpr uint64_t kLow = 0xFFFFFFFFu;
  Source& s = source();
  std::lock_guard lock(s.mutex);
  const auto count = static_cast<uint64_t>(n);
  if (count > 0 && (s.state.drawn & kLow) + count - 1 > kLow)
    s.state.drawn = (s.state.drawn | kLow) + 1;
  RandomState at = s.state;
  s.state.drawn += count;
  return at;
}

/// Words 0 and 1 of each element of a draw, uint32 of `shape`.
struct Bits {
  UOp first, second;
};

Bits draw_bits(std::string_view fn, const Shape& shape, const std::string& device) {
  const Dim n = numel(shape);
  if (n > Dim{1} << 32) {
    user_error<ArgumentError>(fn,
                              fmt::format("draws at most 2^32 numbers at once, asked for {}", n));
  }
  UOp state = empty_buffer({4}, DType::UInt32, device);
  auto* storage = static_cast<Buffer*>(state.node()->resource);
  draw_again(*storage, n);
  if (Recorder* recorder = Recorder::current()) recorder->add_draw(Ref<Buffer>::share(storage), n);
  const auto word = [&](int64_t i) {
    return broadcast_to(reshape(shrink(state, {{i, 1}}), {1}), {n});
  };
  UOp low = word(2) + iota({n}, 0, DType::UInt32);
  const auto draw = [&](int w) {
    return reshape(threefry(word(0), word(1), low, word(3), w), shape);
  };
  return {draw(0), draw(1)};
}

// Bits of the mantissa with the leading one: so many uniform numbers in [0, 1) are exact.
int precision(DType t) {
  switch (t) {
    case DType::Float64:
      return 53;
    case DType::Float32:
      return 24;
    case DType::Float16:
      return 11;
    case DType::BFloat16:
      return 8;
    case DType::Fp8E4M3:
    case DType::Fp8E4M3Fnuz:
      return 4;
    default:
      return 3;
  }
}

UOp right(const UOp& x, int64_t bits) { return shr(x, const_like(x, bits)); }

// [0, 1) with all bits of the mantissa random; computed in float32, or float64 from both words.
UOp unit_interval(const Bits& b, DType t) {
  const int bits = precision(t);
  if (t != DType::Float64) {
    UOp whole = cast(right(b.first, 32 - bits), DType::Float32);
    return whole * const_like(whole, std::ldexp(1.0, -bits));
  }
  UOp high = cast(right(b.first, 5), t), low = cast(right(b.second, 6), t);
  return (high * const_like(high, 0x1p26) + low) * const_like(high, 0x1p-53);
}

DType float_dtype(std::string_view fn, const std::optional<DType>& asked) {
  const DType t = asked.value_or(DType::Float32);
  if (is_float(t)) return t;
  user_error<DTypeError>(fn, fmt::format("needs a float dtype, got {}", dtype_name(t)));
}

// Box and Muller: √(−2 ln(1 − u)) · cos(2πv).
UOp normal_of(const Bits& b, DType t) {
  const DType c = t == DType::Float64 ? t : DType::Float32;
  UOp u = unit_interval({b.first, b.second}, c);
  // In float64 the second number reuses the words with their low bits in front: the pair stays
  // uniform to 53 and 32 bits.
  UOp v = cast(b.second, c) * const_like(u, 0x1p-32);
  UOp radius = sqrt(ops_detail::log(const_like(u, 1.0) - u) * const_like(u, -2.0));
  return radius *
         sin(v * const_like(v, 2 * std::numbers::pi) + const_like(v, std::numbers::pi / 2));
}

// Product of all sizes but the first.
double fan_in(std::string_view fn, const Shape& shape) {
  if (shape.size() < 2) {
    user_error<ShapeError>(fn, fmt::format("needs at least 2 axes, got shape {}", text(shape)));
  }
  return static_cast<double>(numel(std::span(shape).subspan(1)));
}

}  // namespace

void draw_again(Buffer& state, int64_t numbers) {
  const RandomState at = reserve(numbers);
  const std::array<uint32_t, 4> words = {
      static_cast<uint32_t>(at.seed), static_cast<uint32_t>(at.seed >> 32),
      static_cast<uint32_t>(at.drawn), static_cast<uint32_t>(at.drawn >> 32)};
  state.copy_in(words.data(), sizeof words);
}

void manual_seed(uint64_t seed) { set_random_state({.seed = seed}); }

RandomState random_state() {
  std::lock_guard lock(source().mutex);
  return source().state;
}

void set_random_state(const RandomState& state) {
  std::lock_guard lock(source().mutex);
  source().state = state;
}

Tensor Tensor::rand(const Shape& shape, const TensorOptions& o) {
  const DType t = float_dtype("rand", o.dtype);
  return wrap(tg::cast(unit_interval(draw_bits("rand", shape, o.device), t), t));
}

Tensor Tensor::randn(const Shape& shape, const TensorOptions& o) {
  const DType t = float_dtype("randn", o.dtype);
  Bits b = draw_bits("randn", shape, o.device);
  if (t == DType::Float64) b.second = draw_bits("randn", shape, o.device).first;
  return wrap(tg::cast(normal_of(b, t), t));
}

// The high word of bits · (high − low): every value has the same number of bit patterns, but for
// one.
Tensor Tensor::randint(const Shape& shape, const RandintOptions& o) {
  const DType t = o.dtype.value_or(DType::Int32);
  if (!is_int(t) || t == DType::Index) {
    user_error<DTypeError>("randint", fmt::format("needs an integer dtype, got {}", dtype_name(t)));
  }
  const auto span = static_cast<uint64_t>(o.high) - static_cast<uint64_t>(o.low);
  if (o.high <= o.low || span > uint64_t{1} << 32) {
    user_error<ArgumentError>(
        "randint", fmt::format("needs low < high, at most 2^32 apart: [{}, {})", o.low, o.high));
  }
  UOp bits = tg::cast(draw_bits("randint", shape, o.device).first, DType::UInt64);
  UOp wide = right(bits * const_like(bits, Scalar::of_uint(span, DType::UInt64)), 32);
  UOp value = tg::cast(wide, DType::Int64);
  return wrap(tg::cast(value + const_like(value, o.low), t));
}

// Places under random bits, as many as an int64 has room for, in order of the bits. Bits that are
// equal leave two places in order: of a thousand numbers once in 10^10 draws, of a million once in
// about 35.
Tensor Tensor::randperm(int64_t n, const TensorOptions& o) {
  const DType t = o.dtype.value_or(DType::Int32);
  if (!is_int(t) || t == DType::Index) {
    user_error<DTypeError>("randperm",
                           fmt::format("needs an integer dtype, got {}", dtype_name(t)));
  }
  if (n < 0 || n > int64_t{1} << 31) {
    user_error<ArgumentError>("randperm", fmt::format("n must lie between 0 and 2^31, got {}", n));
  }
  if (n - 1 > dtype_interval(t).hi) {
    user_error<DTypeError>(
        "randperm", fmt::format("{} has no room for the numbers below {}", dtype_name(t), n));
  }
  const Bits b = draw_bits("randperm", {1, n}, o.device);
  UOp high = tg::cast(b.first, DType::Int64), low = tg::cast(b.second, DType::Int64);
  UOp bits = tg::shl(high, const_like(high, int64_t{32})) | low;
  const int64_t places = (int64_t{1} << place_bits(n)) - 1;
  UOp row = (bits & const_like(bits, ~places)) | iota({1, n}, 1, DType::Int64);
  UOp order = sorted_rows(row);
  return wrap(tg::cast(tg::reshape(order & const_like(order, places), {n}), t));
}

// With replacement the first place up to which the weights exceed a share that is drawn. Without it
// the places of the largest log(u) / weight, which are such a sample.
Tensor Tensor::multinomial(int64_t num_samples, bool replacement) const {
  const UOp x = node_of(*this, "multinomial");
  if (x.ndim() != 1 && x.ndim() != 2) {
    user_error<ShapeError>(
        "multinomial",
        fmt::format("needs weights [places] or [rows, places], got shape {}", text(x.shape())));
  }
  need_plain_axes("multinomial", x);
  const bool one_row = x.ndim() == 1;
  const Dim places = x.dim(x.ndim() - 1);
  const bool again = replacement || num_samples == 1;
  if (num_samples < 1 || places == 0 || (!again && num_samples > places)) {
    user_error<ArgumentError>("multinomial",
                              fmt::format("cannot draw {} of {} places {} replacement", num_samples,
                                          places, replacement ? "with" : "without"));
  }
  const Tensor weights = one_row ? unsqueeze(0) : *this;
  const TensorOptions here = {.device = device()};
  Tensor picked;
  if (again) {
    const Tensor sums = weights.cast(DType::Float32).cumsum(1);
    const Tensor edges = sums / sums[{Slice(), Slice(-1)}];
    const Tensor drawn = rand({weights.size(0), num_samples}, here);
    picked = (drawn.unsqueeze(2) >= edges.unsqueeze(1)).sum({.axis = 2}).minimum(places - 1);
  } else {
    const Tensor scores = rand(weights.shape(), here).maximum(1e-20).log() / weights;
    picked = scores.topk(num_samples, 1).second;
  }
  return (one_row ? picked.squeeze(0) : picked).cast(DType::Int32);
}

// The key and the counter give the key of the stream, whose numbers from 0 on are encrypted.
Tensor Tensor::random_bits(const Tensor& counter, int64_t num) const {
  const UOp key = node_of(*this, "random_bits"), first = node_of(counter, "random_bits");
  for (const UOp& words : {key, first}) {
    if (words.shape_vec() != Shape{2} || words.dtype() != DType::UInt32) {
      user_error<ArgumentError>("random_bits",
                                fmt::format("key and counter must be uint32[2], got {}{}",
                                            dtype_name(words.dtype()), text(words.shape())));
    }
  }
  if (num < 0 || num > int64_t{1} << 32) {
    user_error<ArgumentError>("random_bits",
                              fmt::format("gives up to 2^32 words, asked for {}", num));
  }
  const auto words_of = [](const Tensor& k, const Tensor& low, const Tensor& high) {
    const Tensor key64 = (k[1].cast(DType::UInt64) << 32) | k[0].cast(DType::UInt64);
    const Tensor block = (high.cast(DType::UInt64) << 32) | low.cast(DType::UInt64);
    const Tensor mixed = block.threefry(key64);
    return cat({mixed & int64_t{0xffffffff}, mixed >> 32}).cast(DType::UInt32);
  };
  const int64_t half = (num + 1) / 2;
  const Tensor numbers = arange(static_cast<double>(half), {.dtype = DType::UInt32});
  const Tensor stream = words_of(*this, counter[Slice(0, 1)], counter[Slice(1, 2)]);
  return words_of(stream, numbers, numbers + half)[Slice(0, num)];
}

Tensor Tensor::uniform(const Shape& shape, const UniformOptions& o) {
  const DType t = float_dtype("uniform", o.dtype);
  const Bits b = draw_bits("uniform", shape, o.device);
  UOp u = unit_interval(b, t);
  return wrap(tg::cast(u * const_like(u, o.high - o.low) + const_like(u, o.low), t));
}

Tensor Tensor::normal(const Shape& shape, const NormalOptions& o) {
  return randn(shape, {.dtype = float_dtype("normal", o.dtype), .device = o.device}) * o.std +
         o.mean;
}

Tensor Tensor::scaled_uniform(const Shape& shape, const TensorOptions& o) {
  const double bound = 1 / std::sqrt(static_cast<double>(std::max<Dim>(1, tg::numel(shape))));
  return uniform(shape, {.low = -bound, .high = bound, .dtype = o.dtype, .device = o.device});
}

Tensor Tensor::glorot_uniform(const Shape& shape, const TensorOptions& o) {
  const double in = fan_in("glorot_uniform", shape);
  const double bound = std::sqrt(6 / std::max(1.0, static_cast<double>(shape[0]) + in));
  return uniform(shape, {.low = -bound, .high = bound, .dtype = o.dtype, .device = o.device});
}

Tensor Tensor::kaiming_uniform(const Shape& shape, const KaimingOptions& o) {
  const double in = std::max(1.0, fan_in("kaiming_uniform", shape));
  const double bound = std::sqrt(6 / ((1 + o.a * o.a) * in));
  return uniform(shape, {.low = -bound, .high = bound, .dtype = o.dtype, .device = o.device});
}

Tensor Tensor::kaiming_normal(const Shape& shape, const KaimingOptions& o) {
  const double in = std::max(1.0, fan_in("kaiming_normal", shape));
  return normal(
      shape, {.std = std::sqrt(2 / ((1 + o.a * o.a) * in)), .dtype = o.dtype, .device = o.device});
}

Tensor Tensor::rand_like() const {
  const Tensor drawn = rand(shape(), {.dtype = dtype(), .device = device()});
  return wrap(lying_like(drawn.state()->node(), state_->node()));
}
Tensor Tensor::randn_like() const {
  const Tensor drawn = randn(shape(), {.dtype = dtype(), .device = device()});
  return wrap(lying_like(drawn.state()->node(), state_->node()));
}

Tensor Tensor::dropout(double p) const {
  if (!(p >= 0 && p <= 1)) {
    user_error<ArgumentError>("dropout",
                              fmt::format("the probability must lie between 0 and 1, got {}", p));
  }
  if (!is_training() || p == 0) return *this;
  if (p == 1) return *this * 0.0;
  const Tensor kept = rand(shape(), {.device = device()}) >= p;
  return kept.where(*this * (1 / (1 - p)), 0.0);
}

}  // namespace tg
