// See queue.h.
#include "backends/metal/queue.h"

#include <fmt/format.h>

#include <algorithm>

#include "support/check.h"

namespace tg::metal {
namespace {

constexpr int kMostKernels = 32;  // of a command buffer

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
    : BatchedQueue(kMostKernels),
      objc_(objc),
      device_name_(std::move(device_name)),
      queue_(objc, objc.send<Object*>(device, Message::NewCommandQueue)) {
  if (!queue_)
    user_error<DeviceError>("METAL", fmt::format("{} gives no command queue", device_name_));
}

void Queue::within(FunctionRef<void()> work) {
  const Pool pool(objc_);
  work();
}

Commands Queue::begin() {
  Commands c;
  c.buffer = Owned::retained(objc_, objc_.send<Object*>(queue_.get(), Message::CommandBuffer));
  c.encoder = Owned::retained(
      objc_,
      objc_.send<Object*>(c.buffer.get(), Message::ComputeCommandEncoder, kDispatchConcurrent));
  if (c.encoder) return c;
  user_error<DeviceError>("launch", fmt::format("{} takes no more commands", device_name_));
}

void Queue::hand_over(Commands& c) {
  objc_.send(c.encoder.get(), Message::EndEncoding);
  c.encoder.reset();
  objc_.send(c.buffer.get(), Message::Commit);
}

Queue::State Queue::state(const Commands& c) const {
  const auto status = objc_.send<uint64_t>(c.buffer.get(), Message::Status);
  if (status < kStatusCompleted) return State::Running;
  return status == kStatusError ? State::Failed : State::Done;
}

void Queue::wait_until_done(const Commands& c) const {
  objc_.send(c.buffer.get(), Message::WaitUntilCompleted);
}

double Queue::seconds(const Commands& c) const {
  const auto at = [&](Message m) { return objc_.send<double>(c.buffer.get(), m); };
  return std::max(at(Message::GpuEndTime) - at(Message::GpuStartTime), 0.0);
}

void Queue::fail(const Commands& c, const std::string& kernels) const {
  auto* error = objc_.send<Object*>(c.buffer.get(), Message::Error);
  const auto code = objc_.send<int64_t>(error, Message::Code);
  user_error<DeviceError>("METAL",
                          fmt::format("{} stopped in kernel {}: {} (error {})", device_name_,
                                      kernels, objc_.reason(error), code),
                          advice(code));
}

void Queue::barrier(Object* encoder) const {
  objc_.send(encoder, Message::MemoryBarrier, kBarrierBuffers);
}

void Queue::encode(Object* encoder, const Dispatch& d) const {
  objc_.send(encoder, Message::SetPipeline, d.pipeline);
  uint64_t index = 0;
  for (const BlockPlace& b : d.buffers)
    objc_.send(encoder, Message::SetBuffer, static_cast<Object*>(b.handle),
               static_cast<uint64_t>(b.offset), index++);
  objc_.send(encoder, Message::SetBytes, static_cast<const void*>(d.numbers.data()),
             static_cast<uint64_t>(std::span(d.numbers).size_bytes()), index);
  objc_.send(encoder, Message::Dispatch, Size{.width = static_cast<uint64_t>(d.groups)},
             Size{.width = static_cast<uint64_t>(d.items)});
}

void Queue::launch(std::span<const Dispatch> together) {
  if (together.empty()) return;
  write(together[0].name, static_cast<int>(together.size()), false,
        [&](const Commands& c, bool is_first) {
          if (!is_first) barrier(c.encoder.get());
          for (const Dispatch& d : together) encode(c.encoder.get(), d);
        });
}

uint64_t Queue::launch(std::string_view first_name, int kernels,
                       FunctionRef<void(Object* encoder)> encode) {
  return write(first_name, kernels, true, [&](const Commands& c, bool is_first) {
    if (!is_first) barrier(c.encoder.get());
    encode(c.encoder.get());
  });
}

}  // namespace tg::metal
