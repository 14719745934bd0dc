// Random tensors. The numbers of a draw are computed elementwise from the draw's key, so that they
// fuse into their users. The key is data, not a constant of the graph: every draw of one shape
// compiles to the same kernel. The numbers are tinygrad's (tinygrad/mixin/rand.py), bit for bit
// where no rounding comes in between. Keys: random_source.h.
#include <cmath>
#include <limits>
#include <numbers>

#include "engine/recorder.h"
#include "rules/bounds.h"
#include "runtime/buffer.h"
#include "tensor/ops.h"
#include "tensor/ordering.h"
#include "tensor/random_source.h"
#include "tensor/storage.h"
#include "tg/autograd.h"
#include "tg/ir/interval.h"

namespace tg {
namespace {

using namespace ops_detail;

// A key has so many words; longer draws take the next key for what is left.
constexpr Dim kWordsOfKey = 0xFFFFFFFF;

// 4 TiB: each key's words are a part of the graph.
void check_words(std::string_view fn, Dim count) {
  constexpr Dim kMost = Dim{1} << 40;
  if (count <= kMost) return;
  user_error<ArgumentError>(
      fn, fmt::format("draws at most {} words of 32 bits at once, not {}", kMost, count));
}

// The words under one key: as many as asked for, of 32 bits. Word i of the first half and word i of
// the second are what Threefry makes of the two places.
class Words {
 public:
  Words(Dim count, const std::string& device) : half_((count + 1) / 2) {
    key_ = empty_buffer({2}, DType::UInt32, device);
    auto* storage = static_cast<Buffer*>(key_.node()->resource);
    draw_again(*storage, count);
    if (Recorder* recorder = Recorder::current())
      recorder->add_draw(Ref<Buffer>::share(storage), count);
  }

  struct Pair {
    UOp first, second;
  };
  /// Words i and half + i, for `at` = i [n], uint32.
  Pair halves(const UOp& at) const {
    const UOp later = at + const_like(at, half_);
    const auto word = [&](int w) {
      return threefry(broadcast_to(key_word(0), at.shape_vec()),
                      broadcast_to(key_word(1), at.shape_vec()), at, later, w);
    };
    return {word(0), word(1)};
  }
  /// Word i, for `at` = i [n], and the one of the other half that the same step makes.
  Pair at(const UOp& at) const {
    const UOp early = lt(at, const_like(at, half_));
    const Pair both = halves(tg::where(early, at, at - const_like(at, half_)));
    return {tg::where(early, both.first, both.second), tg::where(early, both.second, both.first)};
  }

 private:
  UOp key_word(int64_t i) const { return reshape(shrink(key_, {{i, 1}}), {1}); }

