// See program.h.
#include "backends/cuda/program.h"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/failed_source.h"
#include "support/check.h"

namespace tg::cuda {

void Workplace::retry(FunctionRef<Status()> queue, FunctionRef<std::string()> what) const {
  Status s = queue();
  if (s == kOutOfMemory && memory.release_cached() > 0) s = queue();
  if (s != kSuccess) session.check(s, what());
}

CudaProgram::CudaProgram(const Workplace& place, const LinearKernel& kernel,
                         const std::string& source)
    : place_(place),
      shape_(kernel, place.target),
      shared_bytes_(static_cast<uint32_t>(cuda_dynamic_bytes(kernel, place.machine))),
      module_(place.session.own<&Driver::ModuleUnload>(load(source))) {
  const Driver& d = place_.session.driver();
  Status s = d.ModuleGetFunction(&function_, module_.get(), shape_.name().c_str());
  if (s == kSuccess && shared_bytes_ > 0)
    s = d.FuncSetAttribute(function_, kMaxDynamicShared, static_cast<int>(shared_bytes_));
  place_.session.check(s, "cuModuleGetFunction of " + shape_.name());
}

// What was kept may be of another driver's taste: it is built again once.
Module* CudaProgram::load(const std::string& source) const {
  const std::string what = "kernel " + shape_.name();
  place_.session.enter();
  if (place_.builder.writes_ptx()) return assemble(source);
  const Driver& d = place_.session.driver();
  Module* module = nullptr;
  std::string image = place_.builder.build(source, what);
  if (d.ModuleLoadData(&module, image.c_str()) == kSuccess) return module;
  image = place_.builder.rebuild(source, what);
  place_.retry(
      [&] { return d.ModuleLoadData(&module, image.c_str()); },
      [&] { return fmt::format("cuModuleLoadData of {} for {}", name(), place_.builder.arch()); });
  return module;
}

// The driver keeps what it assembled, by text.
Module* CudaProgram::assemble(const std::string& source) const {
  std::string log(8 << 10, '\0');
  int options[] = {kErrorLog, kErrorLogBytes};
  void* values[] = {log.data(), reinterpret_cast<void*>(log.size())};
  const Driver& d = place_.session.driver();
  Module* module = nullptr;
  place_.retry(
      [&] {
        const Status s = d.ModuleLoadDataEx(&module, source.c_str(), 2, options, values);
        if (s == kInvalidPtx) {
          refused_source("the driver's assembler", "kernel " + name(), status_text(d, s),
                         log.substr(0, log.find('\0')), source, ".ptx");
        }
        return s;
      },
      [&] {
        return fmt::format("cuModuleLoadDataEx of {} for {}", name(), place_.builder.arch());
      });
  return module;
}

BoundLaunch CudaProgram::bind(const Call& call) const {
  shape_.check(call.buffers, call.vars);
  const int64_t chunks = shape_.chunks(call.vars);
  ArgumentWords arguments(call, chunks);
  const KernelLaunch launch{
      .function = function_,
      .grid_x = static_cast<uint32_t>(std::max<int64_t>(shape_.groups(chunks), 1)),
      .block_x = static_cast<uint32_t>(shape_.group_size()),
      .shared_bytes = shared_bytes_,
      .arguments = arguments.pointers()};
  return {std::move(arguments), launch};
}

void CudaProgram::launch(std::span<void* const> buffers, std::span<const int64_t> vars) {
  const BoundLaunch bound = bind({this, buffers, vars});
  if (bound.arguments.last() == 0) return;
  const KernelLaunch& l = bound.launch;
  place_.session.enter();
  place_.retry(
      [&] {
        return place_.session.driver().LaunchKernel(l.function, l.grid_x, l.grid_y, l.grid_z,
                                                    l.block_x, l.block_y, l.block_z, l.shared_bytes,
                                                    place_.session.stream(), l.arguments, l.extra);
      },
      [&] {
        return fmt::format(
            "launch of {} ({} groups of {} work-items, {} bytes of shared memory, {} "
            "bytes in use)",
            name(), l.grid_x, l.block_x, l.shared_bytes, place_.memory.bytes_in_use());
      });
}

}  // namespace tg::cuda
