// Lowered kernels run by the interpreter, which checks every access, on plain values.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "backends/interp/execute.h"
#include "codegen/lower.h"
#include "rewrite/verify.h"
#include "uop/tensor_value.h"

namespace tg::test {

/// Runs `k` on `params` (by slot) and returns what they hold afterwards; the chunks are run in two
/// launches, last ones first.
inline std::vector<TensorValue> run_linear(const LinearKernel& k,
                                           const std::vector<TensorValue>& params,
                                           std::span<const int64_t> vars = {}) {
  std::vector<std::vector<std::byte>> bytes;
  std::vector<void*> pointers;
  for (const TensorValue& p : params) bytes.push_back(p.to_bytes());
  for (std::vector<std::byte>& b : bytes) pointers.push_back(b.data());
  const interp::Code code = interp::decode(k);
  const int64_t half = code.chunks / 2;
  interp::execute(code, pointers, vars, half, code.chunks);
  if (half > 0) interp::execute(code, pointers, vars, 0, half);
  std::vector<TensorValue> out;
  for (size_t i = 0; i < params.size(); ++i)
    out.push_back(TensorValue::from_bytes(params[i].shape, params[i].dtype, bytes[i]));
  return out;
}

}  // namespace tg::test
