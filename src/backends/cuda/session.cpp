// See session.h.
#include "backends/cuda/session.h"

#include <fmt/format.h>

#include <algorithm>

#include "support/check.h"

namespace tg::cuda {
namespace {

std::string advice(Status s) {
  if (s == kLaunchTimeout) {
    return "Hint: a kernel ran longer than the driver lets it on a device that also drives a "
           "screen: make the problem smaller, or use another device. Restart the process.";
  }
  if (s >= 700) {
    return "Hint: a kernel crashed. VALIDATE_WITH_CPU=1 names the one that differs from the CPU. "
           "Restart the process: what was on the device is gone.";
  }
  return "Hint: `nvidia-smi` and `dmesg` say what happened to it. Restart the process: what was "
         "on the device is gone.";
}

}  // namespace

Session::Session(const Driver& driver, int index)
    : driver_(driver), device_([&] {
        int device = 0;
        driver.DeviceGet(&device, index);
        return device;
      }()) {
  check(driver_.DevicePrimaryCtxRetain(&context_, device_), "cuDevicePrimaryCtxRetain");
  Status s = driver_.CtxSetCurrent(context_);
  if (s == kSuccess) s = driver_.StreamCreate(&stream_, kNonBlocking);
  if (s != kSuccess) driver_.DevicePrimaryCtxRelease(device_);
  check(s, "cuStreamCreate");
}

Session::~Session() {
  enter_quietly();
  driver_.StreamDestroy(stream_);
  driver_.DevicePrimaryCtxRelease(device_);
}

void Session::enter() const {
  lost_.check();
  const Status s = driver_.CtxSetCurrent(context_);
  if (s != kSuccess) check(s, "cuCtxSetCurrent");
}

void Session::check(Status status, const std::string& what) const {
  if (status == kSuccess) return;
  const std::string reason = fmt::format("{} failed: {}", what, status_text(driver_, status));
  if (std::ranges::find(kSpoiling, status) != kSpoiling.end()) lost_.lose(reason, advice(status));
  user_error<DeviceError>("CUDA", reason);
}

void Session::synchronize() const {
  enter();
  check(driver_.StreamSynchronize(stream_), "cuStreamSynchronize");
}

OwnedEvent Session::make_event(uint32_t flags) const {
  Event* event = nullptr;
  check(driver_.EventCreate(&event, flags), "cuEventCreate");
  return own<&Driver::EventDestroy>(event);
}

void Session::record(Event* event) const {
  check(driver_.EventRecord(event, stream_), "cuEventRecord");
}

double Session::timed(FunctionRef<void()> queue) const {
  enter();
  const OwnedEvent begin = make_event(kWithTiming), end = make_event(kWithTiming);
  record(begin.get());
  queue();
  record(end.get());
  check(driver_.EventSynchronize(end.get()), "cuEventSynchronize");
  float milliseconds = 0;
  check(driver_.EventElapsedTime(&milliseconds, begin.get(), end.get()), "cuEventElapsedTime");
  return static_cast<double>(milliseconds) * 1e-3;
}

}  // namespace tg::cuda
