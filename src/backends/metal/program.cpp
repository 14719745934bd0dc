// See program.h.
#include "backends/metal/program.h"

#include <fmt/format.h>

#include <algorithm>

#include "support/check.h"
#include "support/file.h"
#include "support/hash.h"
#include "support/options.h"
#include "support/text.h"

namespace tg::metal {
namespace {

constexpr int kShownErrorLines = 8;

std::string first_lines(const std::string& text) {
  std::string out;
  int shown = 0;
  for (std::string_view line : split(text, '\n')) {
    if (trim(line).empty()) continue;
    if (shown++ == kShownErrorLines) return out + "\n  ...";
    out += fmt::format("\n  {}", line);
  }
  return out;
}

std::string keep_source(const std::string& source) {
  const std::filesystem::path kept = std::filesystem::path(options().temp_dir) /
                                     fmt::format("tg-failed-{}.metal", hash_bytes(source).hex());
  return try_write_file(kept, source) ? fmt::format("The source is kept in {}.", kept.string())
                                      : "The source could not be kept.";
}

// No option that loosens values. The first is what the second was called before macOS 15.
Owned strict_options(const Objc& objc) {
  Owned options(objc, objc.send<Object*>(objc.class_of("MTLCompileOptions"), Message::New));
  objc.send(options.get(), Message::SetFastMathEnabled, uint8_t{0});
  if (objc.responds(options.get(), Message::SetMathMode))
    objc.send(options.get(), Message::SetMathMode, kMathModeSafe);
  return options;
}

int64_t groups_of(const LinearKernel& kernel, const Target& target) {
  const int64_t worthwhile = kernel.chunks / std::max<int64_t>(kernel.least_chunks, 1);
  const int64_t most = target.max_groups > 0 ? target.max_groups : worthwhile;
  return std::clamp<int64_t>(worthwhile, 1, std::max<int64_t>(most, 1));
}

}  // namespace

Owned compile_pipeline(const Session& session, const std::string& source, const std::string& name) {
  const Objc& objc = session.objc;
  const Pool pool(objc);
  const Owned options = strict_options(objc);
  Object* error = nullptr;
  const auto check = [&](const Owned& made) {
    if (made) return;
    user_error<DeviceError>("compile",
                            fmt::format("{} cannot compile kernel {}:{}", session.device_name, name,
                                        first_lines(objc.reason(error))),
                            keep_source(source));
  };
  const Owned library(objc, objc.send<Object*>(session.device, Message::NewLibrary,
                                               objc.string(source), options.get(), &error));
  check(library);
  const Owned function(objc,
                       objc.send<Object*>(library.get(), Message::NewFunction, objc.string(name)));
  check(function);
  Owned pipeline(objc,
                 objc.send<Object*>(session.device, Message::NewPipeline, function.get(), &error));
  check(pipeline);
  return pipeline;
}

MetalProgram::MetalProgram(const Session& session, Owned pipeline, const LinearKernel& kernel,
                           const Target& target)
    : session_(session),
      name_(kernel.name),
      pipeline_(std::move(pipeline)),
      buffers_(kernel.params.size()),
      vars_(kernel.vars.size()),
      chunks_(kernel.chunks),
      chunk_limit_(kernel.chunk_limit),
      groups_(groups_of(kernel, target)),
      items_(kernel.items) {
  const auto most =
      static_cast<int64_t>(session_.objc.send<uint64_t>(pipeline_.get(), Message::MaxTotalThreads));
  if (items_ <= most) return;
  user_error<DeviceError>(
      "compile", fmt::format("{} has groups of {} items, and {} runs at most {} of this kernel",
                             name_, items_, session_.device_name, most));
}

std::optional<Dispatch> MetalProgram::dispatch(std::span<void* const> buffers,
                                               std::span<const int64_t> vars) const {
  TG_CHECK(buffers.size() == buffers_ && vars.size() == vars_,
           "{}: launched with {} buffers and {} variables, not {} and {}", name_, buffers.size(),
           vars.size(), buffers_, vars_);
  const int64_t chunks = chunks_for(vars, chunks_, chunk_limit_);
  if (chunks == 0) return {};
  Dispatch d{.name = name_,
             .pipeline = pipeline_.get(),
             .groups = std::min(groups_, chunks),
             .items = items_};
  d.buffers.reserve(buffers.size());
  for (const void* b : buffers) d.buffers.push_back(session_.allocator.place(b));
  d.numbers.assign(vars.begin(), vars.end());
  d.numbers.push_back(chunks);
  return d;
}

void MetalProgram::launch(std::span<void* const> buffers, std::span<const int64_t> vars) {
  if (const auto d = dispatch(buffers, vars)) session_.queue.launch({&*d, 1});
}

}  // namespace tg::metal