  Dim half_;
  UOp key_;
};

UOp places(Dim n) { return iota({n}, 0, DType::UInt32); }
UOp right(const UOp& x, int64_t bits) { return shr(x, const_like(x, bits)); }
UOp scaled(const UOp& x, double by) { return x * const_like(x, by); }

// Bits of the mantissa without the leading one: so many uniform numbers in [0, 1) are drawn.
int mantissa_bits(DType t) {
  switch (t) {
    case DType::Float64:
      return 52;
    case DType::Float32:
      return 23;
    case DType::Float16:
      return 10;
    case DType::BFloat16:
      return 7;
    case DType::Fp8E4M3:
    case DType::Fp8E4M3Fnuz:
      return 3;
    default:
      return 2;
  }
}

// n numbers, of which a key gives `most`: what `drawn(count)` [count] gives for each key, one after
// the other.
template <typename F>
UOp over_keys(Dim n, Dim most, F drawn) {
  if (n <= most) return drawn(n);
  std::vector<Tensor> parts;
  for (Dim begin = 0; begin < n; begin += most)
    parts.push_back(wrap(drawn(std::min(most, n - begin))));
  return node_of(Tensor::cat(parts, 0), "rand");
}

// Of one key.
UOp unit_interval_of_key(Dim n, DType t, const std::string& device) {
  const int64_t size = dtype_size(t);
  const Words words((n * size + 3) / 4, device);
  UOp at = places(n);
  if (t == DType::Float64) {
    const UOp twice = at + at;
    const UOp low = words.at(twice).first,
              high = words.at(twice + const_like(at, int64_t{1})).first;
    return scaled(cast(high, t), 0x1p-32) + scaled(cast(right(low, 12), t), 0x1p-52);
  }
  UOp bits;
  if (size == 4) {
    bits = words.at(at).first;
  } else {
    const int64_t parts = 4 / size;
    const UOp part = at & const_like(at, parts - 1);
    const UOp word = words.at(right(at, parts == 2 ? 1 : 2)).first;
    // To the upper end of the word: the parts before it lie below, those behind it are shifted out.
    bits = shl(word, (const_like(part, parts - 1) - part) * const_like(part, 8 * size));
  }
  const int mantissa = mantissa_bits(t);
  return scaled(cast(right(bits, 32 - mantissa), DType::Float32), std::ldexp(1.0, -mantissa));
}

// [0, 1), n numbers: the uppermost bits of an element's bytes among the words. Computed in float32,
// or float64.
UOp unit_interval(std::string_view fn, Dim n, DType t, const std::string& device) {
  const int64_t size = dtype_size(t);
  const Dim bytes = saturating_mul(n, size);
  check_words(fn, bytes / 4 + (bytes % 4 == 0 ? 0 : 1));
  return over_keys(n, size == 8 ? kWordsOfKey / 2 : kWordsOfKey * (4 / size),
                   [&](Dim count) { return unit_interval_of_key(count, t, device); });
}

// n words.
UOp random_words(std::string_view fn, Dim n, const std::string& device) {
  check_words(fn, n);
  return over_keys(n, kWordsOfKey,
                   [&](Dim count) { return Words(count, device).at(places(count)).first; });
}

DType float_dtype(std::string_view fn, const std::optional<DType>& asked) {
  const DType t = asked.value_or(default_float());
  if (is_float(t)) return t;
  user_error<DTypeError>(fn, fmt::format("needs a float dtype, got {}", dtype_name(t)));
}

// Box and Muller: √(−2 ln(1 − u)) · cos(2πv), v and u of one draw, the one behind the other.
UOp normal(std::string_view fn, Dim n, DType t, const std::string& device) {
  UOp v, u;
  const Dim twice = saturating_mul(n, 2);
  if (t == DType::Float64 || twice > kWordsOfKey) {
    const UOp both = unit_interval(fn, twice, t == DType::Float64 ? t : DType::Float32, device);
    v = shrink(both, {{0, n}});
    u = shrink(both, {{n, n}});
  } else {
    const Words::Pair both = Words(twice, device).halves(places(n));
    const auto unit = [](const UOp& bits) {
      return scaled(cast(right(bits, 9), DType::Float32), 0x1p-23);
    };
    v = unit(both.first);
    u = unit(both.second);
  }
  const UOp radius = sqrt(scaled(ops_detail::log(const_like(u, 1.0) - u), -2.0));
  return radius * sin(const_like(v, std::numbers::pi / 2) - scaled(v, 2 * std::numbers::pi));
}

// Product of all sizes but the first.
double fan_in(std::string_view fn, const Shape& shape) {
  if (shape.size() < 2) {
    user_error<ShapeError>(fn, fmt::format("needs at least 2 axes, got shape {}", text(shape)));
  }
  return static_cast<double>(numel(std::span(shape).subspan(1)));
}

}  // namespace

Tensor Tensor::rand(const Shape& shape, const TensorOptions& o) {
  const DType t = float_dtype("rand", o.dtype);
  const UOp u = unit_interval("rand", tg::numel(shape), t, o.device);
  return wrap(tg::cast(tg::reshape(u, shape), t));
}

Tensor Tensor::randn(const Shape& shape, const TensorOptions& o) {
  const DType t = float_dtype("randn", o.dtype);
  const UOp x = tg::normal("randn", tg::numel(shape), t, o.device);
  return wrap(tg::cast(tg::reshape(x, shape), t));
}

// A number in [0, 1) times the width of the range, as tinygrad has it; ranges that are wider than
// the number is fine take the high word of bits · width, where every value has the same number of
// bit patterns, but for one.
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
  constexpr uint64_t kFine = uint64_t{1} << 23;
  const Dim n = tg::numel(shape);
  UOp value;
  if (span <= kFine) {
    const UOp u = unit_interval("randint", n, DType::Float32, o.device);
    value = tg::cast(scaled(u, static_cast<double>(span)), DType::Int64);
  } else {
    const UOp bits = tg::cast(random_words("randint", n, o.device), DType::UInt64);
    const UOp wide = right(bits * const_like(bits, Scalar::of_uint(span, DType::UInt64)), 32);
    value = tg::cast(wide, DType::Int64);
  }
  return wrap(tg::cast(tg::reshape(value + const_like(value, o.low), shape), t));
}

// Places under random bits, in order of the bits: the words of a draw, and, where those are equal,
// as many more as an int64 has room for. Bits that are equal leave two places in order: of a
// thousand numbers once in 10^10 draws, of a million once in about 35.
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
  const Words::Pair b = Words(n, o.device).at(places(n));
  // The order of unsigned words among signed numbers.
  const UOp signed_order = b.first ^ const_like(b.first, int64_t{1} << 31);
  const UOp high = tg::cast(signed_order, DType::Int64), low = tg::cast(b.second, DType::Int64);
  const UOp bits = tg::reshape(tg::shl(high, const_like(high, int64_t{32})) | low, {1, n});
  const int64_t numbers = (int64_t{1} << place_bits(n)) - 1;
  const UOp row = (bits & const_like(bits, ~numbers)) | iota({1, n}, 1, DType::Int64);
  const UOp order = sorted_rows(row);
  return wrap(tg::cast(tg::reshape(order & const_like(order, numbers), {n}), t));
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
    const Tensor drawn = rand({num_samples, weights.size(0)}, here).transpose();
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
  const DType t = o.dtype.value_or(default_float());
  const bool whole = is_int(t) && t != DType::Index;
  if (!whole) float_dtype("uniform", t);
  if (!(o.low < o.high)) {
    user_error<ArgumentError>("uniform",
                              fmt::format("needs low < high, got {} and {}", o.low, o.high));
  }
  const DType drawn = t == DType::Float64 ? t : DType::Float32;
  UOp x = scaled(unit_interval("uniform", tg::numel(shape), drawn, o.device), o.high - o.low);
  if (whole) x = tg::cast(x, t);
  return wrap(tg::cast(tg::reshape(x + const_like(x, o.low), shape), t));
}

Tensor Tensor::normal(const Shape& shape, const NormalOptions& o) {
  if (!(o.std >= 0)) {
    user_error<ArgumentError>("normal",
                              fmt::format("needs a deviation of 0 or more, got {}", o.std));
  }
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
