// The grammar of error messages, and that every class of error is an Error of its own kind.
#include "support/check.h"

#include <gtest/gtest.h>

#include <string>

namespace tg {
namespace {

template <typename E>
class ErrorKind : public testing::Test {};
using Kinds = testing::Types<ShapeError, DTypeError, IndexError, ArgumentError, DeviceError,
                             FileError, CancelledError>;
TYPED_TEST_SUITE(ErrorKind, Kinds);

TYPED_TEST(ErrorKind, IsCaughtAsItselfAndAsError) {
  EXPECT_THROW(user_error<TypeParam>("f", "p"), TypeParam);
  EXPECT_THROW(user_error<TypeParam>("f", "p"), Error);
}

TEST(UserError, SaysFunctionProblemAndHint) {
  try {
    user_error<ShapeError>("matmul", "inner sizes differ: 128 vs 256", "Hint: transpose rhs.");
  } catch (const ShapeError& error) {
    EXPECT_STREQ(error.what(), "matmul: inner sizes differ: 128 vs 256. Hint: transpose rhs.");
  }
}

TEST(UserError, WorksWithoutAHint) {
  try {
    user_error<IndexError>("at", "no such index: 3");
  } catch (const IndexError& error) {
    EXPECT_STREQ(error.what(), "at: no such index: 3.");
  }
}

TEST(Check, SaysWhereWhatAndWhy) {
  const int have = 2;
  try {
    TG_CHECK(have == 3, "have {}", have);
    FAIL() << "no error";
  } catch (const InternalError& error) {
    const std::string message = error.what();
    EXPECT_TRUE(message.starts_with("internal error at ")) << message;
    EXPECT_NE(message.find("check_test.cpp:"), std::string::npos) << message;
    EXPECT_TRUE(message.ends_with(": have == 3 does not hold: have 2. Please report this."))
        << message;
  }
}

TEST(Check, EvaluatesTheMessageOnlyOnFailure) {
  int evaluated = 0;
  TG_CHECK(true, "{}", ++evaluated);
  EXPECT_EQ(evaluated, 0);
}

}  // namespace
}  // namespace tg
