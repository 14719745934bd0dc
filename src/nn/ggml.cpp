// The layouts are those of ggml-common.h (https://github.com/ggml-org/ggml). A block has one scale
// d, or two numbers d and m with elements d · q + m, or a scale for each group of elements, itself
// quantised. Elements stand in parts of bytes, low parts first.
#include "nn/ggml.h"

#include <bit>
#include <vector>

#include "nn/format/ggml_grids.h"
#include "support/check.h"
#include "tg/state.h"

namespace tg::nn {
namespace {

// Bytes [begin, end) of each block.
Tensor bytes(const Tensor& b, int64_t begin, int64_t end) {
  return b.shrink({{0, b.size(0)}, {begin, end}});
}
// The float16 at a byte of each block, float32 [blocks, 1].
Tensor half(const Tensor& b, int64_t begin) {
  return bytes(b, begin, begin + 2).bitcast(DType::Float16).cast(DType::Float32);
}

Tensor on_device_of(const Tensor& x, const std::vector<uint8_t>& values) {
  return Tensor(values, TensorOptions{.device = x.device()});
}
// Bytes [..., n] as their parts of some bits [..., 8 / bits, n], low ones first.
Tensor parts(const Tensor& x, int bits) {
  std::vector<uint8_t> shifts;
  for (int s = 0; s < 8; s += bits) shifts.push_back(static_cast<uint8_t>(s));
  const auto count = static_cast<int64_t>(shifts.size());
  const Tensor shift = on_device_of(x, shifts).reshape({count, 1});
  return x.unsqueeze(-2).rshift(shift).bitwise_and((1 << bits) - 1);
}
// Small numbers without a sign as numbers that may be subtracted from.
Tensor whole(const Tensor& x) { return x.cast(DType::Int32); }

Tensor rows(const Tensor& x, int64_t count, int64_t length) {
  return x.reshape({-1, count, length});
}
// The low halves of the bytes, then the high ones, [blocks, 2 · bytes].
Tensor nibbles(const Tensor& b, int64_t begin, int64_t end) {
  return whole(parts(bytes(b, begin, end), 4).flatten(1));
}
// Bits in their order, [blocks, 8 · bytes].
Tensor bits(const Tensor& b, int64_t begin, int64_t end) {
  return whole(parts(bytes(b, begin, end), 1).transpose(1, 2).flatten(1));
}

Tensor q4_0(const Tensor& b) { return (nibbles(b, 2, 18) - 8) * half(b, 0); }
Tensor q4_1(const Tensor& b) { return nibbles(b, 4, 20) * half(b, 0) + half(b, 2); }
Tensor q5_0(const Tensor& b) { return (nibbles(b, 6, 22) + bits(b, 2, 6) * 16 - 16) * half(b, 0); }
Tensor q5_1(const Tensor& b) {
  return (nibbles(b, 8, 24) + bits(b, 4, 8) * 16) * half(b, 0) + half(b, 2);
}
Tensor q8_0(const Tensor& b) { return bytes(b, 2, 34).bitcast(DType::Int8) * half(b, 0); }
Tensor q1_0(const Tensor& b) { return (bits(b, 2, 18) * 2 - 1) * half(b, 0); }

// 64 bytes of 2 bits as 16 groups of 16: halves, places in the bytes, bytes.
Tensor pairs(const Tensor& x) { return rows(whole(parts(rows(x, 2, 32), 2)), 16, 16); }
// One scale a group times the elements of the group.
Tensor scaled(const Tensor& scales, const Tensor& q) {
  return (scales.unsqueeze(-1) * q).flatten(1);
}

Tensor q2_k(const Tensor& b) {
  const Tensor scales = bytes(b, 0, 16), q = pairs(bytes(b, 16, 80));
  const Tensor d = half(b, 80) * scales.bitwise_and(15);
  const Tensor least = half(b, 82) * scales.rshift(4);
  return (d.unsqueeze(-1) * q - least.unsqueeze(-1)).flatten(1);
}
Tensor q3_k(const Tensor& b) {
  const Tensor high = rows(whole(parts(bytes(b, 0, 32), 1)), 16, 16);
  const Tensor q = pairs(bytes(b, 32, 96)) + high * 4 - 4;
  const Tensor scales =
      nibbles(b, 96, 104) + whole(parts(bytes(b, 104, 108), 2).flatten(1)) * 16 - 32;
  return scaled(half(b, 108) * scales, q);
}

// Eight scales and eight minima of 6 bits in twelve bytes from 4 on, and elements, [blocks, 8, 32].
Tensor k_blocks(const Tensor& b, const Tensor& q) {
  const Tensor low = bytes(b, 4, 8), mid = bytes(b, 8, 12), high = bytes(b, 12, 16);
  const auto upper = [](const Tensor& x) { return x.rshift(6).lshift(4); };
  const Tensor scales =
      Tensor::cat({low.bitwise_and(63), high.bitwise_and(15).bitwise_or(upper(low))}, 1);
  const Tensor minima =
      Tensor::cat({mid.bitwise_and(63), high.rshift(4).bitwise_or(upper(mid))}, 1);
  const Tensor d = half(b, 0) * scales, least = half(b, 2) * minima;
  return (d.unsqueeze(-1) * q - least.unsqueeze(-1)).flatten(1);
}
// 128 bytes as eight groups of 32 halves of bytes.
Tensor eight_rows(const Tensor& x) { return rows(whole(parts(rows(x, 4, 32), 4)), 8, 32); }

Tensor q4_k(const Tensor& b) { return k_blocks(b, eight_rows(bytes(b, 16, 144))); }
Tensor q5_k(const Tensor& b) {
  return k_blocks(b, eight_rows(bytes(b, 48, 176)) + whole(parts(bytes(b, 16, 48), 1)) * 16);
}
Tensor q6_k(const Tensor& b) {
  const Tensor low = whole(parts(rows(bytes(b, 0, 128), 2, 64), 4)).reshape({-1, 256});
  const Tensor high = whole(parts(rows(bytes(b, 128, 192), 2, 32), 2)).reshape({-1, 256});
  const Tensor scales = bytes(b, 192, 208).bitcast(DType::Int8);
  return scaled(half(b, 208) * scales, rows(low + high * 16 - 32, 16, 16));
}

// The floats that four bits stand for, in the shape of `q`.
Tensor looked_up(const std::vector<float>& values, const Tensor& q) {
  return Tensor(values, TensorOptions{.device = q.device()})[q];
}
Tensor iq4(const Tensor& q) {
  return looked_up({-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113}, q);
}
// Floats of four bits, times two.
Tensor fp4(const Tensor& q) {
  return looked_up({0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12}, q);
}
Tensor iq4_nl(const Tensor& b) { return iq4(nibbles(b, 2, 18)) * half(b, 0); }
Tensor iq4_xs(const Tensor& b) {
  const Tensor low = whole(parts(bytes(b, 4, 8), 4).transpose(1, 2).flatten(1));
  const Tensor high = whole(parts(bytes(b, 2, 4), 2).transpose(1, 2).flatten(1));
  const Tensor q = whole(parts(rows(bytes(b, 8, 136), 8, 16), 4));
  return scaled(half(b, 0) * (low + high * 16 - 32), rows(iq4(q), 8, 32));
}
// The rows of a type's grid at some places, [blocks, groups, 256 / groups].
Tensor of_grid(GgmlType type, const Tensor& places, int64_t groups) {
  const GgmlGrid grid = ggml_grid(type);
  const Tensor table = on_device_of(places, grid.values).reshape({-1, grid.width});
  return rows(table[places].cast(DType::Float32), groups, 256 / groups);
}
// Set bits as -1, others as 1.
Tensor signs(const Tensor& bits_of_signs) { return 1 - bits_of_signs * 2; }
// Bytes are the low ones of places, and more bits follow in `high`.
Tensor places(const Tensor& low, const Tensor& high) { return whole(low) + high * 256; }
// The halves of bytes, both of a byte and then those of the next.
Tensor scales_of_4_bits(const Tensor& x) {
  return whole(parts(x, 4).transpose(1, 2).flatten(1)).cast(DType::Float32);
}
Tensor iq2_s(const Tensor& b) {
  const Tensor high = whole(parts(bytes(b, 66, 74), 2).transpose(1, 2).flatten(1));
  const Tensor scale = half(b, 0) * ((scales_of_4_bits(bytes(b, 74, 82)) + 0.5F) * 0.25F);
  const Tensor sizes = of_grid(GgmlType::IQ2_S, places(bytes(b, 2, 34), high), 16);
  return scaled(scale, sizes * rows(signs(bits(b, 34, 66)), 16, 16));
}
Tensor iq3_s(const Tensor& b) {
  const Tensor scale = half(b, 0) * (scales_of_4_bits(bytes(b, 106, 110)) * 2 + 1);
  const Tensor sizes = of_grid(GgmlType::IQ3_S, places(bytes(b, 2, 66), bits(b, 66, 74)), 8);
  return scaled(scale, sizes * rows(signs(bits(b, 74, 106)), 8, 32));
}
// Eight words: a scale of four bits, and four sets of signs of seven bits; that of an eighth
// element makes the number of negative ones even.
Tensor iq3_xxs(const Tensor& b) {
  const Tensor words = bytes(b, 66, 98).bitcast(DType::UInt32);
  const Tensor scale = half(b, 0) * ((words.rshift(28).cast(DType::Float32) + 0.5F) * 0.5F);
  const Tensor shift = Tensor(std::vector<uint32_t>{0, 7, 14, 21}, {.device = b.device()});
  const Tensor sets = words.unsqueeze(-1).rshift(shift).bitwise_and(127).flatten(1);
  std::vector<uint8_t> even;
  for (uint32_t i = 0; i < 128; ++i)
    even.push_back(static_cast<uint8_t>(i | (std::popcount(i) % 2 == 1 ? 128U : 0U)));
  const Tensor bytes_of_signs = on_device_of(b, even)[whole(sets)];
  const Tensor sizes = of_grid(GgmlType::IQ3_XXS, whole(bytes(b, 2, 66)), 8);
  return scaled(scale, sizes * rows(signs(bits(bytes_of_signs, 0, 32)), 8, 32));
}
Tensor mxfp4(const Tensor& b) {
  // 2 to the power of (exponent − 128), by its bits; the two least are below the normal floats.
  const Tensor exponent = bytes(b, 0, 1).cast(DType::UInt32);
  const Tensor small = Tensor::full({1}, 0x00200000, {.dtype = DType::UInt32});
  const Tensor bits_of_scale =
      exponent.lt(2).where(small.lshift(exponent.minimum(1)), (exponent.maximum(1) - 1).lshift(23));
  return fp4(nibbles(b, 1, 17)) * bits_of_scale.bitcast(DType::Float32);
}
// Four groups of 16, each with a scale: a float of 4 and 3 bits without a sign, halved.
Tensor nvfp4(const Tensor& b) {
  const Tensor code = bytes(b, 0, 4);
  const Tensor exponent = whole(code.rshift(3).bitwise_and(15));
  const Tensor fraction = whole(code.bitwise_and(7)).cast(DType::Float32);
  const Tensor power = exponent.maximum(1) + (127 - 7 - 1);  // halved, as bits of a float
  const Tensor unit = power.lshift(23).bitcast(DType::Float32);
  const Tensor scale = unit * (fraction / 8 + exponent.gt(0).cast(DType::Float32));
  const Tensor known = code.eq(0x7f).where(Tensor(0.0F), scale);
  const Tensor q = whole(parts(rows(bytes(b, 4, 36), 4, 8), 4));
  return scaled(known, rows(fp4(q), 4, 16));
}

Tensor tq2_0(const Tensor& b) {
  const Tensor q = whole(parts(rows(bytes(b, 0, 64), 2, 32), 2)).flatten(1) - 1;
  return q * half(b, 64);
}
// Digits of base 3: a byte is a fraction of 256, and times 3ⁿ brings digit n to the front.
Tensor digits(const Tensor& x, int64_t count) {
  std::vector<uint8_t> powers;
  for (int64_t i = 0, p = 1; i < count; ++i, p *= 3) powers.push_back(static_cast<uint8_t>(p));
  const Tensor shifted = x.unsqueeze(-2) * on_device_of(x, powers).reshape({count, 1});
  return (whole(shifted) * 3).rshift(8).flatten(1);
}
Tensor tq1_0(const Tensor& b) {
  const Tensor q = Tensor::cat(
      {digits(bytes(b, 0, 32), 5), digits(bytes(b, 32, 48), 5), digits(bytes(b, 48, 52), 4)}, 1);
  return (q - 1) * half(b, 52);
}

}  // namespace

Tensor dequantise(const Tensor& b, GgmlType type) {
  using enum GgmlType;
  switch (type) {
    case Q4_0:
      return q4_0(b);
    case Q4_1:
      return q4_1(b);
    case Q5_0:
      return q5_0(b);
    case Q5_1:
      return q5_1(b);
    case Q8_0:
      return q8_0(b);
    case Q2_K:
      return q2_k(b);
    case Q3_K:
      return q3_k(b);
    case Q4_K:
      return q4_k(b);
    case Q5_K:
      return q5_k(b);
    case Q6_K:
      return q6_k(b);
    case IQ4_NL:
      return iq4_nl(b);
    case IQ4_XS:
      return iq4_xs(b);
    case IQ2_S:
      return iq2_s(b);
    case IQ3_S:
      return iq3_s(b);
    case IQ3_XXS:
      return iq3_xxs(b);
    case TQ1_0:
      return tq1_0(b);
    case TQ2_0:
      return tq2_0(b);
    case MXFP4:
      return mxfp4(b);
    case NVFP4:
      return nvfp4(b);
    case Q1_0:
      return q1_0(b);
    default:
      break;
  }
  TG_CHECK(false, "type {} is not quantised", static_cast<uint32_t>(type));
  return b;
}

Tensor ggml_tensor(const Tensor& given, int64_t count, int64_t type) {
  constexpr std::string_view kName = "ggml_tensor";
  const auto layout =
      type < 0 || type > UINT32_MAX ? std::nullopt : ggml_layout(static_cast<uint32_t>(type));
  if (!layout)
    user_error<ArgumentError>(kName, fmt::format("GGML type '{}' is not supported!", type));
  if (given.dtype() != DType::UInt8 || given.ndim() != 1)
    user_error<ArgumentError>(
        kName, fmt::format("the bytes must be uint8 of shape [n], not {} [{}]",
                           dtype_name(given.dtype()), fmt::join(given.shape(), ", ")));
  if (count < 0 || count % layout->elements != 0)
    user_error<ArgumentError>(
        kName, fmt::format("{} elements of {} are no whole number of blocks of {}", count,
                           layout->name, layout->elements));
  const int64_t blocks = count / layout->elements;
  if (blocks > given.numel() / layout->bytes)
    user_error<ArgumentError>(
        kName, fmt::format("{} elements of {} take {} bytes each {}, there "
                           "are {} bytes",
                           count, layout->name, layout->bytes, layout->elements, given.numel()));
  const Tensor used = given.shrink({{0, blocks * layout->bytes}});
  if (layout->plain != DType::Void) return used.contiguous().bitcast(layout->plain);
  if (blocks == 0) return Tensor::zeros({0}, {.device = given.device()});
  return dequantise(used.reshape({blocks, layout->bytes}), layout->type).flatten();
}

}  // namespace tg::nn
