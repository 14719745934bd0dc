// Masked, gathered and scattered memory in every dtype and number of lanes: kernels, and a check
// that elements whose mask is clear are neither read nor written.
#pragma once

#include <gtest/gtest.h>

#include <cstring>

#include "kernels.h"
#include "support/check.h"
#include "tg/ir/function_ref.h"

namespace tg::testing {
inline constexpr int64_t kMasked = 32;

inline const std::vector<DType>& stored_dtypes() {
  static const std::vector<DType> all = {
      dtypes::bool_,       dtypes::int8,       dtypes::uint8,    dtypes::int16,   dtypes::uint16,
      dtypes::int32,       dtypes::uint32,     dtypes::int64,    dtypes::uint64,  dtypes::float32,
      dtypes::float64,     dtypes::float16,    dtypes::bfloat16, dtypes::fp8e4m3, dtypes::fp8e5m2,
      dtypes::fp8e4m3fnuz, dtypes::fp8e5m2fnuz};
  return all;
}

// p0[i] = p1[i] where p2[i], else what it was.
inline LinearKernel masked_copy(DType t, int lanes) {
  const UOp r = chunk_loop(kMasked / lanes, 0), at = r * index_of(lanes);
  const UOp gate = load_lanes(param(2, {kMasked}, dtypes::bool_), at, lanes);
  const UOp x = load_lanes(param(1, {kMasked}, t), at, lanes, gate);
  const UOp v = store_lanes(param(0, {kMasked}, t), at, x, gate);
  return chunk_kernel(fmt::format("copy_x{}", lanes), r, {v}, 0, 3);
}

// p0[i] = p1[p3[i]] where p2[i], else 0.
inline LinearKernel masked_gather(DType t, int lanes) {
  const UOp r = chunk_loop(kMasked / lanes, 0), at = r * index_of(lanes);
  const UOp gate = load_lanes(param(2, {kMasked}, dtypes::bool_), at, lanes);
  const UOp index = cast(load_lanes(param(3, {kMasked}, dtypes::int32), at, lanes), DType::Index);
  const UOp x = load_lanes(param(1, {kMasked}, t), index, lanes, gate);
  return chunk_kernel(fmt::format("gather_x{}", lanes), r,
                      {store_lanes(param(0, {kMasked}, t), at, x)}, 0, 4);
}

// p0[i] = p1[j] where p2[i], else 0: each vector of p1 backwards.
inline LinearKernel masked_turn(DType t, int lanes) {
  const UOp r = chunk_loop(kMasked / lanes, 0), at = r * index_of(lanes);
  const UOp gate = load_lanes(param(2, {kMasked}, dtypes::bool_), at, lanes);
  const UOp index = ramp(at + index_of(lanes - 1), lanes, -1);
  const UOp x = load_lanes(param(1, {kMasked}, t), index, lanes, gate);
  return chunk_kernel(fmt::format("turn_x{}", lanes), r,
                      {store_lanes(param(0, {kMasked}, t), at, x)}, 0, 3);
}

// p0[p3[i]] = p1[i] where p2[i], in the order of i.
inline LinearKernel masked_scatter(DType t, int lanes) {
  const UOp r = chunk_loop(kMasked / lanes, 0), at = r * index_of(lanes);
  const UOp gate = load_lanes(param(2, {kMasked}, dtypes::bool_), at, lanes);
  const UOp index = cast(load_lanes(param(3, {kMasked}, dtypes::int32), at, lanes), DType::Index);
  const UOp x = load_lanes(param(1, {kMasked}, t), at, lanes);
  return chunk_kernel(fmt::format("scatter_x{}", lanes), r,
                      {store_lanes(param(0, {kMasked}, t), index, x, gate)}, 0, 4);
}

struct Arrays {
  std::vector<char> out, in;
  std::vector<uint8_t> mask;
  std::vector<int32_t> index;
  size_t size;

  explicit Arrays(DType t) : size(static_cast<size_t>(dtype_size(t))) {
    for (int64_t i = 0; i < kMasked; ++i) {
      // Of vectors of sixteen lanes the first is whole, which may be another path.
      mask.push_back(i < kMasked / 2 || i * 5 % 7 < 3 ? 1 : 0);
      // Where the mask is clear the index is far outside: touching it would crash.
      index.push_back(mask.back() != 0 ? static_cast<int32_t>(i * 11 % 13) : (1 << 30));
    }
    for (size_t b = 0; b < static_cast<size_t>(kMasked) * size; ++b) {
      in.push_back(is_bool(t) ? static_cast<char>(b * 3 % 5 % 2) : static_cast<char>(b * 37 + 1));
      out.push_back(is_bool(t) ? static_cast<char>(b % 2) : static_cast<char>(100 + b));
    }
  }
  std::vector<void*> buffers() { return {out.data(), in.data(), mask.data(), index.data()}; }
  void move(std::vector<char>& to, size_t to_index, size_t from_index) const {
    std::memcpy(to.data() + to_index * size, in.data() + from_index * size, size);
  }
};

inline std::vector<LinearKernel> masked_kernels(DType t) {
  std::vector<LinearKernel> kernels;
  for (int lanes : {2, 4, 8, 16}) {
    for (auto make_kernel : {masked_copy, masked_gather, masked_turn, masked_scatter})
      kernels.push_back(make_kernel(t, lanes));
  }
  return kernels;
}

/// Runs `k`, one of masked_kernels(t), by `run`, which is given the arrays and their addresses by
/// slot.
inline void check_masked(FunctionRef<void(const std::vector<void*>&, const Arrays&)> run,
                         const LinearKernel& k, DType t) {
  Arrays a(t);
  std::vector<char> want = a.out;
  const size_t lanes = std::stoul(k.name.substr(k.name.find('x') + 1));
  const bool turns = k.name.starts_with("turn");
  for (size_t i = 0; i < static_cast<size_t>(kMasked); ++i) {
    const bool set = a.mask[i] != 0;
    const auto at = static_cast<size_t>(a.index[i]);
    if (k.name.starts_with("copy") && set) a.move(want, i, i);
    if (k.name.starts_with("scatter") && set) a.move(want, at, i);
    if (!k.name.starts_with("gather") && !turns) continue;
    if (set)
      a.move(want, i, turns ? i / lanes * lanes + lanes - 1 - i % lanes : at);
    else
      std::memset(want.data() + i * a.size, 0, a.size);
  }
  run(a.buffers(), a);
  EXPECT_EQ(a.out, want) << k.name;
}

/// The same by `entry`, made of `k`.
inline void check_masked(Entry* entry, const LinearKernel& k, DType t) {
  const auto run = [&](const std::vector<void*>& buffers, const Arrays&) {
    entry(buffers.data(), nullptr, 0, k.chunks, nullptr);
  };
  check_masked(run, k, t);
}

}  // namespace tg::testing
