// See facts.h.
#include "backends/cuda/facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "renderer/ptx.h"
#include "support/check.h"
#include "support/hash.h"
#include "support/text.h"
#include "target/calibration.h"

namespace tg::cuda {
namespace {

constexpr int kMaxThreadsPerBlock = 1, kClock = 13, kMultiprocessors = 16, kMemoryClock = 36,
              kBusWidth = 37, kL2 = 38, kMajor = 75, kMinor = 76, kSharedOptIn = 97;

/// Items that run in lockstep: the same on all of them so far.
constexpr int64_t kWarp = 32;
/// Groups that can be on one multiprocessor at a time; more loop.
constexpr int64_t kResidentGroups = 32;
// Of 4 KiB for the arguments of a launch, 8 bytes each, some are left to variables.
constexpr int64_t kMaxArrays = 480;

// float32 units of a multiprocessor.
int lanes_of(int capability) { return capability < 80 || capability == 80 ? 64 : 128; }

/// cp.async, which copies up to so many bytes.
constexpr int64_t kFetchBytes = 16;
bool has_fetch(const CudaFacts& f) { return f.capability >= 80; }

std::string names_of(const Driver& d, int count) {
  std::string out;
  for (int i = 0; i < count; ++i) {
    int device = 0;
    char name[256] = {};
    if (d.DeviceGet(&device, i) == kSuccess) d.DeviceGetName(name, sizeof name - 1, device);
    out += fmt::format("{}{} {}", i == 0 ? "" : ", ", i, name);
  }
  return out;
}

}  // namespace

CudaFacts facts_of(const Driver& d, int index) {
  int count = 0, device = 0;
  d.DeviceGetCount(&count);
  if (index >= count || d.DeviceGet(&device, index) != kSuccess) {
    user_error<DeviceError>("CUDA", fmt::format("there is no device {}: {}", index,
                                                count == 0 ? "none at all" : names_of(d, count)));
  }
  CudaFacts f;
  char name[256] = {};
  d.DeviceGetName(name, sizeof name - 1, device);
  f.name = name;
  const auto ask = [&](int attribute, int64_t otherwise) {
    int value = 0;
    const Status s = d.DeviceGetAttribute(&value, attribute, device);
    return s == kSuccess && value > 0 ? int64_t{value} : otherwise;
  };
  f.capability = static_cast<int>(ask(kMajor, 8) * 10 + ask(kMinor, 0));
  f.multiprocessors = ask(kMultiprocessors, f.multiprocessors);
  f.clock_khz = ask(kClock, f.clock_khz);
  f.memory_clock_khz = ask(kMemoryClock, f.memory_clock_khz);
  f.bus_bits = ask(kBusWidth, f.bus_bits);
  f.l2_bytes = ask(kL2, f.l2_bytes);
  f.max_items = ask(kMaxThreadsPerBlock, f.max_items);
  f.shared_bytes = ask(kSharedOptIn, 48 << 10);
  size_t memory = 0;
  if (d.DeviceTotalMem(&memory, device) == kSuccess) f.memory_bytes = static_cast<int64_t>(memory);
  return f;
}

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

Target cuda_target(const CudaFacts& f, const std::string& arch) {
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
  t.max_items = std::min<int64_t>(f.max_items, 1024);
  t.subgroup_items = kWarp;
  t.local_bytes = f.shared_bytes;
  t.max_groups = f.multiprocessors * kResidentGroups;
  t.max_arrays = kMaxArrays;
  if (f.capability >= 80) {
    for (const char* name : {"m16n8k16_f16", "m16n8k16_bf16", "m16n8k8_tf32"})
      t.matrix_units.push_back(find_matrix_unit(name));
  } else if (f.capability >= 75) {
    t.matrix_units.push_back(find_matrix_unit("m16n8k8_f16"));
  }
  t.has_fma = true;
  t.fetch_bytes = has_fetch(f) ? kFetchBytes : 0;
  if (const auto measured = load_calibration("CUDA", t.machine)) apply_calibration(t, *measured);
  for (int i = 0; i < kNumOps; ++i)
    t.ops.set(static_cast<size_t>(i), c_supports(static_cast<Op>(i)));
  t.ops.set(static_cast<size_t>(Op::Exchange));
  for (int i = 0; i < kNumDTypes; ++i)
    t.dtypes.set(static_cast<size_t>(i), c_supports(static_cast<DType>(i)));
  return t;
}

CudaMachine machine_of(const CudaFacts& facts) {
  return {.local_bytes = facts.shared_bytes, .has_fetch = has_fetch(facts)};
}

int capability_of(std::string_view arch) {
  if (!arch.starts_with("sm_")) return 0;
  arch.remove_prefix(3);
  if (!arch.empty() && std::isalpha(static_cast<unsigned char>(arch.back())) != 0)
    arch.remove_suffix(1);
  const auto number = parse_int64(arch);
  return number && *number >= 50 && *number < 1000 ? static_cast<int>(*number) : 0;
}

std::string render_kernel(const LinearKernel& kernel, const CudaMachine& machine,
                          const std::string& arch, bool ptx) {
  if (!ptx) return render_cuda(kernel, machine);
  return render_ptx(kernel, {.arch = arch, .local_bytes = machine.local_bytes});
}

Choice parse_choice(std::string_view settings) {
  constexpr std::string_view kPtx = "ptx";
  const std::string all = to_lower(settings);
  std::string_view rest = all;
  Choice choice;
  if (rest == kPtx) return {.ptx = true};
  if (rest.starts_with(kPtx) && rest[kPtx.size()] == ':') {
    choice.ptx = true;
    rest.remove_prefix(kPtx.size() + 1);
  }
  const auto index = parse_int64(rest);
  if (index && *index >= 0 && *index < 1000) {
    choice.index = static_cast<int>(*index);
    return choice;
  }
  if (capability_of(rest) != 0) {
    choice.arch = rest;
    return choice;
  }
  user_error<DeviceError>(
      "CUDA", fmt::format("takes {}, got \"{}\"", kTakes, settings),
      "Hint: DEV=CUDA:1 is the second device; DEV=CUDA:SM_80 compiles for one "
      "that is not here, and computes nothing; DEV=CUDA:PTX needs no compiler.");
}

std::string choice_text(const Choice& choice) {
  std::string text = choice.arch;
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  if (text.empty() && choice.index != 0) text = fmt::format("{}", choice.index);
  if (!choice.ptx) return text;
  return text.empty() ? "PTX" : "PTX:" + text;
}

}  // namespace tg::cuda
