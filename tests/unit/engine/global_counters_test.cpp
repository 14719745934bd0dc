// The public totals: they follow what runs, and start again.
#include <gtest/gtest.h>
#include <tg/jit.h>
#include <tg/tg.h>

#include "support/file.h"
#include "support/options.h"
#include "support/profile.h"

namespace tg {
namespace {

class Counters : public testing::Test {
 protected:
  Counters() : scope_(on_cpu()) {}
  static Options on_cpu() {
    Options o = options();
    o.device = "CPU";
    return o;
  }

 private:
  const OptionsScope scope_;
};

TEST_F(Counters, CountLaunchesArithmeticAndTraffic) {
  const Tensor x = (Tensor::ones({64, 32}) + 1).realize();
  GlobalCounters::reset();
  (x * 3).realize();
  const GlobalCounters c = GlobalCounters::read();
  EXPECT_EQ(c.kernels, 1);
  EXPECT_EQ(c.launches, 1);
  EXPECT_EQ(c.ops, 64 * 32);
  EXPECT_EQ(c.bytes, 2 * 64 * 32 * 4);
}

TEST_F(Counters, TellDevicesApart) {
  const Tensor x = (Tensor::ones({64}) + 1).realize();
  GlobalCounters::reset();
  (x * 3).realize();
  (x.to("INTERP") + 1).realize();
  EXPECT_EQ(GlobalCounters::kernels_on("CPU"), 1);
  EXPECT_EQ(GlobalCounters::kernels_on("INTERP"), 2) << "the copy and the sum";
  EXPECT_EQ(GlobalCounters::kernels_on("NULL"), 0);
  EXPECT_EQ(GlobalCounters::read().kernels, 3);
  GlobalCounters::reset();
  EXPECT_EQ(GlobalCounters::kernels_on("CPU"), 0);
}

TEST_F(Counters, CountReplaysByDevice) {
  TinyJit step([](const Tensor& x) { return (x * 2).contiguous(); });
  const Tensor x = (Tensor::ones({64}) + 1).realize();
  for (int i = 0; i < 4; ++i) step(x).realize();
  GlobalCounters::reset();
  step(x).realize();
  EXPECT_EQ(GlobalCounters::kernels_on("CPU"), GlobalCounters::read().kernels);
  EXPECT_GT(GlobalCounters::kernels_on("CPU"), 0);
}

TEST_F(Counters, StartAgainFromZero) {
  (Tensor::ones({8}) + 1).realize();
  GlobalCounters::reset();
  const GlobalCounters c = GlobalCounters::read();
  EXPECT_EQ(c.kernels, 0);
  EXPECT_EQ(c.launches, 0);
  EXPECT_EQ(c.ops, 0);
  EXPECT_EQ(c.bytes, 0);
  EXPECT_EQ(c.seconds, 0);
  EXPECT_EQ(c.peak_memory, c.memory_in_use);
}

TEST_F(Counters, RememberTheMostMemoryAtOnce) {
  constexpr int64_t kElements = 1 << 20;
  const Tensor before = (Tensor::ones({4}) + 1).realize();
  GlobalCounters::reset();
  const int64_t start = GlobalCounters::read().memory_in_use;
  {
    const Tensor large = (Tensor::ones({kElements}) + 1).realize();
    EXPECT_GE(GlobalCounters::read().memory_in_use, start + 4 * kElements);
  }
  const GlobalCounters after = GlobalCounters::read();
  EXPECT_EQ(after.memory_in_use, start);
  EXPECT_GE(after.peak_memory, start + 4 * kElements);
  EXPECT_LE(after.peak_memory, start + 8 * kElements);
}

TEST_F(Counters, TimeLaunchesWhileProfiling) {
  const TempDir dir;
  const std::string file = (dir.path() / "trace.json").string();
  Options profiled = options();
  profiled.profile = file;
  const OptionsScope scope(profiled);
  GlobalCounters::reset();
  (Tensor::ones({5, 7, 11}) * 2 + 5).exp().sum().realize();
  EXPECT_GT(GlobalCounters::read().seconds, 0);
  write_profiles();
  const std::string trace = read_file(file);
  for (const char* category : {"schedule", "lower", "compile", "run"}) {
    EXPECT_NE(trace.find("\"cat\": \"" + std::string(category) + "\""), std::string::npos)
        << category;
  }
}

}  // namespace
}  // namespace tg
