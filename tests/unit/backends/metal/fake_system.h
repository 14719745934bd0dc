// Tests on the system of fake_metal.h: each begins with a fresh one, and must leave neither objects
// nor memory nor anything that the real one would not survive.
#pragma once

#include <gtest/gtest.h>

#include <optional>

#include "backends/metal/metal_device.h"
#include "fake_metal.h"
#include "support/device_error.h"
#include "support/file.h"
#include "support/options.h"

namespace tg::testing {

class OnFakeMetal : public ::testing::Test {
 protected:
  void SetUp() override {
    static const auto& library = *new DynamicLibrary(TG_FAKE_METAL);  // never closed
    fake = library.function<FakeMetalEntry>("fake_metal")();
    *fake = FakeMetal{};
    static constexpr std::array<std::string_view, 1> kPath = {TG_FAKE_METAL};
    objc = metal::open_objc(kPath, kPath);
    ASSERT_NE(objc, nullptr);
    Options o = options();
    o.temp_dir = kept_sources.path().string();
    scope.emplace(o);
  }
  void TearDown() override {
    EXPECT_EQ(fake->problems, std::vector<std::string>());
    EXPECT_EQ(fake->live, 0) << "objects are left";
    EXPECT_EQ(fake->held, 0) << "buffers are left";
  }
  std::unique_ptr<Device> open(int index = 0) const {
    return metal::open_device(objc.get(), index);
  }

  FakeMetal* fake = nullptr;
  const TempDir kept_sources{"tg-metal"};
  std::optional<OptionsScope> scope;
  std::unique_ptr<const metal::Objc> objc;
};

inline bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace tg::testing
