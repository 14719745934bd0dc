// The registry: names, opening once, the default, messages.
#include "runtime/device.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <thread>

#include "support/options.h"
#include "tg/error.h"

namespace tg {
namespace {

Options with_device(std::string name) {
  Options o = options();
  o.device = std::move(name);
  return o;
}

std::string message_of(auto&& action) {
  try {
    action();
  } catch (const DeviceError& e) {
    return e.what();
  }
  return "no DeviceError";
}

TEST(Device, NameIsFoundInAnyCase) {
  EXPECT_EQ(&device("interp"), &device("INTERP"));
  EXPECT_EQ(&device("Interp"), &device("INTERP"));
}

TEST(Device, NameIsTheBackends) {
  EXPECT_EQ(device("interp").name(), "INTERP");
  EXPECT_EQ(device("null").name(), "NULL");
}

TEST(Device, DifferentNamesAreDifferentDevices) { EXPECT_NE(&device("INTERP"), &device("NULL")); }

TEST(Device, IsOpenedOnceByManyThreads) {
  std::vector<Device*> seen(8);
  std::vector<std::thread> threads;
  for (Device*& slot : seen) threads.emplace_back([&slot] { slot = &device("NULL"); });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(std::set<Device*>(seen.begin(), seen.end()).size(), 1u);
}

TEST(Device, UnknownNameListsTheKnownOnes) {
  std::vector<std::string> known;
  for (const Backend* b : backends()) known.emplace_back(b->name);
  std::ranges::sort(known);
  std::string list = known[0];
  for (size_t i = 1; i < known.size(); ++i) list += ", " + known[i];
  EXPECT_EQ(message_of([] { device("foo"); }), "device: unknown device \"foo\": known are " + list +
                                                   ". Hint: set DEV to one of them.");
}

TEST(Device, EmptyNameIsUnknown) { EXPECT_THROW(device(""), DeviceError); }

TEST(Device, HostileNamesAreUnknown) {
  EXPECT_THROW(device(std::string(10'000, 'x')), DeviceError);
  EXPECT_THROW(device(std::string_view("NULL\0", 5)), DeviceError);
  EXPECT_THROW(device("INTERP "), DeviceError);
  EXPECT_THROW(device("{}"), DeviceError);
}

TEST(Device, TableHoldsInterpreterAndDryRun) {
  std::set<std::string_view> names;
  for (const Backend* b : backends()) names.insert(b->name);
  EXPECT_TRUE(names.contains("INTERP"));
  EXPECT_TRUE(names.contains("NULL"));
  EXPECT_EQ(names.size(), backends().size());
}

TEST(Device, InterpreterAndDryRunAreAlwaysUsable) {
  for (const Backend* b : backends()) {
    if (b->name == "INTERP" || b->name == "NULL") {
      EXPECT_EQ(b->probe(), "");
      EXPECT_LT(b->preference, 0) << "a slow or dry device must not be the default";
    }
  }
}

TEST(Device, ProbesAnswerTheSameTwice) {
  for (const Backend* b : backends()) EXPECT_EQ(b->probe(), b->probe());
}

TEST(Device, OptionChoosesTheDefault) {
  OptionsScope scope(with_device("NULL"));
  EXPECT_EQ(default_device(), "NULL");
}

TEST(Device, OptionScopesNest) {
  OptionsScope outer(with_device("NULL"));
  {
    OptionsScope inner(with_device("INTERP"));
    EXPECT_EQ(default_device(), "INTERP");
  }
  EXPECT_EQ(default_device(), "NULL");
}

TEST(Device, UnknownOptionIsADeviceError) {
  OptionsScope scope(with_device("FOO"));
  EXPECT_TRUE(message_of([] {
                default_device();
              }).starts_with("device: unknown device \"FOO\": known are "));
}

TEST(Device, WithoutOptionTheBestUsableOneIsTheDefault) {
  OptionsScope scope(with_device(""));
  const bool any =
      std::ranges::any_of(backends(), [](const Backend* b) { return b->preference >= 0; });
  const Backend* best = nullptr;
  for (const Backend* b : backends()) {
    if (!b->probe().empty() || (any && b->preference < 0)) continue;
    if (best == nullptr || b->preference > best->preference) best = b;
  }
  if (best != nullptr) {
    EXPECT_EQ(default_device(), best->name);
  } else {
    EXPECT_NE(message_of([] { default_device(); }).find("DEV=INTERP"), std::string::npos);
  }
}

TEST(Device, DefaultCanBeOpened) {
  OptionsScope scope(with_device("interp"));
  EXPECT_EQ(device(default_device()).name(), "INTERP");
}

// No compiler, no path: devices that compile are unusable, and the message says what works.
class DeviceWithoutCompiler : public testing::Test {
 protected:
  DeviceWithoutCompiler() {
    for (const Backend* b : backends()) willing_ = willing_ || b->preference >= 0;
  }
  void SetUp() override {
    if (!willing_) GTEST_SKIP() << "this build has no device that needs a compiler";
  }
  static Options crippled() {
    Options o = with_device("");
    o.clang = true;
    o.cc = "/no/such/compiler";
    o.search_path = "/no/such/folder";
    return o;
  }
  OptionsScope scope_{crippled()};
  bool willing_ = false;
};

TEST_F(DeviceWithoutCompiler, DefaultIsRefusedAndTheInterpreterIsSuggested) {
  const std::string message = message_of([] { default_device(); });
  EXPECT_TRUE(message.starts_with("device: CPU cannot be used here: ")) << message;
  const size_t first = message.find("DEV=INTERP");
  EXPECT_NE(first, std::string::npos) << message;
  EXPECT_EQ(message.find("DEV=INTERP", first + 1), std::string::npos) << "said twice: " << message;
}

TEST_F(DeviceWithoutCompiler, InterpreterStillOpens) {
  EXPECT_EQ(device("INTERP").name(), "INTERP");
}

}  // namespace
}  // namespace tg
