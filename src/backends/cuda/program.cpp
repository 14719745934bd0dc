// See program.h.
#include "backends/cuda/program.h"

#include <fmt/format.h>

#include "support/check.h"
#include "support/hash.h"

namespace tg::cuda {
namespace {

constexpr int kMaxDynamicShared = 8;

// A cubin is an ELF file, PTX is text: what else there is, is damaged.
bool is_image(std::string_view bytes) {
  return bytes.starts_with(
             "\x7f"
             "ELF") ||
         bytes.find(".version") != std::string_view::npos;
}

}  // namespace

// ---- building
std::string Builder::key(const std::string& source) const {
  return hash_bytes(fmt::format("NVRTC {} {}\n{}", nvrtc_.version(), arch_, source)).hex();
}

std::string Builder::build(const std::string& source, const std::string& what) const {
  if (auto image = cache_.find(key(source)); image && is_image(*image)) return *std::move(image);
  return rebuild(source, what);
}

std::string Builder::rebuild(const std::string& source, const std::string& what) const {
  std::string image = nvrtc_.compile(source, arch_, what).bytes;
  cache_.store(key(source), image);
  return image;
}

// ---- running
CudaProgram::CudaProgram(const Workplace& place, const LinearKernel& kernel,
                         const std::string& source)
    : place_(place),
      shape_(kernel, place.target),
      shared_bytes_(static_cast<uint32_t>(cuda_dynamic_bytes(kernel, place.machine))) {
  const Driver& d = place_.session.driver();
  load(source);
  Status s = d.ModuleGetFunction(&function_, module_, shape_.name().c_str());
  if (s == kSuccess && shared_bytes_ > 0)
    s = d.FuncSetAttribute(function_, kMaxDynamicShared, static_cast<int>(shared_bytes_));
  if (s == kSuccess) return;
  d.ModuleUnload(module_);
  place_.session.check(s, "cuModuleGetFunction of " + shape_.name());
}

// What was kept may be of another driver's taste: it is built anew once.
void CudaProgram::load(const std::string& source) {
  const std::string what = "kernel " + shape_.name();
  place_.session.enter();
  const Driver& d = place_.session.driver();
  std::string image = place_.builder.build(source, what);
  if (d.ModuleLoadData(&module_, image.c_str()) == kSuccess) return;
  image = place_.builder.rebuild(source, what);
  Status s = d.ModuleLoadData(&module_, image.c_str());
  if (s == kOutOfMemory && place_.memory.release_cached() > 0)
    s = d.ModuleLoadData(&module_, image.c_str());
  place_.session.check(
      s, fmt::format("cuModuleLoadData of {} for {}", shape_.name(), place_.builder.arch()));
}

// The driver waits for what still runs.
CudaProgram::~CudaProgram() {
  place_.session.enter_quietly();
  place_.session.driver().ModuleUnload(module_);
}

void CudaProgram::launch(std::span<void* const> buffers, std::span<const int64_t> vars) {
  shape_.check(buffers, vars);
  int64_t chunks = shape_.chunks(vars);
  if (chunks == 0) return;
  std::vector<void*> arguments;
  arguments.reserve(buffers.size() + vars.size() + 1);
  for (void* const& b : buffers) arguments.push_back(const_cast<void**>(&b));
  for (const int64_t& v : vars) arguments.push_back(const_cast<int64_t*>(&v));
  arguments.push_back(&chunks);
  place_.session.enter();
  enqueue(static_cast<uint32_t>(shape_.groups(chunks)), arguments.data());
}

void CudaProgram::enqueue(uint32_t groups, void** arguments) {
  const Session& session = place_.session;
  const auto items = static_cast<uint32_t>(shape_.items());
  const auto queue = [&] {
    return session.driver().LaunchKernel(function_, groups, 1, 1, items, 1, 1, shared_bytes_,
                                         session.stream(), arguments, nullptr);
  };
  Status s = queue();
  if (s == kOutOfMemory && place_.memory.release_cached() > 0) s = queue();
  if (s == kSuccess) return;
  session.check(
      s, fmt::format("launch of {} ({} groups of {} items, {} bytes of shared memory, {} "
                     "bytes in use)",
                     shape_.name(), groups, items, shared_bytes_, place_.memory.bytes_in_use()));
}

}  // namespace tg::cuda
