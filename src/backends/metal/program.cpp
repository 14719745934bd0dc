// See program.h.
#include "backends/metal/program.h"

#include <fmt/format.h>

#include "runtime/failed_source.h"
#include "support/check.h"

namespace tg::metal {
namespace {

// No option that loosens values. The first is what the second was called before macOS 15.
Owned strict_options(const Objc& objc) {
  Owned options = objc.make("MTLCompileOptions");
  objc.set_fast_math_enabled(options.get(), 0);
  if (objc.responds(options.get(), objc.set_math_mode))
    objc.set_math_mode(options.get(), kMathModeSafe);
  return options;
}

// One that recorded commands may name.
Owned described_pipeline(const Objc& objc, Object* function) {
  Owned d = objc.make("MTLComputePipelineDescriptor");
  objc.set_function(d.get(), function);
  if (objc.responds(d.get(), objc.set_supports_indirect)) objc.set_supports_indirect(d.get(), 1);
  return d;
}

}  // namespace

Owned compile_pipeline(const Session& session, const std::string& source, const std::string& name) {
  const Objc& objc = session.objc;
  const Pool pool(objc);
  const Owned options = strict_options(objc);
  Object* error = nullptr;
  const auto check = [&](const Owned& made) {
    if (made) return;
    refused_source(session.device_name, "kernel " + name, "Metal says", objc.reason(error), source,
                   ".metal");
  };
  const Owned library(objc,
                      objc.new_library(session.device, objc.string(source), options.get(), &error));
  check(library);
  const Owned function(objc, objc.new_function(library.get(), objc.string(name)));
  check(function);
  const Owned described = described_pipeline(objc, function.get());
  Owned pipeline(objc, objc.new_pipeline(session.device, described.get(), 0, nullptr, &error));
  check(pipeline);
  return pipeline;
}

MetalProgram::MetalProgram(const Session& session, Owned pipeline, const LinearKernel& kernel,
                           const Target& target)
    : session_(session), pipeline_(std::move(pipeline)), shape_(kernel, target) {
  const auto most = static_cast<int64_t>(session_.objc.max_total_threads(pipeline_.get()));
  if (shape_.group_size() <= most) return;
  user_error<DeviceError>(
      "compile",
      fmt::format("{} has groups of {} work-items, and {} runs at most {} of this kernel",
                  shape_.name(), shape_.group_size(), session_.device_name, most));
}

Dispatch MetalProgram::dispatch(std::span<void* const> buffers,
                                std::span<const int64_t> vars) const {
  return {bind_handles(shape_, session_.allocator, buffers, vars), shape_.name(), pipeline_.get()};
}

void MetalProgram::launch(std::span<void* const> buffers, std::span<const int64_t> vars) {
  session_.queue.launch({dispatch(buffers, vars)});
}

}  // namespace tg::metal
