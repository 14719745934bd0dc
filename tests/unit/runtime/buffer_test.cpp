// Buffers: lazy allocation, release with the last reference, checked copies.
#include "runtime/buffer.h"

#include <gtest/gtest.h>

#include "support/symbol.h"
#include "tg/error.h"
#include "tg/ir/uop.h"

namespace tg {
namespace {

Device& test_device() { return device("NULL"); }

TEST(Buffer, AllocatesOnFirstUse) {
  const int64_t before = test_device().allocator().bytes_in_use();
  Ref<Buffer> b = make_ref<Buffer>(test_device(), 1000);
  EXPECT_FALSE(b->allocated());
  EXPECT_EQ(test_device().allocator().bytes_in_use(), before);
  EXPECT_NE(b->data(), nullptr);
  EXPECT_TRUE(b->allocated());
  EXPECT_GE(test_device().allocator().bytes_in_use(), before + 1000);
}

TEST(Buffer, KeepsItsAddress) {
  Ref<Buffer> b = make_ref<Buffer>(test_device(), 10);
  void* p = b->data();
  EXPECT_EQ(b->data(), p);
  EXPECT_EQ(b->allocation().data, p);
  EXPECT_EQ(b->allocation().bytes, 10);
}

TEST(Buffer, LastReferenceGivesTheMemoryBack) {
  const int64_t before = test_device().allocator().bytes_in_use();
  {
    Ref<Buffer> b = make_ref<Buffer>(test_device(), 5000);
    Ref<Buffer> other = b;
    b->data();
    b = {};
    EXPECT_GT(test_device().allocator().bytes_in_use(), before);
  }
  EXPECT_EQ(test_device().allocator().bytes_in_use(), before);
}

TEST(Buffer, GraphNodeKeepsTheMemory) {
  const int64_t before = test_device().allocator().bytes_in_use();
  {
    Ref<Buffer> b = make_ref<Buffer>(test_device(), 64);
    b->data();
    UOp node = buffer({16}, DType::Float32, static_cast<DeviceId>(intern_symbol("NULL")), b.get());
    b = {};
    EXPECT_GT(test_device().allocator().bytes_in_use(), before);
  }
  EXPECT_EQ(test_device().allocator().bytes_in_use(), before);
}

TEST(Buffer, UnusedBufferNeverAllocates) {
  const int64_t before = test_device().allocator().bytes_in_use();
  {
    Ref<Buffer> b = make_ref<Buffer>(test_device(), int64_t{1} << 50);
  }
  EXPECT_EQ(test_device().allocator().bytes_in_use(), before);
}

TEST(Buffer, OfZeroBytesHasAnAddress) {
  Ref<Buffer> b = make_ref<Buffer>(test_device(), 0);
  EXPECT_NE(b->data(), nullptr);
  b->copy_in(nullptr, 0);
  b->copy_out(nullptr, 0);
}

TEST(Buffer, CopiesRoundTrip) {
  Ref<Buffer> b = make_ref<Buffer>(test_device(), 12);
  const std::vector<float> in = {1, 2, 3};
  std::vector<float> out(3);
  b->copy_in(in.data(), 12);
  b->copy_out(out.data(), 12);
  EXPECT_EQ(in, out);
}

TEST(Buffer, PartOfItCanBeCopied) {
  Ref<Buffer> b = make_ref<Buffer>(test_device(), 12);
  const std::vector<float> in = {1, 2, 3};
  float first = 0;
  b->copy_in(in.data(), 12);
  b->copy_out(&first, 4);
  EXPECT_EQ(first, 1);
}

TEST(Buffer, CopyBeyondTheEndIsRefused) {
  Ref<Buffer> b = make_ref<Buffer>(test_device(), 4);
  int64_t word = 0;
  EXPECT_THROW(b->copy_in(&word, 8), InternalError);
  EXPECT_THROW(b->copy_out(&word, 8), InternalError);
  EXPECT_THROW(b->copy_in(&word, -1), InternalError);
}

TEST(Buffer, TooLargeForTheMachineIsADeviceError) {
  Ref<Buffer> b = make_ref<Buffer>(test_device(), int64_t{1} << 59);
  EXPECT_THROW(b->data(), DeviceError);
  EXPECT_FALSE(b->allocated());
}

TEST(Buffer, StartsAtVersionZero) {
  EXPECT_EQ(make_ref<Buffer>(test_device(), 4)->executed_version(), 0);
}

}  // namespace
}  // namespace tg
