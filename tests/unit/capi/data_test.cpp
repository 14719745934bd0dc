// Tensors and their data through the C interface; variables; errors of sizes.
#include <array>

#include "unit/capi/capi_test_util.h"

namespace tg::capi::testing {
namespace {

TEST_F(CApi, DataGoesInAndComesOut) {
  const tg_tensor t = vector_of({1.5f, -2});
  EXPECT_EQ(floats_of(t), (std::vector<float>{1.5f, -2}));
  int64_t shape[4] = {};
  size_t ndim = 0;
  EXPECT_OK(tg_tensor_shape(t, shape, 4, &ndim));
  EXPECT_EQ(ndim, 1u);
  EXPECT_EQ(shape[0], 2);
  EXPECT_OK(tg_release(t));
}

TEST_F(CApi, WrongSizesAreErrors) {
  const float data[] = {1, 2};
  const int64_t shape[] = {3}, negative[] = {-1}, huge[] = {INT64_MAX, INT64_MAX};
  tg_tensor t = nullptr;
  EXPECT_EQ(tg_tensor_from_data(data, 8, TG_DTYPE_FLOAT32, shape, 1, nullptr, &t), TG_ERROR_SHAPE);
  EXPECT_EQ(tg_tensor_from_data(data, 8, TG_DTYPE_FLOAT32, negative, 1, nullptr, &t),
            TG_ERROR_SHAPE);
  EXPECT_NE(tg_tensor_from_data(data, 8, TG_DTYPE_FLOAT32, huge, 2, nullptr, &t), TG_OK);
  EXPECT_EQ(tg_tensor_from_data(nullptr, 8, TG_DTYPE_FLOAT32, shape, 1, nullptr, &t),
            TG_ERROR_ARGUMENT);
  EXPECT_EQ(tg_tensor_from_data(data, 8, static_cast<tg_dtype>(99), shape, 1, nullptr, &t),
            TG_ERROR_ARGUMENT);
  EXPECT_EQ(tg_tensor_from_data(data, 8, TG_DTYPE_FLOAT32, nullptr, 1, nullptr, &t),
            TG_ERROR_ARGUMENT);
  EXPECT_EQ(tg_tensor_from_data(data, 8, TG_DTYPE_FLOAT32, shape, SIZE_MAX, nullptr, &t),
            TG_ERROR_ARGUMENT);
  EXPECT_EQ(t, nullptr);
  const tg_tensor two = vector_of({1, 2});
  float out[3];
  EXPECT_EQ(tg_tensor_read(two, out, sizeof out), TG_ERROR_SHAPE);
  EXPECT_OK(tg_release(two));
}

TEST_F(CApi, WrappedMemoryIsNotCopied) {
  // An odd start: kernels must not count on more than the element's alignment.
  alignas(64) float memory[9] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
  int released = 0;
  const auto release = [](void* user) { ++*static_cast<int*>(user); };
  const int64_t shape[] = {8};
  tg_tensor t = nullptr;
  ASSERT_OK(tg_tensor_wrap(memory + 1, 32, TG_DTYPE_FLOAT32, shape, 1, release, &released, &t));
  memory[1] = 10;
  const tg_tensor twice = tensor_from("mul", {tensor_value(t), int_value(2)});
  EXPECT_EQ(floats_of(twice), (std::vector<float>{20, 4, 6, 8, 10, 12, 14, 16}));
  tg_value none = {};
  EXPECT_OK(call("assign", {tensor_value(t), int_value(7)}, &none));
  EXPECT_OK(tg_value_clear(&none));
  void* address = nullptr;
  EXPECT_OK(tg_tensor_host_pointer(t, &address));
  EXPECT_EQ(address, memory + 1);
  EXPECT_EQ(memory[8], 7);
  EXPECT_EQ(memory[0], 0);
  EXPECT_OK(tg_release(twice));
  EXPECT_EQ(released, 0);
  EXPECT_OK(tg_release(t));
  EXPECT_EQ(released, 1);
}

TEST_F(CApi, MemoryThatCannotBeWrappedIsGivenBack) {
  float memory[2] = {};
  int released = 0;
  const auto release = [](void* user) { ++*static_cast<int*>(user); };
  const int64_t shape[] = {2};
  tg_tensor t = nullptr;
  EXPECT_EQ(tg_tensor_wrap(reinterpret_cast<char*>(memory) + 1, 8, TG_DTYPE_FLOAT32, shape, 1,
                           release, &released, &t),
            TG_ERROR_ARGUMENT);
  EXPECT_EQ(released, 1);
  EXPECT_EQ(tg_tensor_wrap(memory, 4, TG_DTYPE_FLOAT32, shape, 1, release, &released, &t),
            TG_ERROR_SHAPE);
  EXPECT_EQ(released, 2);
}

TEST_F(CApi, HostPointerOfAnotherOrderIsNull) {
  const tg_tensor t = vector_of({1, 2, 3, 4});
  const std::vector<int64_t> sizes = {2, 2};
  const tg_tensor square = tensor_from("reshape", {tensor_value(t), ints_value(sizes)});
  const tg_tensor turned = tensor_from("transpose", {tensor_value(square)});
  void* address = &address;
  EXPECT_OK(tg_tensor_host_pointer(turned, &address));
  EXPECT_EQ(address, nullptr);
  EXPECT_OK(tg_tensor_host_pointer(square, &address));
  EXPECT_NE(address, nullptr);
  for (tg_tensor x : {t, square, turned}) EXPECT_OK(tg_release(x));
}

TEST_F(CApi, ValuesSayWhatTheyAreMadeOf) {
  const tg_tensor a = vector_of({1}), b = vector_of({5}), c = vector_of({7});
  const tg_tensor sum = tensor_from("add", {tensor_value(a), tensor_value(c)});
  const std::array<tg_tensor, 4> on = {a, b, c, sum};
  std::array<bool, 4> depends = {};
  ASSERT_OK(tg_tensor_depends(sum, on.data(), 3, depends.data()));
  EXPECT_EQ(depends, (std::array<bool, 4>{true, false, true, false}));
  ASSERT_OK(tg_tensor_depends(sum, &on[3], 1, depends.data()));
  EXPECT_TRUE(depends[0]);
  EXPECT_OK(tg_tensor_depends(sum, nullptr, 0, nullptr));
  EXPECT_EQ(tg_tensor_depends(sum, on.data(), 3, nullptr), TG_ERROR_ARGUMENT);
  EXPECT_EQ(tg_tensor_depends(sum, nullptr, 3, depends.data()), TG_ERROR_ARGUMENT);
  for (tg_tensor x : {a, b, c, sum}) EXPECT_OK(tg_release(x));
}

TEST_F(CApi, AliasesAndReplacedTensorsShareTheirValue) {
  const tg_tensor a = vector_of({1}), b = vector_of({5});
  tg_tensor alias = nullptr;
  ASSERT_OK(tg_tensor_alias(a, &alias));
  bool same = false;
  EXPECT_OK(tg_tensor_same(a, alias, &same));
  EXPECT_TRUE(same);
  EXPECT_OK(tg_tensor_replace(a, b));
  EXPECT_EQ(floats_of(alias), std::vector<float>{5});
  EXPECT_OK(tg_tensor_same(a, b, &same));
  EXPECT_FALSE(same);
  for (tg_tensor x : {a, b, alias}) EXPECT_OK(tg_release(x));
}

TEST_F(CApi, StructuresOfAnOlderCallerAreFilledAsFarAsTheyGo) {
  const tg_tensor t = vector_of({1, 2});
  tg_tensor_info info = {};
  info.nbytes = -1;
  info.struct_size = offsetof(tg_tensor_info, nbytes);
  EXPECT_OK(tg_tensor_get_info(t, &info));
  EXPECT_EQ(info.numel, 2);
  EXPECT_EQ(info.nbytes, -1);
  info.struct_size = 0;
  EXPECT_EQ(tg_tensor_get_info(t, &info), TG_ERROR_ARGUMENT);
  EXPECT_OK(tg_release(t));
}

TEST_F(CApi, SizesOfVariablesSliceTensors) {
  tg_size n = nullptr;
  ASSERT_OK(tg_variable("n", 1, 4, 3, &n));
  tg_value size = {};
  size.kind = TG_SIZE;
  size.as.size = n;
  tg_value more = {};
  ASSERT_OK(tg_size_compute('-', size, int_value(1), &more));
  ASSERT_EQ(more.kind, TG_SIZE);
  int64_t value = 0, min = 0, max = 0;
  EXPECT_OK(tg_size_value(more.as.size, &value, &min, &max));
  EXPECT_EQ(value, 2);
  EXPECT_EQ(min, 0);
  EXPECT_EQ(max, 3);
  const tg_tensor t = vector_of({1, 2, 3, 4});
  tg_index_item item = {};
  item.kind = TG_INDEX_SLICE;
  item.start = int_value(0);
  item.stop = more;
  tg_value index = {};
  index.kind = TG_INDEX;
  index.count = 1;
  index.as.items = &item;
  const tg_tensor part = tensor_from("index", {tensor_value(t), index});
  const tg_tensor sum = tensor_from("sum", {tensor_value(part)});
  EXPECT_EQ(floats_of(sum), std::vector<float>{3});
  EXPECT_EQ(tg_size_compute('/', size, int_value(0), &more), TG_ERROR_ARGUMENT);
  EXPECT_EQ(tg_size_compute('?', size, int_value(1), &more), TG_ERROR_ARGUMENT);
  EXPECT_EQ(tg_variable("n", 4, 1, 3, &n), TG_ERROR_ARGUMENT);
  EXPECT_OK(tg_value_clear(&more));
  for (tg_tensor x : {t, part, sum}) EXPECT_OK(tg_release(x));
  EXPECT_OK(tg_release(n));
}

TEST_F(CApi, OptionsAreSetAndTakenBack) {
  tg_value before = {}, now = {};
  ASSERT_OK(tg_get_option("SEED", &before));
  EXPECT_OK(tg_set_option("SEED", "77"));
  EXPECT_OK(tg_get_option("SEED", &now));
  EXPECT_STREQ(now.as.text, "77");
  EXPECT_OK(tg_value_clear(&now));
  EXPECT_EQ(tg_set_option("SEED", "many"), TG_ERROR_ARGUMENT);
  EXPECT_EQ(tg_set_option("NO_SUCH_OPTION", "1"), TG_ERROR_ARGUMENT);
  EXPECT_OK(tg_set_option("SEED", nullptr));
  EXPECT_OK(tg_get_option("SEED", &now));
  EXPECT_STREQ(now.as.text, before.as.text);
  EXPECT_OK(tg_value_clear(&now));
  EXPECT_OK(tg_value_clear(&before));
}

TEST_F(CApi, LinesForPeopleGoToACallback) {
  struct Log {
    std::string text;
    int released = 0;
  } log;
  ASSERT_OK(tg_set_log([](void* user, const char* line) { static_cast<Log*>(user)->text += line; },
                       &log, [](void* user) { ++static_cast<Log*>(user)->released; }));
  EXPECT_OK(tg_set_option("DEBUG", "1"));
  const tg_tensor t = vector_of({1, 2});
  const tg_tensor sum = tensor_from("sum", {tensor_value(t)});
  EXPECT_EQ(floats_of(sum), std::vector<float>{3});
  EXPECT_OK(tg_set_option("DEBUG", nullptr));
  EXPECT_EQ(log.released, 0);
  EXPECT_OK(tg_set_log(nullptr, nullptr, nullptr));
  EXPECT_EQ(log.released, 1);
  EXPECT_NE(log.text.find("realize on"), std::string::npos) << log.text;
  for (tg_tensor x : {t, sum}) EXPECT_OK(tg_release(x));
}

TEST_F(CApi, LongWorkIsStoppedByACallback) {
  struct Wish {
    bool stop = true;
    int asked = 0, released = 0;
  } wish;
  const auto ask = [](void* user) {
    ++static_cast<Wish*>(user)->asked;
    return static_cast<Wish*>(user)->stop;
  };
  const auto release = [](void* user) { ++static_cast<Wish*>(user)->released; };
  ASSERT_OK(tg_set_interrupt(ask, &wish, release));
  const tg_tensor t = vector_of({1, 2});
  const tg_tensor sum = tensor_from("sum", {tensor_value(t)});
  float value = 0;
  EXPECT_EQ(tg_tensor_read(sum, &value, sizeof value), TG_ERROR_CANCELLED);
  EXPECT_NE(std::string(tg_error_message()).find(": interrupted."), std::string::npos);
  EXPECT_EQ(wish.asked, 1);
  wish.stop = false;
  EXPECT_EQ(floats_of(sum), std::vector<float>{3});
  EXPECT_OK(tg_set_interrupt(nullptr, nullptr, nullptr));
  EXPECT_EQ(wish.released, 1);
  for (tg_tensor x : {t, sum}) EXPECT_OK(tg_release(x));
}

TEST_F(CApi, DevicesAreListedWithReasons) {
  size_t usable_devices = 0;
  for (size_t i = 0;; ++i) {
    tg_value name = {}, reason = {};
    bool usable = false;
    const tg_status s = tg_device_at(i, &name, &usable, &reason);
    if (s == TG_ERROR_INDEX) break;
    ASSERT_EQ(s, TG_OK);
    EXPECT_EQ(usable, std::string(reason.as.text).empty()) << name.as.text;
    usable_devices += usable ? 1 : 0;
    EXPECT_OK(tg_value_clear(&name));
    EXPECT_OK(tg_value_clear(&reason));
  }
  EXPECT_GE(usable_devices, 1u);
  EXPECT_EQ(tg_synchronize("NO_SUCH_DEVICE"), TG_ERROR_DEVICE);
  EXPECT_OK(tg_synchronize(nullptr));
}

}  // namespace
}  // namespace tg::capi::testing
