// The dry run: counts launches, touches nothing, checks the number of arguments.
#include "backends/null/null_device.h"

#include <gtest/gtest.h>

#include "interp_run.h"

namespace tg {
namespace {

using test::LinearBuilder;

LinearKernel writes_one() {
  LinearBuilder k("writes");
  UOp to = k.out(DType::Int32, 1);
  k.store(to, k.c(0), k.c(Scalar::of_int(1, DType::Int32)));
  return k.kernel();
}

TEST(Null, LaunchesAreCountedAndWriteNothing) {
  null::NullDevice d;
  const std::vector<LinearKernel> kernels = {writes_one(), writes_one()};
  std::vector<CompiledKernel> compiled = d.compile(kernels);
  ASSERT_EQ(compiled.size(), 2u);
  int32_t value = 7;
  void* p = &value;
  compiled[0].program->launch({&p, 1}, {});
  compiled[1].program->launch({&p, 1}, {});
  compiled[1].program->launch({&p, 1}, {});
  EXPECT_EQ(d.launches(), 3);
  EXPECT_EQ(value, 7);
}

TEST(Null, ABatchIsOneLaunch) {
  null::NullDevice d;
  const std::vector<LinearKernel> kernels = {writes_one()};
  const CompiledKernel compiled = d.compile(kernels)[0];
  void* p = nullptr;
  const std::vector<Call> calls(3, {compiled.program.get(), {&p, 1}, {}});
  d.launch(calls);
  EXPECT_EQ(d.launches(), 1);
  const std::vector<Call> wrong = {calls[0], {compiled.program.get(), {}, {}}};
  EXPECT_THROW(d.launch(wrong), InternalError);
}

TEST(Null, WrongNumberOfBuffersIsRefused) {
  null::NullDevice d;
  const std::vector<LinearKernel> kernels = {writes_one()};
  std::vector<CompiledKernel> compiled = d.compile(kernels);
  EXPECT_THROW(compiled[0].program->launch({}, {}), InternalError);
  EXPECT_EQ(d.launches(), 0);
}

TEST(Null, SourceNamesTheKernel) {
  null::NullDevice d;
  const std::vector<LinearKernel> kernels = {writes_one()};
  EXPECT_EQ(d.compile(kernels)[0].source, "// writes: not compiled\n");
}

TEST(Null, NoKernelsIsFine) {
  null::NullDevice d;
  EXPECT_TRUE(d.compile({}).empty());
}

TEST(Null, MemoryLargerThanTheMachinesCanBeAllocated) {
  null::NullDevice d;
  Allocation a = d.allocator().allocate(int64_t{1} << 40);
  EXPECT_NE(a.data, nullptr);
  EXPECT_GE(d.allocator().bytes_in_use(), int64_t{1} << 40);
  d.allocator().free(a);
  d.allocator().release_cached();
}

TEST(Null, DevicesHaveNumbersAndShareNothing) {
  Device &first = device("NULL"), &second = device("null:1");
  EXPECT_EQ(second.name(), "NULL:1");
  EXPECT_EQ(&device("NULL:0"), &first);
  Allocation a = second.allocator().allocate(4096);
  EXPECT_EQ(first.allocator().bytes_in_use(), 0);
  second.allocator().free(a);
  second.allocator().release_cached();
  EXPECT_THROW(device("NULL:x"), DeviceError);
}

TEST(Null, SupportsEverything) {
  null::NullDevice d;
  EXPECT_TRUE(d.target().ops.all());
  EXPECT_TRUE(d.target().dtypes.all());
  EXPECT_EQ(d.name(), "NULL");
}

}  // namespace
}  // namespace tg
