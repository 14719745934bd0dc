// What several backends are made of: devices with numbers, lost devices, kernels on disk, arguments
// as words and as handles, and memory that is staged or shared with the host.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <deque>

#include "runtime/argument_words.h"
#include "runtime/compile_each.h"
#include "runtime/entry_points.h"
#include "runtime/found_library.h"
#include "runtime/handle_launch.h"
#include "runtime/kernel_cache.h"
#include "runtime/lost_device.h"
#include "runtime/mapped_allocator.h"
#include "runtime/numbered_devices.h"
#include "runtime/staged_allocator.h"
#include "support/device_error.h"
#include "support/file.h"
#include "support/options.h"

namespace tg {
namespace {

// ---- names
TEST(DeviceNumbers, AreBelowAThousand) {
  EXPECT_EQ(parse_device_number("0"), 0);
  EXPECT_EQ(parse_device_number("999"), 999);
  for (const char* wrong : {"", "-1", "1000", "1x", "0x1", "first"})
    EXPECT_EQ(parse_device_number(wrong), std::nullopt) << wrong;
  EXPECT_EQ(test::device_error([] { needed_device_number("SOME", "1x"); }),
            "SOME: takes [:INDEX], got \"1x\". Hint: DEV=SOME:1 is the second device.");
}

TEST(DeviceNumbers, StandInNamesButThatOfTheFirst) {
  EXPECT_EQ(device_name("SOME", device_number_text(0)), "SOME");
  EXPECT_EQ(device_name("SOME", device_number_text(2)), "SOME:2");
}

TEST(DeviceNumbers, WithoutADeviceListThoseThatAreThere) {
  const std::vector<std::string> names = {"one", "two"};
  EXPECT_NO_THROW(check_device_number("SOME", 1, names));
  EXPECT_EQ(test::device_error([&] { check_device_number("SOME", 2, names); }),
            "SOME: there is no device 2: 0 one, 1 two.");
  EXPECT_EQ(test::device_error([] { check_device_number("SOME", 0, {}); }),
            "SOME: there is no device 0: none at all.");
}

// ---- libraries
TEST(EntryPoints, NameTheFirstThatIsMissing) {
  const std::string_view names[] = {"libc.so.6"};
  const DynamicLibrary library = DynamicLibrary::find(names);
  if (!library) GTEST_SKIP() << "another C library";
  EntryPoints points(library);
  int (*absolute)(int) = nullptr;
  void (*none)() = &std::abort;
  points.find("abs", absolute);
  EXPECT_EQ(points.missing(), "");
  points.find("no_such_function", none);
  points.find("nor_this", none);
  EXPECT_EQ(points.missing(), "no_such_function");
  EXPECT_EQ(none, nullptr);
  EXPECT_EQ(absolute(-3), 3);
}

TEST(FoundLibrary, IsWhatWasOpenedOrSaysWhyNot) {
  const auto open = [](const std::string& path) {
    return std::make_unique<const std::string>(path);
  };
  const auto fails = [](const std::string& path) -> std::unique_ptr<const std::string> {
    throw DeviceError(path + " is broken");
  };
  const FoundLibrary<std::string> there("lib.so", "install it", open);
  EXPECT_EQ(*there.library, "lib.so");
  EXPECT_EQ(there.problem, "");
  const FoundLibrary<std::string> missing("", "install it", open);
  EXPECT_EQ(missing.library, nullptr);
  EXPECT_EQ(missing.problem, "install it");
  EXPECT_EQ(FoundLibrary<std::string>("lib.so", "install it", fails).problem, "lib.so is broken");
}

// ---- lost devices
TEST(LostDevice, SaysAtEveryCallWhatHappenedFirst) {
  LostDevice lost("SOME");
  EXPECT_NO_THROW(lost.check());
  EXPECT_EQ(test::device_error([&] { lost.lose("it broke", "Hint: buy another."); }),
            "SOME: the device is lost: it broke. Hint: buy another.");
  test::device_error([&] { lost.lose("it is gone", ""); });
  EXPECT_EQ(test::device_error([&] { lost.check(); }),
            "SOME: the device was lost before: it broke. Hint: start the process again.");
}

// ---- compiling
std::vector<LinearKernel> kernels_called(const std::vector<std::string>& names) {
  std::vector<LinearKernel> kernels(names.size());
  for (size_t i = 0; i < names.size(); ++i) kernels[i].name = names[i];
  return kernels;
}

TEST(CompileEach, KeepsTheOrder) {
  const std::vector<LinearKernel> kernels = kernels_called({"a", "b", "c", "d"});
  const auto out = compile_each(
      kernels, [](const LinearKernel& k) { return CompiledKernel{.source = "text of " + k.name}; });
  ASSERT_EQ(out.size(), 4u);
  EXPECT_EQ(out[0].source, "text of a");
  EXPECT_EQ(out[3].source, "text of d");
}

TEST(CompileEach, ThrowsWhatAKernelThrows) {
  const std::vector<LinearKernel> kernels = kernels_called({"a", "b"});
  EXPECT_EQ(test::device_error([&] {
              compile_each(kernels, [](const LinearKernel& k) -> CompiledKernel {
                if (k.name == "b") throw DeviceError("b is refused");
                return {};
              });
            }),
            "b is refused");
}

TEST(KernelCache, IsOfOneCompilerAndOneSource) {
  const TempDir folder("tg-kernel-cache");
  Options o = options();
  o.cache_dir = folder.path().string();
  const OptionsScope scope(o);
  const KernelCache one("compiler 1"), two("compiler 2");
  one.store("source", "code");
  EXPECT_EQ(KernelCache("compiler 1").find("source"), "code");
  EXPECT_EQ(one.find("other source"), std::nullopt);
  EXPECT_EQ(two.find("source"), std::nullopt);
}

// ---- memory
// Memory of the host that counts as a device's. Copies are done when they are queued.
class NotingMemory final : public StagedAllocator {
 public:
  NotingMemory() : StagedAllocator("SOME", int64_t{64} << 20) {}
  ~NotingMemory() override { release_cached(); }
  std::vector<size_t> taken;

