// Short hands for tests that speak through the C interface only.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tg/c/tg.h"

namespace tg::capi::testing {

/// What came of the last call of `what`, with its message.
#define EXPECT_OK(call) EXPECT_EQ(call, TG_OK) << tg_error_message()
#define ASSERT_OK(call) ASSERT_EQ(call, TG_OK) << tg_error_message()

inline tg_value int_value(int64_t i) { return tg_int(i); }
inline tg_value float_value(double d) { return tg_float(d); }
inline tg_value tensor_value(tg_tensor t) { return tg_of(t); }
inline tg_value ints_value(const std::vector<int64_t>& list) {
  return tg_ints(list.data(), list.size());
}
inline tg_value text_value(const char* text) { return tg_text(text); }

/// A float32 vector.
inline tg_tensor vector_of(const std::vector<float>& data) {
  tg_tensor t = nullptr;
  const int64_t shape[] = {static_cast<int64_t>(data.size())};
  EXPECT_OK(tg_tensor_from_data(data.data(), data.size() * sizeof(float), TG_DTYPE_FLOAT32, shape,
                                1, nullptr, &t));
  return t;
}

inline std::vector<float> floats_of(tg_tensor t) {
  tg_tensor_info info = {};
  info.struct_size = sizeof info;
  EXPECT_OK(tg_tensor_get_info(t, &info));
  std::vector<float> out(static_cast<size_t>(info.numel));
  EXPECT_EQ(info.dtype, TG_DTYPE_FLOAT32);
  EXPECT_OK(tg_tensor_read(t, out.data(), out.size() * sizeof(float)));
  return out;
}

inline tg_status call(const char* name, const std::vector<tg_value>& arguments, tg_value* result) {
  tg_function f = nullptr;
  if (const tg_status s = tg_find_function(name, &f); s != TG_OK) return s;
  return tg_call(f, arguments.data(), arguments.size(), result);
}

/// The tensor that a call gives; null, and a failure of the test, if it gives none.
inline tg_tensor tensor_from(const char* name, const std::vector<tg_value>& arguments) {
  tg_value out = {};
  EXPECT_OK(call(name, arguments, &out));
  EXPECT_EQ(out.kind, TG_TENSOR);
  return out.kind == TG_TENSOR ? out.as.tensor : nullptr;
}

/// Every test gives back what it made.
class CApi : public ::testing::Test {
 protected:
  void SetUp() override { before_ = tg_live_handles(); }
  void TearDown() override { EXPECT_EQ(tg_live_handles(), before_); }

 private:
  int64_t before_ = 0;
};

}  // namespace tg::capi::testing
