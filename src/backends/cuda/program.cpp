// See program.h.
#include "backends/cuda/program.h"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/failed_source.h"
#include "support/check.h"
#include "support/hash.h"

namespace tg::cuda {
namespace {

constexpr int kMaxDynamicShared = 8;
constexpr Status kInvalidPtx = 218;

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
  return hash_bytes(fmt::format("NVRTC {} {}\n{}", nvrtc_->version(), arch_, source)).hex();
}

std::string Builder::build(const std::string& source, const std::string& what) const {
  if (auto image = cache_.find(key(source)); image && is_image(*image)) return *std::move(image);
  return rebuild(source, what);
}

std::string Builder::rebuild(const std::string& source, const std::string& what) const {
  std::string image = nvrtc_->compile(source, arch_, what).bytes;
  cache_.store(key(source), image);
  return image;
}

// ---- running
void Workplace::retry(FunctionRef<Status()> queue, FunctionRef<std::string()> what) const {
  Status s = queue();
  if (s == kOutOfMemory && memory.release_cached() > 0) s = queue();
  if (s != kSuccess) session.check(s, what());
}

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
  if (place_.builder.writes_ptx()) return assemble(source);
  const Driver& d = place_.session.driver();
  std::string image = place_.builder.build(source, what);
  if (d.ModuleLoadData(&module_, image.c_str()) == kSuccess) return;
  image = place_.builder.rebuild(source, what);
  place_.retry(
      [&] { return d.ModuleLoadData(&module_, image.c_str()); },
      [&] { return fmt::format("cuModuleLoadData of {} for {}", name(), place_.builder.arch()); });
}

// The driver keeps what it assembled, by text.
void CudaProgram::assemble(const std::string& source) {
  constexpr int kErrorLog = 5, kErrorLogBytes = 6;
  std::string log(8 << 10, '\0');
  int options[] = {kErrorLog, kErrorLogBytes};
  void* values[] = {log.data(), reinterpret_cast<void*>(log.size())};
  const Driver& d = place_.session.driver();
  Status status = kSuccess;
  place_.retry(
      [&] {
        status = d.ModuleLoadDataEx(&module_, source.c_str(), 2, options, values);
        return status == kInvalidPtx ? kSuccess : status;
      },
      [&] {
        return fmt::format("cuModuleLoadDataEx of {} for {}", name(), place_.builder.arch());
      });
  if (status != kInvalidPtx) return;
  refused_source("the driver's assembler", "kernel " + name(), status_text(d, status),
                 log.substr(0, log.find('\0')), source, ".ptx");
}

// The driver waits for what still runs.
CudaProgram::~CudaProgram() {
  place_.session.enter_quietly();
  place_.session.driver().ModuleUnload(module_);
}

Arguments::Arguments(std::span<void* const> buffers, std::span<const int64_t> vars,
                     int64_t chunks) {
  values_.reserve(buffers.size() + vars.size() + 1);
  for (void* b : buffers) values_.push_back(reinterpret_cast<uint64_t>(b));
  for (int64_t v : vars) values_.push_back(static_cast<uint64_t>(v));
  values_.push_back(static_cast<uint64_t>(chunks));
  pointers_.reserve(values_.size());
  for (uint64_t& v : values_) pointers_.push_back(&v);
}

Arguments CudaProgram::arguments(const Call& call) const {
  shape_.check(call.buffers, call.vars);
  return {call.buffers, call.vars, shape_.chunks(call.vars)};
}

KernelLaunch CudaProgram::launch_of(Arguments& arguments) const {
  return {.function = function_,
          .grid_x = static_cast<uint32_t>(std::max<int64_t>(shape_.groups(arguments.chunks()), 1)),
          .block_x = static_cast<uint32_t>(shape_.items()),
          .shared_bytes = shared_bytes_,
          .arguments = arguments.pointers()};
}

void CudaProgram::launch(std::span<void* const> buffers, std::span<const int64_t> vars) {
  Arguments passed = arguments({this, buffers, vars});
  if (passed.chunks() == 0) return;
  const KernelLaunch l = launch_of(passed);
  place_.session.enter();
  place_.retry(
      [&] {
        return place_.session.driver().LaunchKernel(l.function, l.grid_x, l.grid_y, l.grid_z,
                                                    l.block_x, l.block_y, l.block_z, l.shared_bytes,
                                                    place_.session.stream(), l.arguments, l.extra);
      },
      [&] {
        return fmt::format(
            "launch of {} ({} groups of {} items, {} bytes of shared memory, {} "
            "bytes in use)",
            name(), l.grid_x, l.block_x, l.shared_bytes, place_.memory.bytes_in_use());
      });
}

}  // namespace tg::cuda
