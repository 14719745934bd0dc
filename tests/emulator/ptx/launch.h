// Kernels in PTX on plain values: rendered, read back and run work-item by work-item.
#pragma once

#include <gtest/gtest.h>

#include "ptx/machine.h"
#include "renderer/ptx.h"
#include "renderer/render.h"
#include "uop/tensor_value.h"

namespace tg::emulator::ptx {

/// Shared memory of a group, as the launch of an A100 gives it.
inline constexpr int64_t kLocalBytes = 163 << 10;

inline std::string text_of(const LinearKernel& k) {
  return render_ptx(k, {.arch = "sm_80", .local_bytes = kLocalBytes});
}

/// Runs `text`, made of `k`, on the bytes of its arrays by slot and its variables; without `groups`
/// in half as many as chunks, so that each runs more than one. What it did wrong, or nothing.
inline std::string run_bytes(const LinearKernel& k, const std::string& text,
                             std::span<const std::span<std::byte>> arrays,
                             std::span<const int64_t> vars = {}, int64_t groups = 0) {
  std::vector<Argument> arguments;
  for (size_t i = 0; i < arrays.size(); ++i) {
    arguments.push_back(
        Argument::array(arrays[i].data(), std::ssize(arrays[i]), k.params.at(i).written));
  }
  for (int64_t v : vars) arguments.push_back(Argument::value(v));
  arguments.push_back(Argument::value(k.chunks));
  const Shape shape{.group_size = k.group_size, .groups = groups > 0 ? groups : (k.chunks + 1) / 2};
  return run(parse(text), arguments, shape, cuda_dynamic_bytes(k, {kLocalBytes}));
}

/// The same on values, which hold the results then.
inline std::string run_values(const LinearKernel& k, const std::string& text,
                              std::vector<TensorValue>& params,
                              std::span<const int64_t> vars = {}) {
  std::vector<std::vector<std::byte>> bytes;
  for (const TensorValue& p : params) bytes.push_back(p.to_bytes());
  const std::vector<std::span<std::byte>> arrays(bytes.begin(), bytes.end());
  std::string wrong = run_bytes(k, text, arrays, vars);
  for (size_t i = 0; i < params.size(); ++i)
    params[i] = TensorValue::from_bytes(params[i].shape, params[i].dtype, bytes[i]);
  return wrong;
}

}  // namespace tg::emulator::ptx
