// Copies between devices: whose memory the host sees, whose it does not, in all pairs; and tensors
// that are moved by name.
#include <gtest/gtest.h>
#include <tg/tg.h>

#include <algorithm>
#include <numeric>

#include "engine/launch.h"
#include "runtime/host_allocator.h"
#include "support/options.h"

namespace tg {
namespace {

// Counts copies; `visible` is what it says of its memory.
class CountingAllocator final : public Allocator {
 public:
  explicit CountingAllocator(bool visible) : visible_(visible) {}
  Allocation allocate(int64_t bytes) override { return memory_.allocate(bytes); }
  void free(Allocation a) override { memory_.free(a); }
  bool host_visible() const override { return visible_; }
  void copy_in(Allocation to, const void* from, int64_t bytes) override {
    ++copies_in;
    memory_.copy_in(to, from, bytes);
  }
  void copy_out(void* to, Allocation from, int64_t bytes) override {
    ++copies_out;
    memory_.copy_out(to, from, bytes);
  }
  int64_t bytes_in_use() const override { return memory_.bytes_in_use(); }

  int copies_in = 0, copies_out = 0;

 private:
  bool visible_;
  HostAllocator memory_{"COUNTING"};
};

class CountingDevice final : public Device {
 public:
  explicit CountingDevice(bool visible) : memory(visible) {}
  const std::string& name() const override { return name_; }
  const Target& target() const override { return device("NULL").target(); }
  Allocator& allocator() override { return memory; }
  std::vector<CompiledKernel> compile(std::span<const LinearKernel>) override { return {}; }
  void synchronize() override { ++waits; }

  CountingAllocator memory;
  int waits = 0;

 private:
  const std::string name_ = "COUNTING";
};

// Copies `bytes` and checks them.
void copy(CountingDevice& to, CountingDevice& from, int64_t bytes) {
  std::vector<uint8_t> data(static_cast<size_t>(bytes)), got(data.size());
  std::iota(data.begin(), data.end(), uint8_t{3});
  auto source = make_ref<Buffer>(from, bytes), target = make_ref<Buffer>(to, bytes);
  source->copy_in(data.data(), bytes);
  from.memory.copies_in = 0;
  copy_between(to, target->allocation(), from, source->allocation());
  const int copies_out = to.memory.copies_out;
  target->copy_out(got.data(), bytes);
  to.memory.copies_out = copies_out;
  EXPECT_EQ(got, data);
  EXPECT_GE(from.waits, 1) << "the source may still be being written";
  EXPECT_GE(to.waits, 1) << "the target may still be being read";
}

TEST(CopyBetween, VisibleMemoriesIsOneCopy) {
  CountingDevice a(true), b(true);
  copy(a, b, 1000);
  EXPECT_EQ(a.memory.copies_in + a.memory.copies_out + b.memory.copies_in + b.memory.copies_out, 1);
}
TEST(CopyBetween, FromVisibleMemoryIsOneCopy) {
  CountingDevice hidden(false), visible(true);
  copy(hidden, visible, 1000);
  EXPECT_EQ(hidden.memory.copies_in, 1);
  EXPECT_EQ(visible.memory.copies_out, 0);
}
TEST(CopyBetween, ToVisibleMemoryIsOneCopy) {
  CountingDevice hidden(false), visible(true);
  copy(visible, hidden, 1000);
  EXPECT_EQ(hidden.memory.copies_out, 1);
  EXPECT_EQ(visible.memory.copies_in, 0);
}
TEST(CopyBetween, HiddenMemoriesGoesThroughTheHost) {
  CountingDevice a(false), b(false);
  copy(a, b, 1000);
  EXPECT_EQ(a.memory.copies_in, 1);
  EXPECT_EQ(b.memory.copies_out, 1);
}
TEST(CopyBetween, LargeHiddenMemoriesGoesInPieces) {
  CountingDevice a(false), b(false);
  copy(a, b, (int64_t{32} << 20) + 5);
  EXPECT_EQ(a.memory.copies_in, 3);
  EXPECT_EQ(b.memory.copies_out, 3);
}
TEST(CopyBetween, OfNothingIsNothing) {
  CountingDevice a(false), b(false);
  copy(a, b, 0);
  EXPECT_EQ(a.memory.copies_in, 0);
}

TEST(To, NamesTheSameDeviceByAnyOfItsNames) {
  const Tensor x = Tensor{1.f, 2.f}.to("interp");
  EXPECT_EQ(x.device(), "INTERP");
  EXPECT_EQ(x.to("INTERP").device(), "INTERP");
  EXPECT_EQ((x.to("Interp") + x).to_vector<float>(), (std::vector<float>{2, 4}));
}

TEST(To, MovesBetweenAllThatCompute) {
  std::vector<std::string> names = {"INTERP"};
  for (const char* name : {"CPU", "CPU:LLVM:generic", "CPU:CLANG:generic"}) {
    try {
      names.push_back(device(name).name());
    } catch (const DeviceError&) {
      continue;  // no such compiler here
    }
  }
  for (const std::string& from : names) {
    for (const std::string& to : names) {
      const Tensor x = Tensor(std::vector<float>{1, 2, 3}, {3}, {.device = from}) * 2;
      const Tensor y = x.to(to) + 1;
      EXPECT_EQ(y.device(), to);
      EXPECT_EQ(y.to_vector<float>(), (std::vector<float>{3, 5, 7})) << from << " to " << to;
    }
  }
}

TEST(To, RefusesWhatIsNoDevice) {
  EXPECT_THROW(Tensor({1.f}).to("TOASTER"), DeviceError);
  EXPECT_THROW(Tensor({1.f}).to("INTERP:3"), DeviceError);
  EXPECT_THROW(Tensor({1.f}).to("CPU:TOASTER"), DeviceError);
}

}  // namespace
}  // namespace tg
