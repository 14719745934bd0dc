// See facts.h.
#include "backends/nvidia/facts.h"

#include <fmt/format.h>

#include <algorithm>

#include "renderer/ptx.h"
#include "runtime/c_language.h"
#include "support/hash.h"

namespace tg::nvidia {
namespace {

/// Groups that can be on one multiprocessor at a time; more loop.
constexpr int64_t kResidentGroups = 32;

// float32 units of a multiprocessor.
int lanes_of(int capability) { return capability < 80 || capability == 80 ? 64 : 128; }

bool has_async_copy(const CudaFacts& f) { return f.capability >= 80; }

}  // namespace

CudaFacts typical_facts(int capability) {
  CudaFacts f;
  f.name = fmt::format("compute capability {}.{}", capability / 10, capability % 10);
  f.capability = capability;
  if (capability == 90) {
    f.multiprocessors = 132;
    f.clock_khz = 1'755'000;
    f.memory_clock_khz = 2'619'000;
    f.l2_bytes = 50 << 20;
    f.shared_bytes = 227 << 10;
  } else if (capability != 80) {
    f.shared_bytes = capability >= 100 && capability < 120 ? 227 << 10
                     : capability < 80                     ? 64 << 10
                                                           : 99 << 10;
  }
  return f;
}

Target cuda_target(const CudaFacts& f, const std::string& arch, bool ptx) {
  Target t;
  t.arch = arch;
  t.machine = "cuda-" + hash_bytes(fmt::format("{} {}", f.name, f.capability)).hex();
  t.vector_bytes = 16;
  t.vector_registers = 64;
  t.l1_bytes = f.shared_bytes;
  t.l2_bytes = f.l2_bytes / std::max<int64_t>(f.multiprocessors, 1);
  t.l3_bytes = f.l2_bytes;
  t.threads = static_cast<int>(f.multiprocessors);
  t.flops_per_second = 1e3 * static_cast<double>(f.clock_khz) * lanes_of(f.capability) * 2;
  // Two transfers a clock.
  t.bytes_per_second =
      1e3 * static_cast<double>(f.memory_clock_khz) * 2 * static_cast<double>(f.bus_bits) / 8;
  t.launch_seconds = 3e-6;
  t.compile_seconds = 80e-3;
  t.max_group_size = std::min<int64_t>(f.max_group_size, 1024);
  t.subgroup_size = 32;  // the same on all of them so far
  t.local_bytes = f.shared_bytes;
  t.max_groups = f.multiprocessors * kResidentGroups;
  t.max_arrays = 480;  // of 4 KiB for arguments, 8 bytes each, some are left to variables
  if (arch == "sm_90a" && !ptx) {
    add_matrix_units(t, {"m64n256k16_f16", "m64n256k16_bf16", "m64n128k16_f16", "m64n128k16_bf16",
                         "m64n64k16_f16", "m64n64k16_bf16"});
  }
  if (f.capability >= 80)
    add_matrix_units(t, {"m16n8k16_f16", "m16n8k16_bf16", "m16n8k8_tf32"});
  else if (f.capability >= 75)
    add_matrix_units(t, {"m16n8k8_f16"});
  t.has_fma = true;
  t.async_copy_bytes = has_async_copy(f) ? 16 : 0;  // of a cp.async
  finish_c_target(t, "CUDA");
  t.ops.set(static_cast<size_t>(Op::SubgroupShuffle));
  return t;
}

CudaMachine machine_of(const CudaFacts& facts) {
  return {.local_bytes = facts.shared_bytes, .has_async_copy = has_async_copy(facts)};
}

std::string render_kernel(const LinearKernel& kernel, const CudaMachine& machine,
                          const std::string& arch, bool ptx) {
  if (!ptx) return render_cuda(kernel, machine);
  return render_ptx(kernel, {.arch = arch, .local_bytes = machine.local_bytes});
}

}  // namespace tg::nvidia
