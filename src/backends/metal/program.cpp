// See program.h.
#include "backends/metal/program.h"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/failed_source.h"
#include "support/check.h"

namespace tg::metal {
namespace {

// No option that loosens values. The first is what the second was called before macOS 15.
Owned strict_options(const Objc& objc) {
  Owned options(objc, objc.send<Object*>(objc.class_of("MTLCompileOptions"), Message::New));
  objc.send(options.get(), Message::SetFastMathEnabled, uint8_t{0});
  if (objc.responds(options.get(), Message::SetMathMode))
    objc.send(options.get(), Message::SetMathMode, kMathModeSafe);
  return options;
}

// One that recorded commands may name.
Owned described_pipeline(const Objc& objc, Object* function) {
  Owned d(objc, objc.send<Object*>(objc.class_of("MTLComputePipelineDescriptor"), Message::New));
  objc.send(d.get(), Message::SetFunction, function);
  if (objc.responds(d.get(), Message::SetSupportsIndirect))
    objc.send(d.get(), Message::SetSupportsIndirect, uint8_t{1});
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
  const Owned library(objc, objc.send<Object*>(session.device, Message::NewLibrary,
                                               objc.string(source), options.get(), &error));
  check(library);
  const Owned function(objc,
                       objc.send<Object*>(library.get(), Message::NewFunction, objc.string(name)));
  check(function);
  const Owned described = described_pipeline(objc, function.get());
  Owned pipeline(objc, objc.send<Object*>(session.device, Message::NewPipeline, described.get(),
                                          uint64_t{0}, static_cast<Object**>(nullptr), &error));
  check(pipeline);
  return pipeline;
}

MetalProgram::MetalProgram(const Session& session, Owned pipeline, const LinearKernel& kernel,
                           const Target& target)
    : session_(session), pipeline_(std::move(pipeline)), shape_(kernel, target) {
  const auto most =
      static_cast<int64_t>(session_.objc.send<uint64_t>(pipeline_.get(), Message::MaxTotalThreads));
  if (shape_.items() <= most) return;
  user_error<DeviceError>(
      "compile", fmt::format("{} has groups of {} items, and {} runs at most {} of this kernel",
                             shape_.name(), shape_.items(), session_.device_name, most));
}

Dispatch MetalProgram::dispatch(std::span<void* const> buffers,
                                std::span<const int64_t> vars) const {
  shape_.check(buffers, vars);
  const int64_t chunks = shape_.chunks(vars);
  Dispatch d{.name = shape_.name(),
             .pipeline = pipeline_.get(),
             .groups = std::max<int64_t>(shape_.groups(chunks), 1),
             .items = shape_.items()};
  d.buffers.reserve(buffers.size());
  for (const void* b : buffers) d.buffers.push_back(session_.allocator.place(b));
  d.numbers.assign(vars.begin(), vars.end());
  d.numbers.push_back(chunks);
  return d;
}

void MetalProgram::launch(std::span<void* const> buffers, std::span<const int64_t> vars) {
  const Dispatch d = dispatch(buffers, vars);
  if (d.has_work()) session_.queue.launch({&d, 1});
}

}  // namespace tg::metal
