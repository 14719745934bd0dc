// See render.h.
#include "renderer/render.h"

#include <fmt/format.h>

#include <algorithm>

#include "renderer/c_kernel.h"
#include "renderer/llvm_kernel.h"
#include "support/check.h"

namespace tg {

std::string render_c(std::span<const LinearKernel> kernels) {
  CUnit unit(gnu_c());
  std::string text;
  for (const LinearKernel& k : kernels) text += c_kernel(unit, k);
  return unit.preamble() + text;
}

std::string render_llvm(const LinearKernel& kernel, const LlvmMachine& machine) {
  return llvm_kernel(kernel, machine);
}

std::string render_opencl(const LinearKernel& kernel, const OpenClMachine& machine) {
  const std::unique_ptr<const CDialect> dialect = opencl_c(machine);
  CUnit unit(*dialect);
  const std::string text = c_kernel(unit, kernel);
  return unit.preamble() + text;
}

int64_t opencl_scratch_bytes(const LinearKernel& kernel, const OpenClMachine& machine) {
  return kernel.scratch_bytes > machine.local_bytes ? kernel.scratch_bytes : 0;
}

std::string render_cuda(const LinearKernel& kernel, const CudaMachine& machine) {
  const std::unique_ptr<const CDialect> dialect = cuda_c(machine);
  CUnit unit(*dialect);
  const std::string text = c_kernel(unit, kernel);
  return unit.preamble() + text;
}

// A kernel may declare 48 KiB; what is more is asked for at the launch.
int64_t cuda_dynamic_bytes(const LinearKernel& kernel, const CudaMachine& machine) {
  const bool shared = kernel.scratch_bytes <= machine.local_bytes;
  return shared && kernel.scratch_bytes > (48 << 10) ? kernel.scratch_bytes : 0;
}

int cuda_groups_at_once(const LinearKernel& kernel) {
  constexpr int64_t kSmall = 128, kLarge = 256;  // work-items
  constexpr int64_t kRegisters = 1 << 16;        // of a multiprocessor, for all its work-items
  constexpr int64_t kOthers = 56;                // registers of a work-item that hold no sums
  if (kernel.group_size <= kSmall || kernel.group_size > kLarge) return 1;
  // Loops inside each other carry the same sums.
  std::unordered_map<const Node*, int64_t> sums;
  int64_t most = 0;
  for (const UOp& u : kernel.ops) {
    if (!u.is(Op::Carry)) continue;
    constexpr int64_t kRegister = 4;  // bytes
    int64_t& words = sums[u.src_node(0)];
    words += (u.lanes() * static_cast<int64_t>(dtype_size(u.dtype())) + kRegister - 1) / kRegister;
    most = std::max(most, words);
  }
  return most + kOthers > kRegisters / (2 * kernel.group_size) ? 1 : 2;
}

std::string metal_refuses(const LinearKernel& kernel, const MetalMachine& machine) {
  const size_t buffers = kernel.params.size() + 1;
  if (buffers > static_cast<size_t>(machine.buffers)) {
    return fmt::format("takes {} buffers with that of its numbers, and a Metal kernel at most {}",
                       buffers, machine.buffers);
  }
  // What is given without a buffer of its own has at most 4096 bytes.
  if (constexpr size_t kNumbers = 512; kernel.vars.size() >= kNumbers) {
    return fmt::format("has {} variables, and a Metal kernel is given fewer than {}",
                       kernel.vars.size(), kNumbers);
  }
  if (kernel.scratch_bytes > machine.local_bytes) {
    return fmt::format("wants {} bytes of threadgroup memory, and the device has {}",
                       kernel.scratch_bytes, machine.local_bytes);
  }
  const auto is_double = [](const UOp& u) { return u.dtype() == DType::Float64; };
  if (std::ranges::any_of(kernel.ops, is_double))
    return "computes in float64, which Metal does not have";
  return {};
}

std::string render_metal(const LinearKernel& kernel, const MetalMachine& machine) {
  if (const std::string reason = metal_refuses(kernel, machine); !reason.empty()) {
    user_error<DeviceError>(
        "compile", fmt::format("kernel {} {}", kernel.name, reason),
        "Hint: compute in float32, realize parts of the expression, or use another device.");
  }
  const std::unique_ptr<const CDialect> dialect = metal_c(machine);
  CUnit unit(*dialect);
  const std::string text = c_kernel(unit, kernel);
  return unit.preamble() + text;
}

bool c_supports(Op op) {
  switch (op) {
    case Op::Exp2:
    case Op::Log2:
    case Op::Sin:
    case Op::Threefry:
    case Op::SubgroupShuffle:
      return false;
    default:
      return in_group(op, kElementwise | kLowered) || op == Op::Load || op == Op::Store ||
             op == Op::Const;
  }
}

bool c_supports(DType t) {
  if (is_float(t)) return t == DType::Float32 || t == DType::Float64;
  return t != DType::Void;
}

}  // namespace tg
