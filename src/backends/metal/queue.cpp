// See queue.h.
#include "backends/metal/queue.h"

#include <fmt/format.h>

#include <algorithm>

#include "support/check.h"

namespace tg::metal {
namespace {

/// A command buffer is handed over at this many kernels at the latest, for each costs as much as
/// several kernels; and at the first when the device has nothing to do.
constexpr int kMostKernels = 32;
constexpr Size kNothing{.width = 0, .height = 0, .depth = 0};

// By the codes of MTLCommandBufferError.
std::string_view advice(int64_t code) {
  switch (code) {
    case 2:  // Timeout
      return "Hint: the kernel ran for longer than the system allows; use smaller tensors, or "
             "realize parts of the expression.";
    case 3:  // PageFault
    case 9:  // InvalidResource
      return "Hint: VALIDATE_WITH_CPU=1 finds the kernel that reads or writes outside its arrays.";
    case 4:  // AccessRevoked
      return "Hint: the system has barred this process from the device after errors; start it "
             "anew.";
    case 7:  // NotPermitted
      return "Hint: a process in the background may not use the device.";
    case 8:  // OutOfMemory
      return "Hint: use a smaller batch, or free tensors that are no longer needed.";
    case 11:  // DeviceRemoved
      return "Hint: the device is gone with its memory; start the program anew on another.";
    default:
      return "Hint: the device's memory may be damaged; start the program anew.";
  }
}

}  // namespace

Queue::Queue(const Objc& objc, Object* device, std::string device_name)
    : objc_(objc),
      device_name_(std::move(device_name)),
      queue_(objc, objc.send<Object*>(device, Message::NewCommandQueue)) {
  if (!queue_)
    user_error<DeviceError>("METAL", fmt::format("{} gives no command queue", device_name_));
}

Queue::~Queue() {
  const Pool pool(objc_);
  commit();
  for (const Batch& b : running_) objc_.send(b.commands.get(), Message::WaitUntilCompleted);
}

uint64_t Queue::status(const Batch& batch) const {
  return objc_.send<uint64_t>(batch.commands.get(), Message::Status);
}

void Queue::begin() {
  if (open_.commands) return;
  open_.commands =
      Owned::retained(objc_, objc_.send<Object*>(queue_.get(), Message::CommandBuffer));
  encoder_ = Owned::retained(
      objc_, objc_.send<Object*>(open_.commands.get(), Message::ComputeCommandEncoder,
                                 kDispatchConcurrent));
  open_.number = ++last_number_;
  if (encoder_) return;
  open_ = {};
  user_error<DeviceError>("launch", fmt::format("{} takes no more commands", device_name_));
}

void Queue::commit() {
  if (!open_.commands) return;
  objc_.send(encoder_.get(), Message::EndEncoding);
  encoder_.reset();
  objc_.send(open_.commands.get(), Message::Commit);
  running_.push_back(std::move(open_));
  open_ = {};
}

void Queue::forget_completed() {
  while (!running_.empty() && status(running_.front()) >= kStatusCompleted) {
    if (status(running_.front()) == kStatusError) wait_all();
    count_time(running_.front());
    running_.pop_front();
  }
}

void Queue::encode(const Dispatch& d) {
  Object* const e = encoder_.get();
  objc_.send(e, Message::SetPipeline, d.pipeline);
  uint64_t index = 0;
  for (const BlockPlace& b : d.buffers)
    objc_.send(e, Message::SetBuffer, static_cast<Object*>(b.handle),
               static_cast<uint64_t>(b.offset), index++);
  objc_.send(e, Message::SetBytes, static_cast<const void*>(d.numbers.data()),
             static_cast<uint64_t>(std::span(d.numbers).size_bytes()), index);
  objc_.send(e, Message::Dispatch, Size{.width = static_cast<uint64_t>(d.groups)},
             Size{.width = static_cast<uint64_t>(d.items)});
  if (open_.kernels++ == 0) open_.first = d.name;
}

void Queue::launch(std::span<const Dispatch> together) {
  if (together.empty()) return;
  const std::lock_guard guard(lock_);
  const Pool pool(objc_);
  forget_completed();
  begin();
  if (open_.kernels > 0) objc_.send(encoder_.get(), Message::MemoryBarrier, kBarrierBuffers);
  for (const Dispatch& d : together) encode(d);
  if (open_.kernels >= kMostKernels || running_.empty()) commit();
}

uint64_t Queue::launch(const Recorded& r) {
  const std::lock_guard guard(lock_);
  const Pool pool(objc_);
  forget_completed();
  begin();
  Object* const e = encoder_.get();
  const auto barrier = [&] { objc_.send(e, Message::MemoryBarrier, kBarrierBuffers); };
  if (open_.kernels > 0) barrier();
  objc_.send(e, Message::UseResources, r.resources.data(), uint64_t{r.resources.size()},
             kReadAndWritten);
  for (Object* pipeline : r.pipelines) {
    objc_.send(e, Message::SetPipeline, pipeline);
    objc_.send(e, Message::Dispatch, kNothing, kNothing);
  }
  for (const Range& part : r.parts) {
    if (&part != r.parts.data()) barrier();
    objc_.send(e, Message::ExecuteIndirect, r.commands, part);
    if (open_.kernels == 0) open_.first = r.name;
    open_.kernels += static_cast<int>(part.count);
  }
  const uint64_t number = open_.number;
  commit();
  return number;
}

void Queue::count_time(const Batch& batch) {
  const auto at = [&](Message m) { return objc_.send<double>(batch.commands.get(), m); };
  seconds_ += std::max(at(Message::GpuEndTime) - at(Message::GpuStartTime), 0.0);
}

double Queue::timed(FunctionRef<void()> launch) {
  const auto seconds_so_far = [&] {
    const std::lock_guard guard(lock_);
    const Pool pool(objc_);
    wait_all();
    return seconds_;
  };
  const double before = seconds_so_far();
  launch();
  return seconds_so_far() - before;
}

void Queue::submit() {
  const std::lock_guard guard(lock_);
  const Pool pool(objc_);
  commit();
}

void Queue::wait() {
  const std::lock_guard guard(lock_);
  const Pool pool(objc_);
  wait_all();
}

void Queue::wait_for(uint64_t number) {
  const std::lock_guard guard(lock_);
  const Pool pool(objc_);
  while (!running_.empty() && running_.front().number <= number) {
    objc_.send(running_.front().commands.get(), Message::WaitUntilCompleted);
    forget_completed();
  }
}

void Queue::wait_all() {
  commit();
  const std::deque<Batch> waited = std::exchange(running_, {});
  for (const Batch& b : waited) {
    objc_.send(b.commands.get(), Message::WaitUntilCompleted);
    count_time(b);
  }
  const auto failed =
      std::ranges::find_if(waited, [&](const Batch& b) { return status(b) == kStatusError; });
  if (failed != waited.end()) fail(*failed);
}

void Queue::fail(const Batch& batch) {
  auto* error = objc_.send<Object*>(batch.commands.get(), Message::Error);
  const auto code = objc_.send<int64_t>(error, Message::Code);
  const std::string others =
      batch.kernels > 1 ? fmt::format(" or one of the {} behind it", batch.kernels - 1) : "";
  user_error<DeviceError>("METAL",
                          fmt::format("{} stopped in kernel {}{}: {} (error {})", device_name_,
                                      batch.first, others, objc_.reason(error), code),
                          std::string(advice(code)));
}

}  // namespace tg::metal
