// Every way in which a plug-in can be wrong ends in a DeviceError that names plug-in and function,
// and the process goes on.
#include <gtest/gtest.h>

#include "codegen/lower.h"
#include "plugin_test_util.h"
#include "support/options.h"
#include "tg/plugin/tg_backend.h"

namespace tg {
namespace {

struct FaultCase {
  const char* fault;
  std::string message;
};

std::string path_of(const std::string& fault) { return test::plugin_path("faulty_" + fault); }

std::string name_of(const testing::TestParamInfo<FaultCase>& info) { return info.param.fault; }

// "load_backend: "DIR/faulty_X.so": what".
std::string refused(const std::string& fault, const std::string& what) {
  return "load_backend: \"DIR/faulty_" + fault + ".so\": " + what;
}
// "F_X.entry: what (plug-in DIR/faulty_X.so)."
std::string failed(const std::string& fault, const std::string& entry, const std::string& what) {
  return "F_" + fault + "." + entry + ": " + what + " (plug-in DIR/faulty_" + fault + ".so).";
}

class FaultAtLoading : public testing::TestWithParam<FaultCase> {};

TEST_P(FaultAtLoading, IsRefusedByName) {
  const FaultCase& c = GetParam();
  EXPECT_EQ(test::message_of([&] { load_backend(path_of(c.fault)); }), refused(c.fault, c.message));
  // It left nothing behind: the second attempt says the same.
  EXPECT_EQ(test::message_of([&] { load_backend(path_of(c.fault)); }), refused(c.fault, c.message));
}

INSTANTIATE_TEST_SUITE_P(
    Plugin, FaultAtLoading,
    testing::Values(
        FaultCase{"WRONG_VERSION",
                  "it has version 2 of the interface, this library has version 1. Hint: build it "
                  "against the header of this library."},
        FaultCase{"RETURNS_NULL",
                  "tg_backend returned NULL: it does not serve version 1 of the interface, or "
                  "failed."},
        FaultCase{"SMALL_TABLE", "tg_backend_v1.struct_size is 24, version 1 has at least " +
                                     std::to_string(offsetof(tg_backend_v1, probe)) + "."},
        FaultCase{"NO_LAUNCH", "tg_backend_v1.launch is NULL."},
        FaultCase{"NO_RELEASE", "tg_backend_v1.release is NULL."},
        FaultCase{"NO_RECORD_EVENT",
                  "tg_backend_v1.record_event is NULL, but make_event is there: it needs all of "
                  "make_event, record_event, elapsed and forget_event, or none."},
        FaultCase{"NO_RUN_GRAPH",
                  "tg_backend_v1.run_graph is NULL, but make_graph is there: it needs all of "
                  "make_graph, set_call, run_graph and forget_graph, or none."},
        FaultCase{"CUT_TABLE",
                  "tg_backend_v1.run_graph is NULL, but make_graph is there: it needs all of "
                  "make_graph, set_call, run_graph and forget_graph, or none."},
        FaultCase{"NO_NAME", "tg_backend_v1.name is NULL."},
        FaultCase{"BAD_NAME",
                  "tg_backend_v1.name is \"my device\": a letter A-Z, then A-Z, 0-9 and _, at most "
                  "32 in all."},
        FaultCase{"LONG_NAME",
                  "tg_backend_v1.name is \"A_NAME_OF_MORE_THAN_THIRTY_TWO_LE\": a letter A-Z, then "
                  "A-Z, 0-9 and _, at most 32 in all."},
        FaultCase{"TAKEN_NAME", "there is a device INTERP already."},
        FaultCase{
            "BAD_SOURCE",
            "tg_backend_v1.source is 9, not one of TG_SOURCE_C (1), TG_SOURCE_LLVM (2), "
            "TG_SOURCE_LINEAR (3), TG_SOURCE_CUDA (4), TG_SOURCE_METAL (5), TG_SOURCE_OPENCL (6)."},
        FaultCase{"BAD_PREFERENCE", "tg_backend_v1.preference is 1000, not in -100 to 100."},
        FaultCase{"NO_SYMBOL",
                  "the function tg_backend is missing. Hint: it must be a shared object that "
                  "exports it as a C function."},
        FaultCase{"THROWS_AT_ENTRY", "tg_backend threw a C++ exception."}),
    name_of);

class FaultAtOpening : public testing::TestWithParam<FaultCase> {};

TEST_P(FaultAtOpening, IsADeviceErrorAndOthersWork) {
  const FaultCase& c = GetParam();
  const std::string name = load_backend(path_of(c.fault));
  EXPECT_EQ(name, std::string("F_") + c.fault);
  EXPECT_EQ(test::message_of([&] { device(name); }), c.message);
  EXPECT_EQ(test::message_of([&] { device(name); }), c.message);
  EXPECT_EQ(test::small_program("INTERP"), (std::vector<float>{3, 5, 7, 9, 11, 13}));
}

INSTANTIATE_TEST_SUITE_P(
    Plugin, FaultAtOpening,
    testing::Values(
        FaultCase{"OPEN_FAILS", failed("OPEN_FAILS", "open", "the card is not plugged in")},
        FaultCase{"OPEN_IS_NULL",
                  failed("OPEN_IS_NULL", "open", "it succeeded with the device NULL")},
        FaultCase{"OPEN_THROWS",
                  failed("OPEN_THROWS", "open", "it threw a C++ exception: no card")},
        FaultCase{"FACTS_FAIL", failed("FACTS_FAIL", "facts", "nobody knows")},
        FaultCase{"FACTS_ZERO", failed("FACTS_ZERO", "facts", "l1_ways is 0, not in 1 to 64")},
        FaultCase{"FACTS_NAN",
                  failed("FACTS_NAN", "facts", "flops_per_second is nan, not in 1 to 1e+18")},
        FaultCase{"FACTS_ODD_VECTOR",
                  failed("FACTS_ODD_VECTOR", "facts", "vector_bytes is 24, not a power of two")},
        FaultCase{"FACTS_NO_ARCH", failed("FACTS_NO_ARCH", "facts", "arch is NULL")},
        FaultCase{"FACTS_UNKNOWN_OP",
                  failed("FACTS_UNKNOWN_OP", "facts", "ops names \"matmul\", which is none")},
        FaultCase{"FACTS_WORK_ITEMS_OF_C",
                  failed("FACTS_WORK_ITEMS_OF_C", "facts",
                         "max_group_size is 256, but only TG_SOURCE_LINEAR, TG_SOURCE_CUDA, "
                         "TG_SOURCE_METAL and TG_SOURCE_OPENCL have work-items")},
        FaultCase{"FACTS_UNKNOWN_UNIT", failed("FACTS_UNKNOWN_UNIT", "facts",
                                               "matrix_units names \"m9n9k9_f16\", which is none")},
        FaultCase{
            "FACTS_UNIT_OF_OTHERS",
            failed("FACTS_UNIT_OF_OTHERS", "facts",
                   "matrix_units is m16n8k16_f16, of subgroups of 32 work-items instead of 64")},
        FaultCase{"ALLOC_FAILS", failed("ALLOC_FAILS", "allocate",
                                        "4096 bytes, 0 in use: out of memory: all 8 GB are taken")},
        FaultCase{"ALLOC_NULL", failed("ALLOC_NULL", "allocate",
                                       "4096 bytes: it succeeded with the address NULL")},
        FaultCase{"MEMORY_FORGETS",
                  failed("MEMORY_FORGETS", "copy_out", "it gives other bytes than copy_in wrote")}),
    name_of);

TEST(FaultyPlugin, ThatCannotBeUsedHereSaysWhy) {
  const std::string name = load_backend(path_of("PROBE_FAILS"));
  EXPECT_TRUE(
      test::message_of([&] { device(name); })
          .starts_with("device: F_PROBE_FAILS cannot be used here: the driver is too old: "
                       "install version 7 (plug-in DIR/faulty_PROBE_FAILS.so). Hint: DEV="));
}

TEST(FaultyPlugin, WithAddressesThatAreNotAlignedIsRefused) {
  const std::string message =
      test::message_of([] { device(load_backend(path_of("ALLOC_MISALIGNED"))); });
  EXPECT_TRUE(message.starts_with("F_ALLOC_MISALIGNED.allocate: 4096 bytes: the address 0x"));
  EXPECT_TRUE(message.ends_with("is no multiple of 64 (plug-in DIR/faulty_ALLOC_MISALIGNED.so)."))
      << message;
}

TEST(FaultyPlugin, WithBlocksInOtherBlocksIsRefused) {
  const std::string message =
      test::message_of([] { device(load_backend(path_of("ALLOC_OVERLAPS"))); });
  EXPECT_TRUE(message.ends_with("lies in a block in use (plug-in DIR/faulty_ALLOC_OVERLAPS.so)."))
      << message;
}

class FaultWhileRunning : public testing::TestWithParam<FaultCase> {};

// Kernels have names with a hash; they are "K" here.
std::string without_kernel_name(std::string text) {
  const size_t at = text.find("kernel ");
  if (at == std::string::npos) return text;
  const size_t end = text.find(':', at);
  return text.replace(at + 7, end - at - 7, "K");
}

TEST_P(FaultWhileRunning, IsADeviceErrorAndOthersWork) {
  const FaultCase& c = GetParam();
  const std::string name = load_backend(path_of(c.fault));
  for (int time = 0; time < 2; ++time) {
    EXPECT_EQ(without_kernel_name(test::message_of([&] { test::small_program(name); })), c.message);
  }
  EXPECT_EQ(test::small_program("INTERP"), (std::vector<float>{3, 5, 7, 9, 11, 13}));
}

INSTANTIATE_TEST_SUITE_P(
    Plugin, FaultWhileRunning,
    testing::Values(
        FaultCase{"COPY_FAILS", failed("COPY_FAILS", "copy_in", "24 bytes: the bus is broken")},
        FaultCase{"COMPILE_FAILS",
                  failed("COMPILE_FAILS", "compile", "kernel K: line 3: what is a vector?")},
        FaultCase{"COMPILE_NULL",
                  failed("COMPILE_NULL", "compile", "kernel K: it succeeded with the handle NULL")},
        FaultCase{"LAUNCH_FAILS",
                  failed("LAUNCH_FAILS", "launch", "kernel K: the fan has stopped")},
        FaultCase{"LAUNCH_THROWS", failed("LAUNCH_THROWS", "launch",
                                          "kernel K: it threw a C++ exception: out of paper")},
        FaultCase{"LAUNCH_THROWS_ODDLY",
                  failed("LAUNCH_THROWS_ODDLY", "launch", "kernel K: it threw a C++ exception")},
        FaultCase{"DEVICE_LOST",
                  failed("DEVICE_LOST", "launch", "kernel K: device lost: it fell off the bus")},
        FaultCase{"SUBMIT_FAILS", failed("SUBMIT_FAILS", "submit", "it does not start")},
        FaultCase{"NO_MESSAGE", failed("NO_MESSAGE", "launch",
                                       "kernel K: it failed with status 1 and no message")},
        FaultCase{"ODD_STATUS",
                  failed("ODD_STATUS", "launch", "kernel K: unknown status: so it is")},
        FaultCase{"LONG_MESSAGE",
                  failed("LONG_MESSAGE", "launch", "kernel K: " + std::string(1000, 'x'))}),
    name_of);

TEST(FaultyPlugin, WithTooFewBuffersNamesTheOperation) {
  const std::string name = load_backend(path_of("MAX_BUFFERS"));
  const auto three = [&] {
    const Tensor x(std::vector<float>{1, 2}, {.device = name});
    const Tensor y(std::vector<float>{3, 4}, {.device = name});
    (x + y).to_vector<float>();
  };
  EXPECT_EQ(test::message_of(three),
            "realize: a kernel of 3 arrays cannot be cut: add takes 3, the device at most 2. Hint: "
            "make its operands contiguous() before, or use another device.");
}

TEST(FaultyPlugin, IsGivenNoKernelOfMoreBuffers) {
  const std::string name = load_backend(path_of("MAX_BUFFERS"));
  const std::vector<UOp> at = {range(2, 0)};
  const auto array = [](int slot) { return param(slot, {2}, DType::Float32); };
  const UOp sum = load(array(1), at) + load(array(2), at);
  const UOp kernel = sink(std::vector{end(store_at(array(0), at, sum), at)});
  const std::vector<LinearKernel> three = {
      lower(kernel, plain_schedule(kernel), device(name).target())};
  EXPECT_EQ(without_kernel_name(test::message_of([&] { device(name).compile(three); })),
            failed("MAX_BUFFERS", "compile", "kernel K: it has 3 buffers, at most 2 are possible"));
}

TEST(FaultyPlugin, IsNotAskedForMoreThanItsLargestBlock) {
  const std::string name = load_backend(path_of("MAX_BYTES"));
  EXPECT_EQ(test::message_of([&] { device(name).allocator().allocate(1 << 21); }),
            "F_MAX_BYTES.allocate: 2097152 bytes asked for, at most 1048576 in one block (plug-in "
            "DIR/faulty_MAX_BYTES.so). Hint: use a smaller batch.");
}

TEST(FaultyPlugin, WithoutMemoryIsAskedAgainWhenTheCacheIsFreed) {
  Allocator& memory = device(load_backend(path_of("ALLOC_FAILS_ONCE"))).allocator();
  memory.free(memory.allocate(900 << 10));
  EXPECT_EQ(memory.bytes_cached(), 900 << 10);
  const Allocation a = memory.allocate(500 << 10);
  EXPECT_EQ(memory.bytes_cached(), 0);
  EXPECT_EQ(memory.bytes_in_use(), 500 << 10);
  EXPECT_THROW(memory.allocate(600 << 10), DeviceError);
  memory.free(a);
  memory.release_cached();
}

TEST(FaultyPlugin, ThatCannotReleaseIsSurvived) {
  Allocator& memory = device(load_backend(path_of("RELEASE_FAILS"))).allocator();
  memory.free(memory.allocate(640));
  EXPECT_EQ(memory.release_cached(), 640);
  EXPECT_EQ(memory.bytes_cached(), 0);
}

TEST(FaultyPlugin, ThatCannotSynchronizeSaysSo) {
  Device& d = device(load_backend(path_of("SYNC_FAILS")));
  EXPECT_EQ(test::message_of([&] { d.synchronize(); }),
            failed("SYNC_FAILS", "synchronize", "it does not come back"));
}

TEST(FaultyPlugin, KeepsTheSourceThatItCouldNotCompile) {
  const std::string name = load_backend(path_of("COMPILE_FAILS"));
  try {
    test::small_program(name);
    FAIL() << "it compiled";
  } catch (const DeviceError& e) {
    EXPECT_NE(std::string(e.what()).find("The source is kept in " + options().temp_dir),
              std::string::npos)
        << e.what();
  }
}

}  // namespace
}  // namespace tg
