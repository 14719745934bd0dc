// See program.h.
#include "backends/opencl/program.h"

#include <fmt/format.h>

#include "runtime/failed_source.h"
#include "support/check.h"

namespace tg::opencl {
namespace {

thread_local LaunchClock* clock_of_thread = nullptr;

std::vector<int64_t> element_sizes(const LinearKernel& kernel) {
  std::vector<int64_t> bytes(kernel.params.size(), 1);
  for (const UOp& u : kernel.ops) {
    if (!u.is(Op::Param)) continue;
    const auto slot = static_cast<size_t>(u.arg(0));
    if (slot < bytes.size()) bytes[slot] = dtype_size(u.dtype());
  }
  return bytes;
}

}  // namespace

// ---- building
ProgramObject* Builder::from_binary(const std::string& binary) const {
  const Api& api = session_.api;
  const auto* bytes = reinterpret_cast<const unsigned char*>(binary.data());
  const size_t size = binary.size();
  Status loaded = kSuccess, status = kSuccess;
  ProgramObject* p = api.CreateProgramWithBinary(session_.context, 1, &session_.device.id, &size,
                                                 &bytes, &loaded, &status);
  if (status != kSuccess || p == nullptr) return nullptr;
  if (loaded == kSuccess &&
      api.BuildProgram(p, 1, &session_.device.id, options_.c_str(), nullptr, nullptr) == kSuccess)
    return p;
  api.ReleaseProgram(p);
  return nullptr;
}

// Empty if the driver gives none.
std::string Builder::binary_of(ProgramObject* program) const {
  size_t size = 0;
  if (session_.api.GetProgramInfo(program, kBinarySizes, sizeof size, &size, nullptr) != kSuccess)
    return {};
  std::string binary(size, '\0');
  char* to = binary.data();
  if (session_.api.GetProgramInfo(program, kBinaries, sizeof to, &to, nullptr) != kSuccess)
    return {};
  return binary;
}

void Builder::fail(ProgramObject* program, Status status, const std::string& source,
                   const std::string& what) const {
  const Api& api = session_.api;
  const std::string log = text([&](size_t n, void* to, size_t* size) {
    return api.GetProgramBuildInfo(program, session_.device.id, kBuildLog, n, to, size);
  });
  api.ReleaseProgram(program);
  refused_source(session_.device.name, what, status_name(status), log, source, ".cl");
}

ProgramObject* Builder::build(const std::string& source, const std::string& what) const {
  if (const auto binary = cache_.find(source)) {
    if (ProgramObject* p = from_binary(*binary)) return p;
  }
  const Api& api = session_.api;
  const char* source_text = source.data();
  const size_t size = source.size();
  Status status = kSuccess;
  ProgramObject* p = api.CreateProgramWithSource(session_.context, 1, &source_text, &size, &status);
  check(status, "clCreateProgramWithSource");
  status = api.BuildProgram(p, 1, &session_.device.id, options_.c_str(), nullptr, nullptr);
  if (status != kSuccess) fail(p, status, source, what);
  if (const std::string binary = binary_of(p); !binary.empty()) cache_.store(source, binary);
  return p;
}

// ---- times
LaunchClock::LaunchClock(const Api& api) : api_(api) { clock_of_thread = this; }

LaunchClock::~LaunchClock() {
  clock_of_thread = nullptr;
  for (Event* e : events_) api_.ReleaseEvent(e);
}

LaunchClock* LaunchClock::current() { return clock_of_thread; }

// The queue may be drained before a driver has written an event's times, so events are waited for.
std::optional<double> LaunchClock::seconds() const {
  double sum = 0;
  for (Event* e : events_) {
    uint64_t begin = 0, end = 0;
    const auto ask = [&](uint32_t what, uint64_t& to) {
      return api_.GetEventProfilingInfo(e, what, sizeof to, &to, nullptr) == kSuccess;
    };
    if (api_.WaitForEvents(1, &e) != kSuccess || !ask(kCommandStart, begin) ||
        !ask(kCommandEnd, end) || end < begin)
      return {};
    sum += static_cast<double>(end - begin) * 1e-9;
  }
  return sum;
}

// ---- running
ClProgram::ClProgram(const Session& session, ProgramObject* program, const LinearKernel& kernel,
                     const Target& target)
    : session_(session),
      shape_(kernel, target),
      program_(program),
      element_bytes_(element_sizes(kernel)),
      scratch_bytes_(opencl_scratch_bytes(kernel, session.machine)) {
  Status status = kSuccess;
  kernel_ = session_.api.CreateKernel(program_, shape_.name().c_str(), &status);
  if (status == kSuccess) return;
  session_.api.ReleaseProgram(program_);
  check(status, "clCreateKernel of " + shape_.name());
}

ClProgram::~ClProgram() {
  if (session_.allocator.opened_in.crossed()) return;
  session_.api.ReleaseKernel(kernel_);
  session_.api.ReleaseProgram(program_);
}

template <typename T>
void ClProgram::argument(uint32_t place, const T& value) {
  const Status status = session_.api.SetKernelArg(kernel_, place, sizeof value, &value);
  if (status != kSuccess) check(status, fmt::format("{}: clSetKernelArg {}", shape_.name(), place));
}

void ClProgram::launch(std::span<void* const> buffers, std::span<const int64_t> vars) {
  const HandleLaunch l = bind_handles(shape_, session_.allocator, buffers, vars);
  if (l.chunks() == 0) return;
  const std::lock_guard guard(lock_);
  uint32_t next = 0;
  for (size_t i = 0; i < l.buffers.size(); ++i) {
    const BlockPlace& p = l.buffers[i];
    TG_CHECK(p.offset % element_bytes_[i] == 0, "{}: buffer {} starts inside an element",
             shape_.name(), i);
    argument(next++, p.handle);
    argument(next++, p.offset / element_bytes_[i]);
  }
  for (int64_t n : l.numbers) argument(next++, n);
  if (scratch_bytes_ == 0) return enqueue(l.groups);
  // Given back at once: what is queued later comes later.
  const Allocation scratch = session_.allocator.allocate(scratch_bytes_ * l.groups);
  argument(next, session_.allocator.place(scratch.data).handle);
  session_.allocator.free(scratch);
  enqueue(l.groups);
}

void ClProgram::enqueue(int64_t groups) {
  const Api& api = session_.api;
  const auto local = static_cast<size_t>(shape_.group_size()),
             global = static_cast<size_t>(groups) * local;
  LaunchClock* const clock = LaunchClock::current();
  Event* event = nullptr;
  const auto queue = [&] {
    return api.EnqueueNDRangeKernel(session_.allocator.queue(), kernel_, 1, nullptr, &global,
                                    &local, 0, nullptr, clock == nullptr ? nullptr : &event);
  };
  Status status = queue();
  if (is_out_of_memory(status) && session_.allocator.release_cached() > 0) status = queue();
  if (event != nullptr) clock->add(event);
  if (status == kSuccess) status = api.Flush(session_.queue);
  if (status == kSuccess) return;
  user_error<DeviceError>(
      "launch", fmt::format("OPENCL cannot run {}: {}; {} groups of {} work-items, {} bytes in use",
                            shape_.name(), status_name(status), groups, shape_.group_size(),
                            session_.allocator.bytes_in_use()));
}

}  // namespace tg::opencl
