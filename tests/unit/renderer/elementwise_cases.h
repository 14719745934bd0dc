// Every elementwise op in every dtype with 1, 4, 8 and 16 lanes: kernels of one op each, and their
// results against the op record's evaluation. A case is an op on a dtype; who compiles its kernels
// is the business of the tests that include this.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <utility>

#include "linear_build.h"
#include "support/check.h"
#include "tg/ir/function_ref.h"

namespace tg::testing {
inline constexpr int64_t kElements = 256;

struct Case {
  Op op;
  DType from;
  DType to;  // result; differs from `from` for casts
  int lanes;
};

inline std::string case_name(const Case& c) {
  std::string name = fmt::format("{}_{}", op_name(c.op), dtype_name(c.from));
  if (c.op == Op::Cast || c.op == Op::Bitcast) name += fmt::format("_to_{}", dtype_name(c.to));
  return fmt::format("{}_x{}", name, c.lanes);
}

inline const std::vector<DType>& arithmetic() {
  static const std::vector<DType> all = {
      dtypes::bool_,  dtypes::int8,  dtypes::uint8,  dtypes::int16,   dtypes::uint16, dtypes::int32,
      dtypes::uint32, dtypes::int64, dtypes::uint64, dtypes::float32, dtypes::float64};
  return all;
}

/// Floats that are chosen between and, some, cast.
inline constexpr std::array kSmallFloats = {dtypes::float16, dtypes::bfloat16, dtypes::fp8e4m3};

/// Those of all_groups().
inline std::vector<DType> dtypes_of_groups() {
  std::vector<DType> out = arithmetic();
  out.insert(out.end(), kSmallFloats.begin(), kSmallFloats.end());
  return out;
}

using Group = std::pair<Op, DType>;

inline std::vector<Group> all_groups() {
  std::vector<Group> out;
  for (DType t : arithmetic()) {
    for (Op op : {Op::Add, Op::Mul, Op::Max, Op::CmpLt, Op::CmpNe, Op::Where, Op::Xor, Op::And,
                  Op::Or, Op::Shl, Op::Shr, Op::IDiv, Op::Mod, Op::FDiv, Op::Sqrt, Op::Trunc,
                  Op::Fma, Op::Cast, Op::Bitcast}) {
      if ((in_group(op, kIntOnly) && is_float(t)) || (in_group(op, kFloatOnly) && !is_float(t)))
        continue;
      if ((op == Op::Fma || op == Op::Bitcast) && is_bool(t)) continue;
      out.push_back({op, t});
    }
  }
  for (DType t : kSmallFloats) out.push_back({Op::Where, t});
  out.push_back({Op::Cast, dtypes::float16});
  out.push_back({Op::Bitcast, dtypes::float16});
  return out;
}

inline std::vector<DType> results_of(const Group& g) {
  const auto [op, t] = g;
  if (op != Op::Cast && op != Op::Bitcast) return {in_group(op, kComparison) ? dtypes::bool_ : t};
  std::vector<DType> out;
  if (op == Op::Cast && t == dtypes::float16) return {dtypes::float32};
  for (DType to : arithmetic()) {
    if (to == t || (op == Op::Bitcast && (is_bool(to) || dtype_size(to) != dtype_size(t))))
      continue;
    out.push_back(to);
  }
  if (op == Op::Cast && t == dtypes::float32) out.push_back(dtypes::float16);
  return out;
}

inline std::vector<Case> cases_of(const Group& g) {
  std::vector<Case> out;
  for (DType to : results_of(g)) {
    for (int lanes : {1, 4, 8, 16}) out.push_back({g.first, g.second, to, lanes});
  }
  return out;
}

inline LinearKernel kernel_of(const Case& c) {
  const UOp r = chunk_loop(kElements / c.lanes, 0);
  const UOp at = r * index_const(c.lanes);
  auto input = [&](int slot, DType t) {
    return load_lanes(param(slot, {kElements}, t), at, c.lanes);
  };
  std::vector<UOp> src;
  if (c.op == Op::Where) src.push_back(input(3, dtypes::bool_));
  const int arity = c.op == Op::Where ? 2 : record(c.op).arity;
  for (int i = 0; i < arity; ++i) src.push_back(input(1 + i, c.from));
  const UOp v = make(c.op, src, {}, c.to);
  return chunk_kernel("k_" + case_name(c), r,
                      {store_lanes(param(0, {kElements}, v.dtype()), at, v)}, 0, 4);
}

inline Scalar random_scalar(std::mt19937_64& rng, DType t) {
  static const std::vector<double> kFloats = {0.0,
                                              -0.0,
                                              1.0,
                                              -1.0,
                                              0.5,
                                              -2.75,
                                              1e10,
                                              -3e9,
                                              4e18,
                                              -1e19,
                                              1e20,
                                              2.5e-42,
                                              65519.0,
                                              65520.0,
                                              6e-8,
                                              std::numeric_limits<double>::infinity(),
                                              -std::numeric_limits<double>::infinity(),
                                              NAN};
  if (is_bool(t)) return Scalar::of_int(static_cast<int64_t>(rng() & 1), t);
  if (!is_float(t)) {
    const int kind = static_cast<int>(rng() % 4);
    if (kind == 0) return Scalar::of_uint(rng(), t);
    if (kind == 1)
      return Scalar::of_int(std::numeric_limits<int64_t>::min() >> (64 - 8 * dtype_size(t)), t);
    return Scalar::of_int(static_cast<int64_t>(rng() % 21) - 10, t);
  }
  const int kind = static_cast<int>(rng() % 3);
  if (kind == 0) return Scalar::of_double(kFloats[rng() % kFloats.size()], t);
  if (kind == 1)
    return Scalar::of_double(static_cast<double>(static_cast<int64_t>(rng() % 2001) - 1000) / 8.0,
                             t);
  return Scalar::from_memory(rng() >> (64 - 8 * dtype_size(t)), t);
}

inline void put(std::vector<char>& memory, int64_t i, const Scalar& s) {
  const uint64_t raw = s.to_memory();
  const auto size = static_cast<size_t>(dtype_size(s.dtype()));
  std::memcpy(memory.data() + static_cast<size_t>(i) * size, &raw, size);
}
inline Scalar get(const std::vector<char>& memory, int64_t i, DType t) {
  uint64_t raw = 0;
  const auto size = static_cast<size_t>(dtype_size(t));
  std::memcpy(&raw, memory.data() + static_cast<size_t>(i) * size, size);
  return Scalar::from_memory(raw, t);
}

/// The same number, zeros of the same sign unless `any_zero`; all NaNs are one.
inline bool same(const Scalar& a, const Scalar& b, bool any_zero = false) {
  if (!is_float(a.dtype())) return a == b;
  if (std::isnan(a.f64()) || std::isnan(b.f64())) return std::isnan(a.f64()) && std::isnan(b.f64());
  return a.f64() == b.f64() && (any_zero || std::signbit(a.f64()) == std::signbit(b.f64()));
}

/// The contents of a kernel's arguments, by slot.
using Contents = std::vector<std::vector<char>>;

/// Runs kernel_of(c) by `run`, which replaces the contents of what is written, on random and
/// special values.
inline void check_run(FunctionRef<void(Contents&)> run, const Case& c, uint64_t seed) {
  SCOPED_TRACE(fmt::format("{}, seed {}", case_name(c), seed));
  std::mt19937_64 rng(seed);
  const int arity = c.op == Op::Where ? 2 : record(c.op).arity;
  std::vector<std::vector<char>> memory(
      4, std::vector<char>(static_cast<size_t>(kElements) * 8 + 1, 0));
  std::vector<std::vector<Scalar>> values(4);
  for (int slot = 1; slot < 4; ++slot) {
    const DType t = c.op == Op::Where && slot == 3 ? dtypes::bool_ : c.from;
    for (int64_t i = 0; i < kElements; ++i) {
      const bool amount = slot == 2 && (c.op == Op::Shl || c.op == Op::Shr) && !is_bool(t);
      values[static_cast<size_t>(slot)].push_back(
          amount ? Scalar::of_int(static_cast<int64_t>(rng() % 70), t) : random_scalar(rng, t));
      put(memory[static_cast<size_t>(slot)], i, values[static_cast<size_t>(slot)].back());
    }
  }
  run(memory);
  for (int64_t i = 0; i < kElements; ++i) {
    const auto at = static_cast<size_t>(i);
    std::vector<Scalar> src;
    if (c.op == Op::Where) src.push_back(values[3][at]);
    for (int s = 0; s < arity; ++s) src.push_back(values[static_cast<size_t>(s) + 1][at]);
    const Scalar want = record(c.op).eval(src, c.to, {}), got = get(memory[0], i, c.to);
    if (c.op == Op::Fma && is_float(c.to)) {  // rounded once or twice
      const Scalar twice = Scalar::of_double(
          Scalar::of_double(src[0].f64() * src[1].f64(), c.to).f64() + src[2].f64(), c.to);
      const double fused =
          c.to == dtypes::float32
              ? std::fma(static_cast<float>(src[0].f64()), static_cast<float>(src[1].f64()),
                         static_cast<float>(src[2].f64()))
              : std::fma(src[0].f64(), src[1].f64(), src[2].f64());
      const Scalar once = Scalar::of_double(fused, c.to);
      ASSERT_TRUE(same(got, want) || same(got, twice) || same(got, once))
          << i << ": got " << got.str() << ", want " << want.str();
      continue;
    }
    std::string shown;
    for (const Scalar& s : src) shown += " " + s.str();
    // Which of two zeros is the larger is left to the device.
    const bool any_zero = c.op == Op::Max;
    ASSERT_TRUE(same(got, want, any_zero))
        << i << " of" << shown << ": got " << got.str() << ", want " << want.str();
  }
}

inline void check(Entry* entry, const Case& c, uint64_t seed) {
  const auto run = [&](Contents& memory) {
    std::vector<void*> buffers;
    for (auto& m : memory) buffers.push_back(m.data());
    entry(buffers.data(), nullptr, 0, kElements / c.lanes, nullptr);
  };
  check_run(run, c, seed);
}

}  // namespace tg::testing
