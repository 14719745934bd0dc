// The caching allocator: alignment, size classes, reuse, counting, poison, exhaustion, threads.
#include "runtime/host_allocator.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <thread>

#include "tg/error.h"

#include "support/device_error.h"

namespace tg {
namespace {

constexpr int64_t kMiB = 1 << 20;

class HostAllocatorSize : public testing::TestWithParam<int64_t> {};

TEST_P(HostAllocatorSize, BlockIsLargeEnoughAndItsClassIsAFixedPoint) {
  const int64_t size = HostAllocator::block_size(GetParam());
  EXPECT_GE(size, GetParam());
  EXPECT_EQ(size % 64, 0);
  EXPECT_EQ(HostAllocator::block_size(size), size);
}

TEST_P(HostAllocatorSize, SlackIsBounded) {
  const int64_t n = GetParam(), size = HostAllocator::block_size(n);
  const int64_t unit = n > 7 * kMiB / 4 ? 2 * kMiB : 64;
  EXPECT_LE(size - n, std::max(unit, n / 4));
}

TEST_P(HostAllocatorSize, BlockIsAlignedAndWritableToTheLastByte) {
  HostAllocator a("TEST");
  const int64_t n = GetParam();
  Allocation block = a.allocate(n);
  EXPECT_EQ(block.bytes, n);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(block.data) % (n >= 2 * kMiB ? 2 * kMiB : 64), 0u);
  if (n > 0) {
    static_cast<char*>(block.data)[0] = 1;
    static_cast<char*>(block.data)[n - 1] = 2;
  }
  a.free(block);
}

TEST_P(HostAllocatorSize, FreedBlockIsHandedOutAgain) {
  HostAllocator a("TEST");
  Allocation first = a.allocate(GetParam());
  a.free(first);
  Allocation second = a.allocate(GetParam());
  EXPECT_EQ(first.data, second.data);
  EXPECT_EQ(a.bytes_cached(), 0);
  a.free(second);
}

TEST_P(HostAllocatorSize, CountsGoUpAndDown) {
  HostAllocator a("TEST");
  EXPECT_EQ(a.bytes_in_use(), 0);
  Allocation block = a.allocate(GetParam());
  const int64_t size = HostAllocator::block_size(GetParam());
  EXPECT_EQ(a.bytes_in_use(), size);
  a.free(block);
  EXPECT_EQ(a.bytes_in_use(), 0);
  EXPECT_EQ(a.bytes_cached(), size);
  EXPECT_EQ(a.release_cached(), size);
  EXPECT_EQ(a.bytes_cached(), 0);
  EXPECT_EQ(a.release_cached(), 0);
}

INSTANTIATE_TEST_SUITE_P(Sizes, HostAllocatorSize,
                         testing::Values(0, 1, 63, 64, 65, 100, 1000, 4096, 4097, 100'000,
                                         7 * kMiB / 4, 7 * kMiB / 4 + 1, 2 * kMiB - 1, 2 * kMiB,
                                         2 * kMiB + 1, 5 * kMiB, 33 * kMiB, 100 * kMiB + 12345));

TEST(HostAllocator, ClassesNeverShrinkAsRequestsGrow) {
  int64_t last = 0;
  for (int64_t n = 0; n < 10 * kMiB; n += 997) {
    EXPECT_GE(HostAllocator::block_size(n), last) << n;
    last = HostAllocator::block_size(n);
  }
}

TEST(HostAllocator, TwoBlocksInUseAreDisjoint) {
  HostAllocator a("TEST");
  Allocation x = a.allocate(1000), y = a.allocate(1000);
  std::memset(x.data, 1, 1000);
  std::memset(y.data, 2, 1000);
  EXPECT_EQ(static_cast<char*>(x.data)[999], 1);
  a.free(x);
  a.free(y);
}

TEST(HostAllocator, SmallerRequestOfAnotherClassDoesNotTakeALargeBlock) {
  HostAllocator a("TEST");
  Allocation large = a.allocate(64 * kMiB);
  a.free(large);
  Allocation small = a.allocate(3 * kMiB);
  EXPECT_NE(small.data, large.data);
  a.free(small);
}

TEST(HostAllocator, FreshLargeBlockReadsAsZero) {
  HostAllocator a("TEST");
  Allocation block = a.allocate(4 * kMiB);
  const auto* bytes = static_cast<const unsigned char*>(block.data);
  for (int64_t i = 0; i < block.bytes; i += 4096) ASSERT_EQ(bytes[i], 0);
  a.free(block);
}

TEST(HostAllocator, PoisonFillsNewBlocks) {
  HostAllocator a("TEST", {.poison = true});
  Allocation block = a.allocate(100);
  for (int i = 0; i < 100; ++i) ASSERT_EQ(static_cast<unsigned char*>(block.data)[i], 0xA5);
  a.free(block);
}

TEST(HostAllocator, PoisonWipesReusedBlocks) {
  HostAllocator a("TEST", {.poison = true});
  Allocation block = a.allocate(100);
  std::memset(block.data, 7, 100);
  a.free(block);
  block = a.allocate(100);
  for (int i = 0; i < 100; ++i) ASSERT_EQ(static_cast<unsigned char*>(block.data)[i], 0xA5);
  a.free(block);
}

TEST(HostAllocator, WithoutPoisonReusedBlocksKeepTheirBytes) {
  HostAllocator a("TEST");
  Allocation block = a.allocate(100);
  std::memset(block.data, 7, 100);
  a.free(block);
  block = a.allocate(100);
  EXPECT_EQ(static_cast<unsigned char*>(block.data)[50], 7);
  a.free(block);
}

TEST(HostAllocator, OutOfMemoryNamesDeviceAndBytes) {
  HostAllocator a("TEST");
  Allocation used = a.allocate(64);
  Allocation cached = a.allocate(128);
  a.free(cached);
  EXPECT_EQ(test::device_error([&] { a.allocate(int64_t{1} << 61); }),
            "allocate: TEST has no memory left: 2305843009213693952 bytes asked for, 64 in use, "
            "128 cached. Hint: use a "
            "smaller batch, or free tensors that are no longer needed.");
  a.free(used);
}

TEST(HostAllocator, ExhaustionReleasesTheCacheBeforeItGivesUp) {
  HostAllocator a("TEST");
  a.free(a.allocate(4 * kMiB));
  EXPECT_EQ(a.bytes_cached(), 4 * kMiB);
  EXPECT_THROW(a.allocate(int64_t{1} << 58), DeviceError);
  EXPECT_EQ(a.bytes_cached(), 0);
}

TEST(HostAllocator, NegativeSizeIsRefused) {
  HostAllocator a("TEST");
  EXPECT_THROW(a.allocate(-1), DeviceError);
}

TEST(HostAllocator, WorksAfterAnExhaustion) {
  HostAllocator a("TEST");
  EXPECT_THROW(a.allocate(int64_t{1} << 58), DeviceError);
  Allocation block = a.allocate(10);
  EXPECT_NE(block.data, nullptr);
  a.free(block);
}

TEST(HostAllocator, DoubleFreeIsReported) {
  HostAllocator a("TEST");
  Allocation block = a.allocate(10);
  a.free(block);
  EXPECT_THROW(a.free(block), InternalError);
}

TEST(HostAllocator, ForeignBlockIsReported) {
  HostAllocator a("TEST");
  int x = 0;
  EXPECT_THROW(a.free({&x, 4}), InternalError);
}

TEST(HostAllocator, FreeingNothingIsFine) {
  HostAllocator a("TEST");
  a.free({});
  EXPECT_EQ(a.bytes_cached(), 0);
}

TEST(HostAllocator, CopiesInAndOut) {
  HostAllocator a("TEST");
  Allocation block = a.allocate(16);
  const std::vector<int32_t> in = {1, 2, 3, 4};
  std::vector<int32_t> out(4);
  a.copy_in(block, in.data(), 16);
  a.copy_out(out.data(), block, 16);
  EXPECT_EQ(in, out);
  EXPECT_THROW(a.copy_in(block, in.data(), 17), InternalError);
  EXPECT_THROW(a.copy_out(out.data(), block, 17), InternalError);
  a.free(block);
}

TEST(HostAllocator, ManyThreadsNeverShareABlock) {
  HostAllocator a("TEST");
  std::vector<std::thread> threads;
  std::atomic<int> damaged{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&a, &damaged, t] {
      for (int i = 0; i < 500; ++i) {
        Allocation block = a.allocate(64 * (1 + i % 7));
        std::memset(block.data, t, static_cast<size_t>(block.bytes));
        for (int64_t b = 0; b < block.bytes; ++b) damaged += static_cast<char*>(block.data)[b] != t;
        a.free(block);
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(damaged, 0);
  EXPECT_EQ(a.bytes_in_use(), 0);
}

}  // namespace
}  // namespace tg
