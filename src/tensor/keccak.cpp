// SHA-3 (FIPS 202) on tensors: the sponge over the bytes of the last axis, all rows at once; and
// the hash of a whole tensor, a tree of these. A state is [rows, 25] lanes of 64 bits, lane x + 5y.
#include <array>

#include "tensor/ops.h"
#include "tensor/symbolic.h"
#include "uop/limits.h"

namespace tg {
namespace {

using namespace ops_detail;

constexpr int64_t kLanes = 25, kRounds = 24;
constexpr int64_t kChunk = 1 << 12;  // bytes that one hash of the tree reads

struct Variant {
  int64_t capacity, size;  // bits, bytes
  uint8_t suffix;          // what ends the message
};
constexpr std::array<Variant, 6> kVariants = {{{448, 28, 0x06},
                                               {512, 32, 0x06},
                                               {768, 48, 0x06},
                                               {1024, 64, 0x06},
                                               {256, 16, 0x1f},
                                               {512, 32, 0x1f}}};

// Bit t of the shift register of the round constants: x⁸ + x⁶ + x⁵ + x⁴ + 1.
bool register_bit(int64_t t) {
  unsigned r = 1;
  for (int64_t i = 0; i < t % 255; ++i) {
    r <<= 1;
    if ((r & 0x100) != 0) r ^= 0x171;
  }
  return (r & 1) != 0;
}

uint64_t round_constant(int64_t round) {
  uint64_t out = 0;
  for (int64_t j = 0; j < 7; ++j) {
    if (register_bit(j + 7 * round)) out |= uint64_t{1} << ((1 << j) - 1);
  }
  return out;
}

// Of each lane of the next state, which it comes from and how far it was turned (π and ρ).
struct Moves {
  std::vector<int64_t> source = std::vector<int64_t>(kLanes);
  std::vector<uint64_t> turned = std::vector<uint64_t>(kLanes);
};
Moves moves() {
  std::array<uint64_t, kLanes> rotation = {};
  for (size_t t = 0, x = 1, y = 0; t < 24; ++t) {
    rotation[x + 5 * y] = (t + 1) * (t + 2) / 2 % 64;
    const size_t next = (2 * x + 3 * y) % 5;
    x = y, y = next;
  }
  Moves m;
  for (size_t x = 0; x < 5; ++x) {
    for (size_t y = 0; y < 5; ++y) {
      const size_t to = y + 5 * ((2 * x + 3 * y) % 5);
      m.source[to] = static_cast<int64_t>(x + 5 * y);
      m.turned[to] = rotation[x + 5 * y];
    }
  }
  return m;
}

Tensor words(const std::vector<uint64_t>& list, const std::string& device) {
  return Tensor(list, {.device = device});
}

// Each lane rotated left.
Tensor turned(const Tensor& lanes, const std::vector<uint64_t>& by) {
  std::vector<uint64_t> back;
  for (uint64_t b : by) back.push_back((64 - b) % 64);
  const std::string device = lanes.device();
  return lanes.lshift(words(by, device)) | lanes.rshift(words(back, device));
}

// The rounds of the permutation.
Tensor permuted(Tensor state) {
  const Moves m = moves();
  const std::string device = state.device();
  const Tensor source(m.source, {.dtype = DType::Int32, .device = device});
  const std::vector<uint64_t> ones(5, 1);
  for (int64_t round = 0; round < kRounds; ++round) {
    const Tensor grid = state.contiguous().reshape({-1, 5, 5});
    Tensor parity = grid[{Slice(), 0}];
    for (int64_t y = 1; y < 5; ++y) parity = parity ^ grid[{Slice(), y}];
    const Tensor mixed = parity.roll(1, 1) ^ turned(parity.roll(-1, 1), ones);
    const Tensor flat = (grid ^ mixed.unsqueeze(1)).reshape({-1, kLanes});
    const Tensor moved = turned(flat[{Slice(), source}], m.turned);
    const Tensor lanes = moved.reshape({-1, 5, 5}).contiguous();
    const Tensor chi = lanes ^ (~lanes.roll(-1, 2) & lanes.roll(-2, 2));
    std::vector<uint64_t> constant(kLanes, 0);
    constant[0] = round_constant(round);
    state = chi.reshape({-1, kLanes}) ^ words(constant, device);
  }
  return state;
}

// The hash of each row of bytes, [rows, size].
Tensor hashed(const Tensor& rows, const Variant& v) {
  const int64_t rate = (1600 - v.capacity) / 8, n = rows.size(0);
  const int64_t missing = rate - rows.size(1) % rate;
  std::vector<uint8_t> ending(static_cast<size_t>(missing), 0);
  ending.front() = v.suffix;
  ending.back() |= 0x80;
  const Tensor tail = Tensor(ending, {1, missing}, {.device = rows.device()}).expand({n, missing});
  const Tensor whole = Tensor::cat({rows, tail}, 1).contiguous().bitcast(DType::UInt64);
  const int64_t lanes = rate / 8, blocks = whole.size(1) / lanes;
  const Tensor input = whole.reshape({n, blocks, lanes});
  Tensor state = Tensor::zeros({n, kLanes}, {.dtype = DType::UInt64, .device = rows.device()});
  for (int64_t i = 0; i < blocks; ++i)
    state = permuted(state ^ input[{Slice(), i}].pad({{0, 0}, {0, kLanes - lanes}}));
  Tensor out = state.contiguous().bitcast(DType::UInt8);
  while (out.size(1) < v.size) {
    state = permuted(state);
    out = Tensor::cat({out, state.contiguous().bitcast(DType::UInt8)}, 1);
  }
  return out.shrink({{0, n}, {0, v.size}});
}

Variant variant_of(const KeccakOptions& o) {
  Variant v = kVariants[static_cast<size_t>(o.variant)];
  v.capacity = o.capacity.value_or(v.capacity);
  v.size = o.size.value_or(v.size);
  if (v.capacity <= 0 || v.capacity >= 1600 || v.capacity % 64 != 0) {
    user_error<ArgumentError>(
        "keccak",
        fmt::format("the capacity must be a multiple of 64 bits below 1600, got {}", v.capacity));
  }
  if (v.size < 0 || v.size > kChunk) {
    user_error<ArgumentError>("keccak",
                              fmt::format("gives 0 to {} bytes, asked for {}", kChunk, v.size));
  }
  return v;
}

}  // namespace

Tensor Tensor::keccak(const KeccakOptions& o) const {
  const UOp x = node_of(*this, "keccak");
  const Variant v = variant_of(o);
  if (x.ndim() == 0) user_error<ShapeError>("keccak", "needs an axis of bytes, got a scalar");
  need_plain_axis("keccak", x, x.ndim() - 1);
  if (!has_plain_sizes(x)) {  // rows that do not exist have hashes that do not exist
    UOp hashes = node_of(wrap(whole_extents(x)).keccak(o), "keccak");
    for (int axis = 0; axis + 1 < x.ndim(); ++axis)
      hashes = limited(hashes, axis, size_of(x, axis));
    return wrap(hashes);
  }
  Shape shape = x.shape_vec();
  const Shape rows = {tg::numel(std::span(shape).first(shape.size() - 1)),
                      shape.back() * dtype_size(dtype())};
  shape.back() = v.size;
  return hashed(bitcast(DType::UInt8).reshape(rows), v).reshape(shape);
}

// Chunks, then their hashes, until one is left. The number of bytes goes in first, so that what
// fills the last chunk does not make different tensors alike.
Tensor Tensor::hash() const {
  need_plain_axes("hash", node_of(*this, "hash"));
  const Variant& v = kVariants[static_cast<size_t>(KeccakVariant::Shake128)];
  const Tensor bytes = contiguous().flatten().bitcast(DType::UInt8);
  std::vector<uint8_t> size;
  for (int i = 0; i < 8; ++i)
    size.push_back(static_cast<uint8_t>(static_cast<uint64_t>(bytes.numel()) >> (8 * i)));
  Tensor data = cat({Tensor(size, {.device = device()}), bytes});
  while (data.numel() > kChunk) {
    const int64_t over = data.numel() % kChunk;
    const Tensor rows = data.pad({{0, over == 0 ? 0 : kChunk - over}}).reshape({-1, kChunk});
    data = hashed(rows, v).realize().flatten();
  }
  return hashed(data.unsqueeze(0), v).squeeze(0);
}

}  // namespace tg
