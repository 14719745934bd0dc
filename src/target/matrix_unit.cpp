// See matrix_unit.h. Where an instruction's elements lie is written bit by bit, lowest first:
// "k1 m0" says that bit 0 of the number chooses bit 1 of the index along K, and bit 1 of the number
// bit 0 of the index along M.
#include "target/matrix_unit.h"

#include <fmt/format.h>

#include "support/check.h"
#include "support/text.h"

namespace tg {
namespace {

std::vector<FragmentBit> bits_of(std::string_view text) {
  std::vector<FragmentBit> out;
  if (text.empty()) return out;
  for (std::string_view word : split(text, ' ')) {
    const size_t axis = std::string_view("mnk").find(word[0]);
    TG_CHECK(word.size() == 2 && axis != std::string_view::npos, "no index bit: {}", word);
    out.push_back({static_cast<MatrixAxis>(axis), word[1] - '0'});
  }
  return out;
}

FragmentMap map_of(std::string_view lane, std::string_view reg) {
  return {bits_of(lane), bits_of(reg)};
}

// The PTX manual's "warp-level matrix instructions": mma.sync with A by rows and B by columns. A
// register there holds as many elements as fit in 32 bits; here each element counts.
MatrixUnit mma_sync(std::string name, DType input, bool rounds, int k, const FragmentMap& a,
                    const FragmentMap& b) {
  return {std::move(name),
          input,
          DType::Float32,
          rounds,
          16,
          8,
          k,
          a,
          b,
          map_of("n1 n2 m0 m1 m2", "n0 m3")};
}

// The PTX manual's "asynchronous warpgroup-level matrix instructions": wgmma.mma_async of four
// subgroups, factors in shared memory. `columns`: 2^columns of them.
MatrixUnit wgmma(DType input, std::string_view type, int columns) {
  constexpr int kTerms = 16;
  std::string c = "n0 m3";
  for (int bit = 3; bit < columns; ++bit) c += fmt::format(" n{}", bit);
  MatrixUnit unit{fmt::format("m64n{}k{}_{}", 1 << columns, kTerms, type),
                  input,
                  DType::Float32,
                  false,
                  64,
                  1 << columns,
                  kTerms,
                  {},
                  {},
                  map_of("n1 n2 m0 m1 m2 m4 m5", c)};
  unit.reads_scratch = true;
  return unit;
}

// Metal's simdgroup_matrix and its thread_elements(): all three matrices lie alike.
MatrixUnit simdgroup(std::string name, DType input) {
  return {std::move(name),
          input,
          DType::Float32,
          false,
          8,
          8,
          8,
          map_of("k1 m0 m1 k2 m2", "k0"),
          map_of("n1 k0 k1 n2 k2", "n0"),
          map_of("n1 m0 m1 n2 m2", "n0")};
}

// A processor's instruction that multiplies pairs of neighbouring 16-bit elements and adds both
// products to a 32-bit one, in sixteen lanes or eight: one work-item has all of the three matrices,
// and the pairs of the first are the same in all lanes.
MatrixUnit dot_of_pairs(std::string name, DType input, DType sum, int lanes) {
  const std::string columns = lanes == 16 ? "n0 n1 n2 n3" : "n0 n1 n2";
  return {std::move(name),
          input,
          sum,
          false,
          1,
          lanes,
          2,
          map_of("", "k0"),
          map_of("", "k0 " + columns),
          map_of("", columns)};
}

// The same of four neighbouring bytes, the first factor's without a sign and the second's with one.
MatrixUnit dot_of_bytes(std::string name) {
  return {std::move(name),
          DType::UInt8,
          DType::Int32,
          false,
          1,
          16,
          4,
          map_of("", "k0 k1"),
          map_of("", "k0 k1 n0 n1 n2 n3"),
          map_of("", "n0 n1 n2 n3"),
          DType::Int8};
}

// Intel's AMX: tile registers of 16 rows of 64 bytes. A row of the first factor is a row of the
// matrix; one of the second has a few terms that follow each other, of all columns.
MatrixUnit tile_product(std::string name, DType input, DType second, DType sum, int terms,
                        std::string_view a, std::string_view b) {
  return {std::move(name),
          input,
          sum,
          false,
          16,
          16,
          terms,
          map_of("", a),
          map_of("", b),
          map_of("", "n0 n1 n2 n3 m0 m1 m2 m3"),
          second};
}

MatrixUnit tile_of_pairs(std::string name, DType input) {
  return tile_product(std::move(name), input, input, DType::Float32, 32,
                      "k0 k1 k2 k3 k4 m0 m1 m2 m3", "k0 n0 n1 n2 n3 k1 k2 k3 k4");
}

MatrixUnit tile_of_bytes(std::string name, DType first, DType second) {
  return tile_product(std::move(name), first, second, DType::Int32, 64,
                      "k0 k1 k2 k3 k4 k5 m0 m1 m2 m3", "k0 k1 n0 n1 n2 n3 k2 k3 k4 k5");
}

std::vector<MatrixUnit> make_units() {
  const FragmentMap a16 = map_of("k1 k2 m0 m1 m2", "k0 m3 k3"),
                    b16 = map_of("k1 k2 n0 n1 n2", "k0 k3");
  std::vector<MatrixUnit> units;
  units.push_back(mma_sync("m16n8k16_f16", DType::Float16, false, 16, a16, b16));
  units.push_back(mma_sync("m16n8k16_bf16", DType::BFloat16, false, 16, a16, b16));
  units.push_back(mma_sync("m16n8k8_f16", DType::Float16, false, 8,
                           map_of("k1 k2 m0 m1 m2", "k0 m3"), map_of("k1 k2 n0 n1 n2", "k0")));
  units.push_back(mma_sync("m16n8k8_tf32", DType::Float32, true, 8,
                           map_of("k0 k1 m0 m1 m2", "m3 k2"), map_of("k0 k1 n0 n1 n2", "k2")));
  for (int columns = 8; columns >= 6; --columns) {
    units.push_back(wgmma(DType::Float16, "f16", columns));
    units.push_back(wgmma(DType::BFloat16, "bf16", columns));
  }
  units.push_back(simdgroup("m8n8k8_f16", DType::Float16));
  units.push_back(simdgroup("m8n8k8_f32", DType::Float32));
  units.push_back(dot_of_pairs("m1n16k2_bf16", DType::BFloat16, DType::Float32, 16));
  units.push_back(dot_of_pairs("m1n16k2_i16", DType::Int16, DType::Int32, 16));
  units.push_back(dot_of_pairs("m1n8k2_i16", DType::Int16, DType::Int32, 8));
  units.push_back(dot_of_bytes("m1n16k4_u8i8"));
  units.push_back(tile_of_pairs("m16n16k32_bf16", DType::BFloat16));
  units.push_back(tile_of_bytes("m16n16k64_i8", DType::Int8, DType::Int8));
  units.push_back(tile_of_bytes("m16n16k64_u8", DType::UInt8, DType::UInt8));
  units.push_back(tile_of_bytes("m16n16k64_u8i8", DType::UInt8, DType::Int8));
  return units;
}

}  // namespace

int64_t FragmentMap::index(MatrixAxis axis, int64_t l, int64_t r) const {
  int64_t at = 0;
  const auto add = [&](const std::vector<FragmentBit>& bits, int64_t number) {
    for (size_t i = 0; i < bits.size(); ++i) {
      if (bits[i].axis == axis) at |= (number >> i & 1) << bits[i].bit;
    }
  };
  add(lane, l);
  add(reg, r);
  return at;
}

int64_t MatrixUnit::terms_together() const {
  if (!is_of_one()) return k;
  int64_t terms = 1;
  for (size_t i = 0; i < b.reg.size() && b.reg[i].axis == MatrixAxis::K; ++i) terms *= 2;
  return terms;
}

std::span<const MatrixUnit> matrix_units() {
  static const std::vector<MatrixUnit> units = make_units();
  return units;
}

const MatrixUnit* find_matrix_unit(std::string_view name) {
  for (const MatrixUnit& u : matrix_units()) {
    if (u.name == name) return &u;
  }
  return nullptr;
}

}  // namespace tg
