// CHECK_NAN: the kernel that makes the first NaN is named, and one that only passes them on is not.
#include "engine/nan_check.h"

#include <gtest/gtest.h>
#include <tg/jit.h>
#include <tg/tg.h>

#include <cmath>
#include <limits>

#include "support/options.h"
#include "unit/engine/support/special_floats.h"

namespace tg {
namespace {

using test::kInfinity;
using test::kNan;

int64_t first(std::vector<float> before, std::vector<float> after, bool infinities = false) {
  return first_nonfinite(DType::Float32, std::as_bytes(std::span(before)),
                         std::as_bytes(std::span(after)), infinities);
}

TEST(FirstNonfinite, IsNoneOfNumbers) { EXPECT_EQ(first({}, {1, -2, kInfinity}), -1); }
TEST(FirstNonfinite, IsTheFirstNan) { EXPECT_EQ(first({}, {1, kNan, kNan}), 1); }
TEST(FirstNonfinite, CountsInfinitiesIfAsked) {
  EXPECT_EQ(first({}, {1, kNan, -kInfinity}, true), 1);
}
TEST(FirstNonfinite, LeavesOutWhatWasOneBefore) {
  EXPECT_EQ(first({kNan, 1, 1}, {kNan, 1, kNan}), 2);
}

class CheckNan : public ::testing::Test {
 protected:
  static Options checked(int level) {
    Options o = options();
    o.check_nan = level;
    return o;
  }
  template <typename F>
  static std::string error_of(F&& f) {
    try {
      f();
    } catch (const DeviceError& e) {
      return e.what();
    }
    return "nothing was thrown";
  }
};

TEST_F(CheckNan, NamesKernelElementAndValue) {
  const OptionsScope scope(checked(1));
  const Tensor x = Tensor{4.f, -1.f, 9.f};
  const std::string message = error_of([&] { x.sqrt().realize(); });
  EXPECT_NE(message.find("CHECK_NAN: kernel "), std::string::npos) << message;
  EXPECT_NE(message.find("nan to element 1 of argument 0 (float32 [3])"), std::string::npos)
      << message;
}
TEST_F(CheckNan, LetsNansPassOn) {
  const OptionsScope scope(checked(1));
  const Tensor x = Tensor{4.f, kNan};
  EXPECT_TRUE(std::isnan((x + 1).to_vector<float>()[1]));
}
TEST_F(CheckNan, MindsInfinitiesAtLevelTwoOnly) {
  const Tensor zero = Tensor{0.f, 1.f};
  {
    const OptionsScope scope(checked(1));
    EXPECT_EQ((1.f / zero).to_vector<float>()[0], kInfinity);
  }
  const OptionsScope scope(checked(2));
  const std::string message = error_of([&] { (2.f / zero).realize(); });
  EXPECT_NE(message.find("inf to element 0"), std::string::npos) << message;
}
TEST_F(CheckNan, LooksAtReplaysOfACapturedCall) {
  const OptionsScope scope(checked(1));
  TinyJit step([](const Tensor& x) { return x.log(); });
  for (int i = 0; i < 3; ++i) step(Tensor{1.f, 2.f});
  EXPECT_NE(error_of([&] { step(Tensor{1.f, -2.f}); }).find("element 1"), std::string::npos);
}
TEST_F(CheckNan, IsOffWithoutTheOption) {
  EXPECT_TRUE(std::isnan((Tensor{-1.f}).sqrt().item<float>()));
}

}  // namespace
}  // namespace tg
