// See session.h.
#include "backends/cuda/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "support/check.h"

namespace tg::cuda {
namespace {

constexpr uint32_t kNonBlocking = 1;
constexpr uint32_t kWithTiming = 0;

// After these no call on the context succeeds: it was destroyed, the memory broke, a kernel crashed
// or ran too long.
bool spoils(Status s) {
  constexpr std::array kSpoiling = {4,   46,  201, 214, 220, 226, 700, kLaunchTimeout,
                                    709, 710, 714, 715, 716, 717, 718, 719};
  return std::ranges::find(kSpoiling, s) != kSpoiling.end();
}

std::string advice(Status s) {
  if (s == kLaunchTimeout) {
    return "Hint: a kernel ran longer than the driver lets it on a device that also drives a "
           "screen: make the problem smaller, or use another device. Start the process anew.";
  }
  if (s >= 700) {
    return "Hint: a kernel crashed. VALIDATE_WITH_CPU=1 names the one that differs from the CPU. "
           "Start the process anew: what was on the device is gone.";
  }
  return "Hint: `nvidia-smi` and `dmesg` say what happened to it. Start the process anew: what was "
         "on the device is gone.";
}

}  // namespace

// A mark in the stream that says when it was reached.
struct Session::Mark {
  explicit Mark(const Session& s) : session(s) {
    s.check(s.driver_.EventCreate(&event, kWithTiming), "cuEventCreate");
  }
  ~Mark() { session.driver_.EventDestroy(event); }
  Mark(const Mark&) = delete;
  Mark& operator=(const Mark&) = delete;
  void record() const {
    session.check(session.driver_.EventRecord(event, session.stream_), "cuEventRecord");
  }
  const Session& session;
  Event* event = nullptr;
};

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
  if (is_lost_.load(std::memory_order_acquire)) {
    const std::lock_guard guard(lock_);
    user_error<DeviceError>("CUDA", "the device was lost before: " + lost_,
                            "Hint: start the process anew.");
  }
  const Status s = driver_.CtxSetCurrent(context_);
  if (s != kSuccess) check(s, "cuCtxSetCurrent");
}

void Session::check(Status status, const std::string& what) const {
  if (status == kSuccess) return;
  if (spoils(status)) lose(status, what);
  user_error<DeviceError>("CUDA", fmt::format("{} failed: {}", what, status_text(driver_, status)));
}

void Session::lose(Status status, const std::string& what) const {
  std::string reason = fmt::format("{} failed: {}", what, status_text(driver_, status));
  {
    const std::lock_guard guard(lock_);
    if (lost_.empty()) lost_ = reason;
  }
  is_lost_.store(true, std::memory_order_release);
  user_error<DeviceError>("CUDA", "the device is lost: " + reason, advice(status));
}

void Session::synchronize() const {
  enter();
  check(driver_.StreamSynchronize(stream_), "cuStreamSynchronize");
}

double Session::timed(FunctionRef<void()> queue) const {
  enter();
  const Mark begin(*this), end(*this);
  begin.record();
  queue();
  end.record();
  check(driver_.EventSynchronize(end.event), "cuEventSynchronize");
  float milliseconds = 0;
  check(driver_.EventElapsedTime(&milliseconds, begin.event, end.event), "cuEventElapsedTime");
  return static_cast<double>(milliseconds) * 1e-3;
}

}  // namespace tg::cuda
