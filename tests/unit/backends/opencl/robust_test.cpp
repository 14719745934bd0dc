// What goes wrong: no memory, a kernel that does not compile, a damaged cache, settings that name
// nothing. Where hardware would be needed, the driver is a table of functions of our own.
#include <filesystem>

#include "../../renderer/kernels.h"
#include "device_run.h"
#include "support/device_error.h"
#include "support/options.h"

namespace tg::testing {
namespace {

using namespace tg::opencl;

// A driver with room for a few buffers.
struct SmallMemory {
  static inline int64_t room = 0, held = 0, created = 0;
  static Memory* create(Context*, uint64_t, size_t bytes, void*, Status* status) {
    const auto n = static_cast<int64_t>(bytes);
    *status = held + n > room ? -4 : kSuccess;
    if (*status != kSuccess) return nullptr;
    held += n;
    ++created;
    return reinterpret_cast<Memory*>(n);
  }
  static Status release(Memory* m) {
    held -= reinterpret_cast<int64_t>(m);
    return kSuccess;
  }
  static Api api() {
    Api a{};
    a.CreateBuffer = create;
    a.ReleaseMemObject = release;
    return a;
  }
  explicit SmallMemory(int64_t bytes) {
    room = bytes;
    held = created = 0;
  }
};

TEST(OpenClMemory, ReusesWhatWasGivenBack) {
  SmallMemory driver(4096);
  const Api api = SmallMemory::api();
  BufferAllocator memory(api, nullptr, nullptr, 1 << 20);
  memory.free(memory.allocate(1000));
  memory.free(memory.allocate(1000));
  EXPECT_EQ(SmallMemory::created, 1);
  EXPECT_EQ(memory.bytes_in_use(), 0);
  EXPECT_GT(memory.bytes_cached(), 0);
}

TEST(OpenClMemory, GivesTheCacheBackBeforeItFails) {
  SmallMemory driver(4096);
  const Api api = SmallMemory::api();
  BufferAllocator memory(api, nullptr, nullptr, 1 << 20);
  memory.free(memory.allocate(1024));
  memory.free(memory.allocate(2048));
  const Allocation all = memory.allocate(4096);
  EXPECT_EQ(memory.bytes_cached(), 0);
  EXPECT_EQ(SmallMemory::held, 4096);
  memory.free(all);
}

TEST(OpenClMemory, FailsWithAllSizes) {
  SmallMemory driver(4096);
  const Api api = SmallMemory::api();
  BufferAllocator memory(api, nullptr, nullptr, 1 << 20);
  const Allocation some = memory.allocate(2048);
  const std::string text = test::device_error([&] { memory.allocate(4096); });
  EXPECT_EQ(text,
            "allocate: OPENCL has no memory left: 4096 bytes asked for, 2048 in use, 0 cached, at "
            "most 1048576 in one block. Hint: use a smaller batch, or free tensors that are no "
            "longer needed.");
  memory.free(some);
}

TEST(OpenClMemory, RefusesMoreThanOneBufferHolds) {
  SmallMemory driver(int64_t{1} << 40);
  const Api api = SmallMemory::api();
  BufferAllocator memory(api, nullptr, nullptr, 1 << 20);
  EXPECT_NE(
      test::device_error([&] { memory.allocate((1 << 20) + 1); }).find("1048577 bytes asked for"),
      std::string::npos);
  EXPECT_EQ(SmallMemory::created, 0);
}

TEST(OpenClMemory, FindsTheBufferAndTheByteThatAnAddressMeans) {
  SmallMemory driver(1 << 20);
  const Api api = SmallMemory::api();
  BufferAllocator memory(api, nullptr, nullptr, 1 << 20);
  const Allocation a = memory.allocate(1024), b = memory.allocate(2048);
  const BlockPlace inside = memory.place(static_cast<char*>(b.data) + 640);
  EXPECT_EQ(inside.handle, memory.place(b.data).handle);
  EXPECT_NE(inside.handle, memory.place(a.data).handle);
  EXPECT_EQ(inside.offset, 640);
  EXPECT_EQ(memory.place(nullptr).handle, nullptr);
  memory.free(b);
  EXPECT_THROW(memory.place(b.data), InternalError);
  EXPECT_THROW(memory.free(b), InternalError);
  memory.free(a);
}

// A kernel whose text no compiler takes.
LinearKernel broken() {
  LinearKernel k = row_sum();
  k.name = "no identifier";
  return k;
}

TEST(OpenClCompiler, KeepsTheSourceOfWhatItCannotCompile) {
  TG_NEEDS_OPENCL();
  const LinearKernel k = broken();
  const std::string text = test::device_error([&] { device("OPENCL").compile({&k, 1}); });
  EXPECT_NE(text.find("cannot compile kernel no identifier: CL_BUILD_PROGRAM_FAILURE"),
            std::string::npos)
      << text;
  const size_t at = text.find("The source is kept in "), end = text.find(".cl", at);
  ASSERT_NE(end, std::string::npos) << text;
  const std::filesystem::path kept = text.substr(at + 22, end + 3 - at - 22);
  EXPECT_TRUE(std::filesystem::exists(kept)) << kept;
  std::filesystem::remove(kept);
}

TEST(OpenClCompiler, LeavesTheDeviceUsableWhenAKernelFails) {
  TG_NEEDS_OPENCL();
  const std::vector<LinearKernel> two = {row_sum(), broken()};
  Device& d = device("OPENCL");
  EXPECT_THROW(d.compile(two), DeviceError);
  EXPECT_EQ(d.compile({two.data(), 1}).size(), 1u);
}

TEST(OpenClCompiler, BuildsAgainWhatADamagedCacheHolds) {
  TG_NEEDS_OPENCL();
  const TempDir folder("tg-opencl-cache");
  Options o = options();
  o.cache_dir = folder.path().string();
  const OptionsScope scope(o);
  const LinearKernel k = lane_moves();
  Device& d = device("OPENCL");
  d.compile({&k, 1});
  int entries = 0;
  for (const auto& file : std::filesystem::recursive_directory_iterator(folder.path())) {
    if (!file.is_regular_file()) continue;
    ++entries;
    write_file(file.path(), "no binary");
  }
  EXPECT_EQ(entries, 1);
  EXPECT_EQ(d.compile({&k, 1}).size(), 1u);
}

TEST(OpenClSettings, AreADeviceAndWhetherThereAreWorkItems) {
  EXPECT_EQ(choice_text(parse_choice("0")), "");
  EXPECT_EQ(choice_text(parse_choice("1")), "1");
  EXPECT_EQ(choice_text(parse_choice("0:work_items")), "WORK_ITEMS");
  EXPECT_EQ(choice_text(parse_choice("2:WORK_ITEMS")), "2:WORK_ITEMS");
  EXPECT_NE(
      test::device_error([] { parse_choice("fast"); }).find("[:INDEX][:WORK_ITEMS], got \"fast\""),
      std::string::npos);
}

TEST(OpenClSettings, OfADeviceThatIsNotThereListThoseThatAre) {
  TG_NEEDS_OPENCL();
  const std::string text = test::device_error([] { device("OPENCL:99"); });
  EXPECT_NE(text.find("there is no device 99: 0 "), std::string::npos) << text;
}

TEST(OpenClDevice, NeverStandsInForTheDefault) {
  Options o = options();
  o.device.clear();
  const OptionsScope scope(o);
  if (!test::device_error([] { device("CPU"); }).starts_with("no "))
    GTEST_SKIP() << "needs the CPU";
  EXPECT_EQ(default_device(), "CPU");
}

}  // namespace
}  // namespace tg::testing
