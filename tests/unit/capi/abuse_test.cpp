// Arguments that no sane caller gives, to every function: errors, never anything worse. Longer runs
// of the same: tests/fuzz.
#include <random>

#include "capi/functions.h"
#include "unit/capi/abuse.h"
#include "unit/capi/capi_test_util.h"

namespace tg::capi::testing {
namespace {

TEST_F(CApi, RandomArgumentsOfEveryFunctionAreErrorsOrResults) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(seed);
  Abuser abuser(seed);
  for (int round = 0; round < 20; ++round) {
    for (const tg_function_record& f : functions()) abuser.call(f);
  }
  EXPECT_GT(abuser.failed(), 0);
  EXPECT_GT(abuser.succeeded(), 0);
}

TEST_F(CApi, ValuesThatBreakTheRulesAreErrors) {
  tg_function f = nullptr;
  ASSERT_OK(tg_find_function("add", &f));
  tg_value odd = {};
  odd.kind = static_cast<tg_kind>(77);
  EXPECT_EQ(tg_call(f, &odd, 1, nullptr), TG_ERROR_ARGUMENT);
  for (const tg_kind kind : {TG_INTS, TG_TENSORS, TG_SIZES, TG_INDEX, TG_BYTES, TG_STRING}) {
    tg_value list = {};
    list.kind = kind;
    list.count = 3;  // of a null address
    EXPECT_EQ(tg_call(f, &list, 1, nullptr), TG_ERROR_ARGUMENT) << kind;
  }
  tg_value endless = {};
  const int64_t one = 1;
  endless.kind = TG_INTS;
  endless.count = SIZE_MAX;
  endless.as.ints = &one;
  EXPECT_EQ(tg_call(f, &endless, 1, nullptr), TG_ERROR_ARGUMENT);
  EXPECT_EQ(tg_call(f, nullptr, 2, nullptr), TG_ERROR_ARGUMENT);
  EXPECT_EQ(tg_call(f, &odd, SIZE_MAX, nullptr), TG_ERROR_ARGUMENT);
  EXPECT_EQ(tg_call(nullptr, nullptr, 0, nullptr), TG_ERROR_HANDLE);
  const auto* const inside = reinterpret_cast<tg_function>(reinterpret_cast<const char*>(f) + 1);
  EXPECT_EQ(tg_call(inside, nullptr, 0, nullptr), TG_ERROR_HANDLE);
}

TEST_F(CApi, NullResultsAreErrorsOrUnwanted) {
  const tg_tensor t = vector_of({1});
  const int64_t shape[] = {1};
  const float x = 0;
  EXPECT_EQ(tg_tensor_from_data(&x, 4, TG_DTYPE_FLOAT32, shape, 1, nullptr, nullptr),
            TG_ERROR_ARGUMENT);
  EXPECT_EQ(tg_tensor_get_info(t, nullptr), TG_ERROR_ARGUMENT);
  EXPECT_EQ(tg_tensor_shape(t, nullptr, 0, nullptr), TG_ERROR_ARGUMENT);
  EXPECT_EQ(tg_tensor_shape(t, nullptr, 4, nullptr), TG_ERROR_ARGUMENT);
  EXPECT_EQ(tg_tensor_read(t, nullptr, 4), TG_ERROR_ARGUMENT);
  EXPECT_EQ(tg_tensor_host_pointer(t, nullptr), TG_ERROR_ARGUMENT);
  EXPECT_EQ(tg_tensor_alias(t, nullptr), TG_ERROR_ARGUMENT);
  EXPECT_EQ(tg_tensor_same(t, t, nullptr), TG_ERROR_ARGUMENT);
  EXPECT_EQ(tg_tensor_to_dlpack(t, nullptr), TG_ERROR_ARGUMENT);
  EXPECT_EQ(tg_state_create(nullptr), TG_ERROR_ARGUMENT);
  EXPECT_EQ(tg_variable("n", 0, 1, 0, nullptr), TG_ERROR_ARGUMENT);
  EXPECT_EQ(tg_variable(nullptr, 0, 1, 0, nullptr), TG_ERROR_ARGUMENT);
  EXPECT_EQ(tg_default_device(nullptr), TG_ERROR_ARGUMENT);
  EXPECT_EQ(tg_get_option("SEED", nullptr), TG_ERROR_ARGUMENT);
  EXPECT_EQ(tg_set_option(nullptr, "1"), TG_ERROR_ARGUMENT);
  EXPECT_EQ(tg_load_backend(nullptr, nullptr), TG_ERROR_ARGUMENT);
  EXPECT_EQ(tg_load_backend("/no/such/backend.so", nullptr), TG_ERROR_DEVICE);
  EXPECT_EQ(tg_read_counters(nullptr), TG_ERROR_ARGUMENT);
  EXPECT_EQ(tg_custom(nullptr, nullptr, nullptr, nullptr, nullptr, 0, nullptr), TG_ERROR_ARGUMENT);
  EXPECT_OK(tg_value_clear(nullptr));
  EXPECT_OK(tg_release(t));
}

TEST_F(CApi, ShapesBeyondTheMachineAreErrors) {
  const std::vector<int64_t> large = {int64_t{1} << 40, int64_t{1} << 10};
  tg_value zeros = {}, out = {};
  const bool refused = call("rand", {ints_value(large)}, &zeros) != TG_OK;
  EXPECT_TRUE(refused || call("realize", {zeros}, &out) != TG_OK);
  EXPECT_OK(tg_value_clear(&zeros));
  const tg_tensor after = vector_of({1});
  EXPECT_EQ(floats_of(after), std::vector<float>{1}) << "the library goes on";
  EXPECT_OK(tg_release(after));
}

}  // namespace
}  // namespace tg::capi::testing