 protected:
  void* create(int64_t bytes) override { return new char[static_cast<size_t>(bytes)]; }
  void destroy(void* handle) override { delete[] static_cast<char*>(handle); }
  char* take(size_t half) override {
    taken.push_back(half);
    halves_[half].resize(kHalf);
    return halves_[half].data();
  }
  void queue_write(uint64_t to, size_t, const char* memory, int64_t bytes) override {
    std::memcpy(reinterpret_cast<void*>(to), memory, static_cast<size_t>(bytes));
  }
  void queue_read(char* memory, size_t, uint64_t from, int64_t bytes) override {
    std::memcpy(memory, reinterpret_cast<const void*>(from), static_cast<size_t>(bytes));
  }

 private:
  std::string halves_[2];
};

class StagedBytes : public testing::TestWithParam<int64_t> {};

TEST_P(StagedBytes, ComeBackAsTheyWere) {
  NotingMemory memory;
  std::string bytes(static_cast<size_t>(GetParam()), '\0');
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 31 + i / 4096);
  const Allocation a = memory.allocate(GetParam() + 64);
  const Allocation part{static_cast<char*>(a.data) + 64, GetParam()};
  memory.copy_in(part, bytes.data(), GetParam());
  std::string back(bytes.size(), 'x');
  memory.copy_out(back.data(), part, GetParam());
  EXPECT_TRUE(back == bytes);
  memory.free(a);
}

INSTANTIATE_TEST_SUITE_P(Sizes, StagedBytes,
                         testing::Values(0, 1, StagedAllocator::kHalf - 1, StagedAllocator::kHalf,
                                         StagedAllocator::kHalf + 1,
                                         3 * StagedAllocator::kHalf + 5));

TEST(StagedMemory, ReadsAPieceWhileTheOneBeforeIsTakenOut) {
  NotingMemory memory;
  const Allocation a = memory.allocate(3 * StagedAllocator::kHalf);
  std::string bytes(static_cast<size_t>(a.bytes), 'a');
  memory.copy_in(a, bytes.data(), a.bytes);
  EXPECT_EQ(memory.taken, (std::vector<size_t>{0, 1, 0}));
  memory.taken.clear();
  memory.copy_out(bytes.data(), a, a.bytes);
  EXPECT_EQ(memory.taken, (std::vector<size_t>{0, 1, 0, 0, 1, 0}));
  memory.free(a);
}

// Handles that are no addresses, as numbers of strings.
class SharedMemory final : public MappedAllocator {
 public:
  SharedMemory() : MappedAllocator("SOME", 1 << 20) {}
  ~SharedMemory() override { release_cached(); }
  int waits = 0;

