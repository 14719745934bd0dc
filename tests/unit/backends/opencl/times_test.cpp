// How long kernels ran: the sum of what the driver's events say, on a driver of our own, and on
// real devices something that fits between nothing and what the host's clock saw.
#include <chrono>

#include "../../renderer/kernels.h"
#include "device_run.h"

namespace tg::testing {
namespace {

using namespace tg::opencl;

// A driver whose event e ran from 100 e ns for 10 e ns.
struct Times {
  static inline bool knows = true, waits = true, backwards = false;
  static inline std::vector<int64_t> released;
  static int64_t number(Event* e) { return reinterpret_cast<int64_t>(e); }
  static Status wait(uint32_t, Event* const*) { return waits ? kSuccess : -5; }
  static Status ask(Event* e, uint32_t what, size_t, void* to, size_t*) {
    if (!knows) return -7;
    const bool is_end = what == 0x1283;
    *static_cast<uint64_t*>(to) =
        static_cast<uint64_t>((is_end != backwards ? 110 : 100) * number(e));
    return kSuccess;
  }
  static Status release(Event* e) {
    released.push_back(number(e));
    return kSuccess;
  }
  static Api api() {
    knows = waits = true;
    backwards = false;
    released.clear();
    Api a{};
    a.WaitForEvents = wait;
    a.GetEventProfilingInfo = ask;
    a.ReleaseEvent = release;
    return a;
  }
};

Event* event(int64_t number) { return reinterpret_cast<Event*>(number); }

TEST(OpenClClock, AddsUpWhatTheEventsSayAndReleasesThem) {
  const Api api = Times::api();
  {
    LaunchClock clock(api);
    EXPECT_EQ(LaunchClock::current(), &clock);
    clock.add(event(3));
    clock.add(event(5));
    ASSERT_TRUE(clock.seconds().has_value());
    EXPECT_NEAR(*clock.seconds(), 80e-9, 1e-15);
  }
  EXPECT_EQ(LaunchClock::current(), nullptr);
  EXPECT_EQ(Times::released, (std::vector<int64_t>{3, 5}));
}

TEST(OpenClClock, HasNoTimesIfTheDriverHasNone) {
  for (bool* what : {&Times::knows, &Times::waits}) {
    const Api api = Times::api();
    *what = false;
    LaunchClock clock(api);
    clock.add(event(1));
    EXPECT_FALSE(clock.seconds().has_value());
  }
}

TEST(OpenClClock, DoesNotBelieveAnEndBeforeTheStart) {
  const Api api = Times::api();
  Times::backwards = true;
  LaunchClock clock(api);
  clock.add(event(1));
  EXPECT_FALSE(clock.seconds().has_value());
}

TEST(OpenClClock, OfADeviceCountsTheKernelAndNotTheWay) {
  TG_NEEDS_OPENCL();
  using Clock = std::chrono::steady_clock;
  Device& d = device("OPENCL");
  const LinearKernel k = row_sum();
  const Ref<Program> program = d.compile({&k, 1})[0].program;
  const OnDevice arguments(d, Contents(2, std::vector<char>(1024)));
  for (int i = 0; i < 20; ++i) {
    const auto begin = Clock::now();
    const double seconds = d.timed({program.get(), arguments.pointers(), {}});
    const double by_host = std::chrono::duration<double>(Clock::now() - begin).count();
    EXPECT_GT(seconds, 0);
    EXPECT_LT(seconds, by_host);
    EXPECT_EQ(LaunchClock::current(), nullptr);
  }
}

TEST(OpenClClock, IsGoneWhenALaunchFails) {
  TG_NEEDS_OPENCL();
  Device& d = device("OPENCL");
  const LinearKernel k = row_sum();
  const Ref<Program> program = d.compile({&k, 1})[0].program;
  EXPECT_THROW(d.timed({program.get(), {}, {}}), InternalError);
  EXPECT_EQ(LaunchClock::current(), nullptr);
}

}  // namespace
}  // namespace tg::testing
