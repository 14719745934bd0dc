// The emulator as a device: a plug-in that takes CUDA C, MSL or OpenCL C, as its build says, and
// runs it on this machine's processor with every access checked. A kernel that does something wrong
// is a launch that failed, with what it did in the error.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "runner/module.h"
#include "tg/plugin/tg_backend.h"

namespace tg::emulator {
namespace {

#ifdef TG_EMULATE_METAL
constexpr Language kLanguage = Language::Metal;
constexpr const char* kName = "EMULATED_METAL";
constexpr int32_t kSource = TG_SOURCE_METAL;
#elif defined(TG_EMULATE_OPENCL)
constexpr Language kLanguage = Language::OpenCl;
constexpr const char* kName = "EMULATED_OPENCL";
constexpr int32_t kSource = TG_SOURCE_OPENCL;
#else
constexpr Language kLanguage = Language::Cuda;
constexpr const char* kName = "EMULATED_CUDA";
constexpr int32_t kSource = TG_SOURCE_CUDA;
#endif
constexpr int64_t kLanes = 32;
// CUDA kernels may declare less than what a group has; they are launched with the rest.
constexpr int64_t kLocalBytes = kLanguage == Language::Cuda ? 96 << 10 : 32 << 10;
constexpr int64_t kDeclaredBytes = 48 << 10;

struct Kernel {
  std::shared_ptr<const Module> module;
  const Code* code = nullptr;
  int64_t group_size = 1;
  int64_t scratch_bytes = 0;   // of a group
  std::vector<int64_t> bytes;  // of the buffers
  std::vector<bool> written;
};

tg_status fail(tg_message* message, const std::string& what, tg_status status = TG_FAILED) {
  const size_t n = std::min<size_t>(what.size(), message->text_size - 1);
  std::memcpy(message->text, what.data(), n);
  message->text[n] = 0;
  return status;
}

tg_status probe(tg_message* message) {
  const std::string missing = missing_compiler(kLanguage);
  return missing.empty() ? TG_OK : fail(message, missing);
}

tg_status open_device(void** device, tg_message*) {
  static int the_device;
  *device = &the_device;
  return TG_OK;
}
void close_device(void*) {}

// Small groups of several subgroups, so that kernels wait at barriers and still run quickly here;
// the rest as a GPU says it.
tg_status facts(void*, tg_facts* f, tg_message*) {
  f->vector_bytes = 16;
  f->vector_registers = 64;
  f->threads = 4;
  f->flops_per_second = 1e11;
  f->bytes_per_second = 1e11;
  f->launch_seconds = 5e-6;
  f->has_fma = 1;
  f->max_group_size = 64;
  f->subgroup_size = kLanes;
  f->local_bytes = kLocalBytes;
  f->max_groups = 1 << 16;
  f->compile_seconds = 50e-3;
  if (kLanguage == Language::Metal) f->max_buffers = 30;
  if (kLanguage == Language::Metal) f->matrix_units = "m8n8k8_f16 m8n8k8_f32";
  if (kLanguage == Language::Cuda) f->async_copy_bytes = 16;
  if (kLanguage == Language::Cuda) f->matrix_units = "m16n8k16_f16 m16n8k16_bf16 m16n8k8_tf32";
  f->has_half_casts = 1;
  f->arch = "emulated";
  return TG_OK;
}

tg_status allocate(void*, int64_t bytes, void** address, tg_message* message) {
  *address = std::aligned_alloc(64, static_cast<size_t>(bytes));
  return *address != nullptr ? TG_OK
                             : fail(message, "the system has no memory left", TG_OUT_OF_MEMORY);
}
tg_status release(void*, void* address, int64_t, tg_message*) {
  std::free(address);
  return TG_OK;
}
tg_status copy(void*, void* to, const void* from, int64_t bytes, tg_message*) {
  std::memcpy(to, from, static_cast<size_t>(bytes));
  return TG_OK;
}

std::unique_ptr<Kernel> make_kernel(const std::shared_ptr<const Module>& module, const tg_module& m,
                                    uint32_t i) {
  const tg_kernel& info = m.kernels[i];
  auto k = std::make_unique<Kernel>();
  k->module = module;
  k->code = &module->kernels()[i];
  k->group_size = info.group_size;
  k->scratch_bytes = info.scratch_bytes;
  for (uint32_t b = 0; b < info.buffer_count; ++b) {
    k->bytes.push_back(m.programs[i].buffer_bytes[b]);
    k->written.push_back((info.buffer_uses[b] & TG_WRITTEN) != 0);
  }
  return k;
}

tg_status compile(void*, const tg_module* m, void** kernels, tg_message* message) {
  try {
    std::vector<Program> programs;
    for (uint32_t i = 0; i < m->kernel_count; ++i)
      programs.push_back({m->kernels[i].name, m->programs[i].text});
    const auto module = std::make_shared<const Module>(kLanguage, programs);
    std::vector<std::unique_ptr<Kernel>> made;
    for (uint32_t i = 0; i < m->kernel_count; ++i) made.push_back(make_kernel(module, *m, i));
    for (uint32_t i = 0; i < m->kernel_count; ++i) kernels[i] = made[i].release();
    return TG_OK;
  } catch (const std::exception& e) {
    return fail(message, e.what());
  }
}
void forget(void*, void* kernel) { delete static_cast<Kernel*>(kernel); }

using Bytes = std::unique_ptr<void, void (*)(void*)>;

// Variables and the number of chunks are values for CUDA and OpenCL, and one buffer for Metal.
// OpenCL's buffers come with a place in them, here always the first. Half as many groups as chunks:
// each runs more than one round.
std::string run_call(const tg_call& c) {
  const auto& k = *static_cast<const Kernel*>(c.kernel);
  const int64_t groups = (c.end + 1) / 2;
  std::vector<Argument> arguments;
  for (uint32_t b = 0; b < c.buffer_count; ++b) {
    arguments.push_back(Argument::array(c.buffers[b], k.bytes[b], k.written[b]));
    if (kLanguage == Language::OpenCl) arguments.push_back(Argument::value(0));
  }
  std::vector<int64_t> numbers(c.vars, c.vars + c.var_count);
  numbers.push_back(c.end);
  if (kLanguage == Language::Metal) {
    arguments.push_back(Argument::array(
        numbers.data(), static_cast<int64_t>(numbers.size() * sizeof(int64_t)), false));
  } else {
    for (const int64_t n : numbers) arguments.push_back(Argument::value(n));
  }
  Bytes scratch(nullptr, std::free);
  if (kLanguage == Language::OpenCl && k.scratch_bytes > kLocalBytes) {
    const int64_t bytes = (k.scratch_bytes * groups + 63) / 64 * 64;
    scratch.reset(std::aligned_alloc(64, static_cast<size_t>(bytes)));
    if (scratch == nullptr) return "the system has no memory left";
    arguments.push_back(Argument::array(scratch.get(), bytes, true));
  }
  Shape shape = {.group_size = k.group_size, .groups = groups, .lanes = kLanes};
  if (kLanguage == Language::Cuda && k.scratch_bytes > kDeclaredBytes)
    shape.local_bytes = k.scratch_bytes;
  return run(*k.code, arguments, shape);
}

tg_status launch(void*, const tg_call* calls, size_t count, tg_message* message) {
  try {
    for (size_t i = 0; i < count; ++i) {
      const std::string wrong = run_call(calls[i]);
      if (!wrong.empty()) return fail(message, wrong);
    }
    return TG_OK;
  } catch (const std::exception& e) {
    return fail(message, e.what());
  }
}
tg_status synchronize(void*, tg_message*) { return TG_OK; }

const char* compiler(void*) {
  static const std::string found = compiler_for(kLanguage).value_or("none");
  return found.c_str();
}

constexpr tg_backend_v1 kTable = {.version = TG_BACKEND_VERSION,
                                  .struct_size = sizeof(tg_backend_v1),
                                  .name = kName,
                                  .preference = -3,
                                  .source = kSource,
                                  .open = open_device,
                                  .close = close_device,
                                  .facts = facts,
                                  .allocate = allocate,
                                  .release = release,
                                  .copy_in = copy,
                                  .copy_out = copy,
                                  .compile = compile,
                                  .forget = forget,
                                  .launch = launch,
                                  .synchronize = synchronize,
                                  .probe = probe,
                                  .compiler = compiler};

}  // namespace
}  // namespace tg::emulator

extern "C" TG_BACKEND_EXPORT const tg_backend_v1* tg_backend(uint32_t version) {
  return version >= TG_BACKEND_VERSION ? &tg::emulator::kTable : nullptr;
}