 protected:
  void* create(int64_t bytes) override {
    blocks_.emplace_back(static_cast<size_t>(bytes), '\0');
    return reinterpret_cast<void*>(blocks_.size());
  }
  void destroy(void*) override {}
  void wait() override { ++waits; }
  char* mapped(void* handle) const override {
    return blocks_[reinterpret_cast<size_t>(handle) - 1].data();
  }

 private:
  mutable std::deque<std::string> blocks_;
};

TEST(MappedMemory, IsCopiedByTheHostOnceTheDeviceIsDone) {
  SharedMemory memory;
  const Allocation a = memory.allocate(100);
  memory.copy_in({static_cast<char*>(a.data) + 10, 5}, "bytes", 5);
  EXPECT_EQ(memory.waits, 1);
  std::string back(5, ' ');
  memory.copy_out(back.data(), {static_cast<char*>(a.data) + 10, 5}, 5);
  EXPECT_EQ(memory.waits, 2);
  EXPECT_EQ(back, "bytes");
  memory.free(a);
}

TEST(HandleMemory, CountsTheBlocksThatAreGone) {
  SharedMemory memory;
  memory.free(memory.allocate(100));
  memory.free(memory.allocate(5000));
  EXPECT_EQ(memory.destroyed(), 0u) << "they are kept";
  memory.release_cached();
  EXPECT_EQ(memory.destroyed(), 2u);
}

// ---- launches
LinearKernel of_eight_chunks() {
  LinearKernel k;
  k.name = "k";
  k.params.resize(2);
  k.vars.resize(1);
  k.chunks = 8;
  k.chunk_limit = ChunkLimit{.terms = {{0, 1}}};
  k.group_size = 4;
  return k;
}

TEST(HandleLaunch, HoldsBlocksVariablesAndChunks) {
  SharedMemory memory;
  const LaunchShape shape(of_eight_chunks(), Target{});
  const Allocation a = memory.allocate(100), b = memory.allocate(100);
  const std::vector<void*> buffers = {b.data, static_cast<char*>(a.data) + 4};
  const HandleLaunch l = bind_handles(shape, memory, buffers, std::vector<int64_t>{3});
  EXPECT_EQ(l.buffers[0], memory.place(b.data));
  EXPECT_EQ(l.buffers[1].handle, memory.place(a.data).handle);
  EXPECT_EQ(l.buffers[1].offset, 4);
  EXPECT_EQ(l.numbers, (std::vector<int64_t>{3, 3}));
  EXPECT_EQ(l.groups, 3);
  EXPECT_EQ(l.group_size, 4);
  const HandleLaunch nothing = bind_handles(shape, memory, buffers, std::vector<int64_t>{0});
  EXPECT_EQ(nothing.chunks(), 0);
  EXPECT_EQ(nothing.groups, 1);
  EXPECT_THROW(bind_handles(shape, memory, {}, std::vector<int64_t>{1}), InternalError);
  memory.free(a);
  memory.free(b);
}

TEST(ArgumentWords, AreAddressesVariablesAndOneNumberMore) {
  int x = 0;
  const std::vector<void*> buffers = {&x};
  const std::vector<int64_t> vars = {-5};
  ArgumentWords made({nullptr, buffers, vars}, 7);
  ArgumentWords words = std::move(made);
  EXPECT_EQ(words.last(), 7);
  const auto word = [&](size_t i) { return *static_cast<const int64_t*>(words.pointers()[i]); };
  EXPECT_EQ(word(0), reinterpret_cast<intptr_t>(&x));
  EXPECT_EQ(word(1), -5);
  EXPECT_EQ(word(2), 7);
}

}  // namespace
}  // namespace tg
