// See queue.h.
#include "backends/metal/queue.h"

#include <fmt/format.h>

#include <algorithm>

#include "support/check.h"

namespace tg::metal {
namespace {

constexpr int kMostKernels = 32;  // of a command buffer

std::string_view advice(int64_t code) {
  const auto row = std::ranges::find(kCommandAdvice, code, &CommandAdvice::code);
  return row == kCommandAdvice.end() ? kOtherAdvice : row->advice;
}

}  // namespace

Queue::Queue(const Objc& objc, Object* device, std::string device_name)
    : BatchedQueue(kMostKernels),
      objc_(objc),
      device_name_(std::move(device_name)),
      queue_(objc, objc.new_command_queue(device)) {
  if (!queue_)
    user_error<DeviceError>("METAL", fmt::format("{} gives no command queue", device_name_));
}

void Queue::within(FunctionRef<void()> work) {
  const Pool pool(objc_);
  work();
}

Commands Queue::begin() {
  Commands c;
  c.buffer = Owned::retained(objc_, objc_.command_buffer(queue_.get()));
  c.encoder =
      Owned::retained(objc_, objc_.compute_command_encoder(c.buffer.get(), kDispatchConcurrent));
  if (c.encoder) return c;
  user_error<DeviceError>("launch", fmt::format("{} takes no more commands", device_name_));
}

void Queue::hand_over(Commands& c) {
  objc_.end_encoding(c.encoder.get());
  c.encoder.reset();
  objc_.commit(c.buffer.get());
}

Queue::State Queue::state(const Commands& c) const {
  const auto status = objc_.status(c.buffer.get());
  if (status < kStatusCompleted) return State::Running;
  return status == kStatusError ? State::Failed : State::Done;
}

void Queue::wait_until_done(const Commands& c) const { objc_.wait_until_completed(c.buffer.get()); }

double Queue::seconds(const Commands& c) const {
  return std::max(objc_.gpu_end_time(c.buffer.get()) - objc_.gpu_start_time(c.buffer.get()), 0.0);
}

void Queue::fail(const Commands& c, const std::string& kernels) const {
  auto* error = objc_.error(c.buffer.get());
  const auto code = objc_.code(error);
  user_error<DeviceError>("METAL",
                          fmt::format("{} stopped in kernel {}: {} (error {})", device_name_,
                                      kernels, objc_.reason(error), code),
                          advice(code));
}

void Queue::barrier(Object* encoder) const { objc_.memory_barrier(encoder, kBarrierBuffers); }

void Queue::encode(Object* encoder, const Dispatch& d) const {
  objc_.set_pipeline(encoder, d.pipeline);
  uint64_t index = 0;
  for (const BlockPlace& b : d.buffers)
    objc_.set_buffer(encoder, static_cast<Object*>(b.handle), static_cast<uint64_t>(b.offset),
                     index++);
  objc_.set_bytes(encoder, d.numbers.data(), std::span(d.numbers).size_bytes(), index);
  objc_.dispatch(encoder, Size::line(d.groups), Size::line(d.group_size));
}

void Queue::launch(std::vector<Dispatch> together) {
  std::erase_if(together, [](const Dispatch& d) { return d.chunks() == 0; });
  if (together.empty()) return;
  launch(together[0].name, together.size(), false, [&](Object* encoder) {
    for (const Dispatch& d : together) encode(encoder, d);
  });
}

uint64_t Queue::launch(std::string_view first_name, size_t kernels, bool at_once,
                       FunctionRef<void(Object* encoder)> encode) {
  const auto in_batch = [&](const Commands& c, bool is_first) {
    if (!is_first) barrier(c.encoder.get());
    encode(c.encoder.get());
  };
  return write(first_name, static_cast<int>(kernels), at_once, in_batch);
}

}  // namespace tg::metal
