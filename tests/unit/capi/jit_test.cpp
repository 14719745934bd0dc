// Captured functions and custom gradients whose bodies are callbacks, and callbacks that fail.
#include "unit/capi/capi_test_util.h"

namespace tg::capi::testing {
namespace {

struct Body {
  int runs = 0;
  int released = 0;
  tg_status fails = TG_OK;
  bool says_why = false;

  static tg_status run(void* user, const tg_value* arguments, size_t count, tg_value* results,
                       size_t capacity, size_t* result_count) {
    Body& self = *static_cast<Body*>(user);
    ++self.runs;
    if (self.fails != TG_OK)
      return self.says_why ? tg_fail(self.fails, "body: it is Sunday.") : self.fails;
    EXPECT_EQ(count, 2u);
    EXPECT_GE(capacity, 1u);
    tg_function mul = nullptr;
    if (tg_status s = tg_find_function("mul", &mul); s != TG_OK) return s;
    *result_count = 1;
    return tg_call(mul, arguments, 2, results);
  }
  static void release(void* user) { ++static_cast<Body*>(user)->released; }
};

TEST_F(CApi, CapturedFunctionReplays) {
  Body body;
  tg_jit jit = nullptr;
  ASSERT_OK(tg_jit_create(Body::run, &body, Body::release, nullptr, &jit));
  for (int i = 1; i <= 5; ++i) {
    const tg_tensor x = vector_of({static_cast<float>(i), 2});
    const tg_tensor y = vector_of({10, 20});
    const tg_value arguments[] = {tensor_value(x), tensor_value(y)};
    tg_tensor result = nullptr;
    size_t count = 0;
    ASSERT_OK(tg_jit_call(jit, arguments, 2, &result, 1, &count));
    ASSERT_EQ(count, 1u);
    EXPECT_EQ(floats_of(result), (std::vector<float>{10.f * static_cast<float>(i), 40}));
    for (tg_tensor t : {x, y, result}) EXPECT_OK(tg_release(t));
  }
  EXPECT_EQ(body.runs, 2);
  tg_jit_stats stats = {};
  stats.struct_size = sizeof stats;
  EXPECT_OK(tg_jit_get_stats(jit, &stats));
  EXPECT_TRUE(stats.captured);
  EXPECT_EQ(stats.kernels, 1);
  EXPECT_OK(tg_jit_reset(jit));
  EXPECT_OK(tg_release(jit));
  EXPECT_EQ(body.released, 1);
}

TEST_F(CApi, FailingBodySaysWhy) {
  Body body;
  tg_jit jit = nullptr;
  ASSERT_OK(tg_jit_create(Body::run, &body, nullptr, nullptr, &jit));
  const tg_tensor x = vector_of({1});
  const tg_value arguments[] = {tensor_value(x), tensor_value(x)};
  tg_tensor result = nullptr;
  size_t count = 0;
  body.fails = TG_ERROR_FILE;
  body.says_why = true;
  EXPECT_EQ(tg_jit_call(jit, arguments, 2, &result, 1, &count), TG_ERROR_FILE);
  EXPECT_STREQ(tg_error_message(), "body: it is Sunday.");
  body.says_why = false;
  EXPECT_EQ(tg_jit_call(jit, arguments, 2, &result, 1, &count), TG_ERROR_CALLBACK);
  body.fails = static_cast<tg_status>(1234);
  EXPECT_EQ(tg_jit_call(jit, arguments, 2, &result, 1, &count), TG_ERROR_CALLBACK);
  body.fails = TG_OK;
  EXPECT_OK(tg_jit_call(jit, arguments, 2, &result, 1, &count));
  EXPECT_OK(tg_release(result));
  EXPECT_EQ(tg_jit_call(jit, arguments, 2, nullptr, 0, &count), TG_ERROR_ARGUMENT);
  EXPECT_EQ(count, 1u) << "so many would have been there";
  const tg_value text[] = {text_value("x"), text_value("y")};
  EXPECT_EQ(tg_jit_call(jit, text, 2, &result, 1, &count), TG_ERROR_ARGUMENT);
  EXPECT_EQ(tg_jit_create(nullptr, &body, nullptr, nullptr, &jit), TG_ERROR_ARGUMENT);
  EXPECT_OK(tg_release(x));
  EXPECT_OK(tg_release(jit));
}

struct Rounding {
  int backwards = 0;
  int released = 0;
  bool wrong_shape = false;

  static tg_status forward(void*, const tg_tensor* arguments, size_t, tg_tensor* results, size_t) {
    const tg_value x = tensor_value(arguments[0]);
    tg_value out = {};
    const tg_status s = call("round", {x}, &out);
    if (s == TG_OK) results[0] = out.as.tensor;
    return s;
  }
  static tg_status backward(void* user, const tg_tensor* arguments, size_t count,
                            tg_tensor* results, size_t capacity) {
    Rounding& self = *static_cast<Rounding*>(user);
    ++self.backwards;
    EXPECT_EQ(count, 3u);
    EXPECT_EQ(capacity, 1u);
    tg_value out = {};
    const tg_value dy = tensor_value(arguments[2]);
    const tg_status s =
        self.wrong_shape ? call("sum", {dy}, &out) : call("mul", {dy, int_value(3)}, &out);
    if (s == TG_OK) results[0] = out.as.tensor;
    return s;
  }
};

TEST_F(CApi, CustomFunctionHasItsOwnGradient) {
  Rounding user;
  const tg_tensor x = vector_of({1.4f, 2.6f});
  tg_tensor y = nullptr;
  ASSERT_OK(tg_custom(
      Rounding::forward, Rounding::backward, &user,
      [](void* u) { ++static_cast<Rounding*>(u)->released; }, &x, 1, &y));
  EXPECT_EQ(user.released, 0);
  const tg_tensor sum = tensor_from("sum", {tensor_value(y)});
  tg_value targets = tensor_value(x), grads = {};
  ASSERT_OK(call("gradient", {tensor_value(sum), targets}, &grads));
  ASSERT_EQ(grads.kind, TG_TENSORS);
  EXPECT_EQ(floats_of(grads.as.tensors[0]), (std::vector<float>{3, 3}));
  EXPECT_EQ(floats_of(y), (std::vector<float>{1, 3}));
  EXPECT_EQ(user.backwards, 1);
  user.wrong_shape = true;
  const tg_tensor again = vector_of({5});
  tg_tensor z = nullptr;
  ASSERT_OK(tg_custom(Rounding::forward, Rounding::backward, &user, nullptr, &x, 1, &z));
  const tg_tensor total = tensor_from("sum", {tensor_value(z)});
  tg_value none = {};
  EXPECT_EQ(call("gradient", {tensor_value(total), targets}, &none), TG_ERROR_SHAPE);
  EXPECT_OK(tg_value_clear(&grads));
  for (tg_tensor t : {x, y, sum, again, z, total}) EXPECT_OK(tg_release(t));
  EXPECT_EQ(user.released, 1);
}

}  // namespace
}  // namespace tg::capi::testing
