// Shared objects: opening, symbols, lifetimes, errors; and the function reference that callers hand
// around.
#include "support/dynamic_library.h"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <string>

#include "support/file.h"
#include "tg/error.h"
#include "tg/ir/function_ref.h"

namespace tg {
namespace {

constexpr const char* kMath = "libm.so.6";

TEST(DynamicLibrary, FunctionsCanBeCalled) {
  const DynamicLibrary library(kMath);
  EXPECT_TRUE(library);
  EXPECT_EQ(library.path(), kMath);
  EXPECT_EQ(library.function<double(double)>("floor")(2.5), 2.0);
}

TEST(DynamicLibrary, AMissingLibraryIsNamed) {
  try {
    const DynamicLibrary library("libno-such-tg.so");
    FAIL() << "no error";
  } catch (const DeviceError& error) {
    EXPECT_TRUE(
        std::string(error.what()).starts_with("DynamicLibrary: cannot open \"libno-such-tg.so\": "))
        << error.what();
  }
}

TEST(DynamicLibrary, AnEmptyPathIsRefused) { EXPECT_THROW(DynamicLibrary(""), DeviceError); }

TEST(DynamicLibrary, AFileThatIsNoLibraryIsRefused) {
  const TempDir dir;
  write_file(dir.path() / "x.so", "not an object");
  EXPECT_THROW(DynamicLibrary((dir.path() / "x.so").string()), DeviceError);
}

TEST(DynamicLibrary, AMissingSymbolIsNamed) {
  const DynamicLibrary library(kMath);
  EXPECT_EQ(library.find_symbol("no_such_symbol"), nullptr);
  try {
    library.symbol("no_such_symbol");
    FAIL() << "no error";
  } catch (const DeviceError& error) {
    EXPECT_TRUE(
        std::string(error.what())
            .starts_with("DynamicLibrary: \"libm.so.6\" has no symbol \"no_such_symbol\": "))
        << error.what();
  }
}

TEST(DynamicLibrary, AnEmptyLibraryHasNoSymbols) {
  const DynamicLibrary library;
  EXPECT_FALSE(library);
  EXPECT_EQ(library.find_symbol("floor"), nullptr);
  EXPECT_THROW(library.symbol("floor"), DeviceError);
}

TEST(DynamicLibrary, FindTakesTheFirstThatExists) {
  constexpr std::array<std::string_view, 3> names = {"", "libno-such-tg.so", kMath};
  EXPECT_EQ(DynamicLibrary::find(names).path(), kMath);
  EXPECT_FALSE(DynamicLibrary::find(std::span(names).first(2)));
}

TEST(DynamicLibrary, MovingHandsOverTheLibrary) {
  DynamicLibrary first(kMath);
  DynamicLibrary second(std::move(first));
  EXPECT_TRUE(second);
  first = std::move(second);
  EXPECT_TRUE(first);
  EXPECT_NE(first.find_symbol("floor"), nullptr);
}

#if defined(__linux__)
TEST(DynamicLibrary, ReleasedCodeIsReadAgainWhenItRuns) {
  const DynamicLibrary library(kMath);
  auto* floor = library.function<double(double)>("floor");
  for (int i = 0; i < 3; ++i) {
    EXPECT_GT(library.release_code(), 0);
    EXPECT_EQ(floor(2.5), 2.0);
  }
}
#endif

TEST(DynamicLibrary, AnEmptyLibraryHasNoCodeToRelease) {
  EXPECT_EQ(DynamicLibrary().release_code(), 0);
}

int twice(int x) { return 2 * x; }

TEST(FunctionRef, CallsFunctionsLambdasAndMoveOnlyObjects) {
  const auto call = [](FunctionRef<int(int)> f) { return f(21); };
  EXPECT_EQ(call(twice), 42);
  int sum = 0;
  EXPECT_EQ(call([&](int x) { return sum += x; }), 21);
  EXPECT_EQ(sum, 21);
  const auto owner = [p = std::make_unique<int>(1)](int x) { return *p + x; };
  EXPECT_EQ(call(owner), 22);
}

TEST(FunctionRef, ForwardsReferencesAndResults) {
  std::string text = "a";
  const auto append = [](std::string& s) -> std::string& { return s += "b"; };
  const FunctionRef<std::string&(std::string&)> f = append;
  EXPECT_EQ(&f(text), &text);
  EXPECT_EQ(text, "ab");
}

}  // namespace
}  // namespace tg
