// The registry: names, opening once, the default, messages.
#include "runtime/device.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <thread>

#include "support/device_error.h"
#include "support/options.h"
#include "support/text.h"
#include "tg/error.h"

namespace tg {
namespace {

Options with_device(std::string name) {
  Options o = options();
  o.device = std::move(name);
  return o;
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
  EXPECT_EQ(
      test::device_error([] { device("foo"); }),
      "device: unknown device \"foo\": known are " + list + ". Hint: set DEV to one of them.");
}

TEST(Device, EmptyNameIsUnknown) { EXPECT_THROW(device(""), DeviceError); }

TEST(Device, HostileNamesAreUnknown) {
  EXPECT_THROW(device(std::string(10'000, 'x')), DeviceError);
  EXPECT_THROW(device(std::string_view("NULL\0", 5)), DeviceError);
  EXPECT_THROW(device("INTERP "), DeviceError);
  EXPECT_THROW(device("{}"), DeviceError);
}

TEST(Device, SettingsWhereNoneAreTakenAreRefused) {
  EXPECT_EQ(test::device_error([] { device("interp:1"); }),
            "device: INTERP takes no settings, got \"interp:1\". Hint: DEV=INTERP.");
  EXPECT_NE(test::device_error([] { device("INTERP:"); }).find("takes no settings"),
            std::string::npos);
  EXPECT_NE(test::device_error([] { device("FOO:1"); }).find("unknown device \"FOO\""),
            std::string::npos);
  EXPECT_THROW(device(":"), DeviceError);
}

// A backend with several devices: DOZEN:0 … DOZEN:11, of which the first is DOZEN too.
class NumberedDevice final : public Device {
 public:
  explicit NumberedDevice(std::string name) : name_(std::move(name)) {}
  const std::string& name() const override { return name_; }
  const Target& target() const override { return null().target(); }
  Allocator& allocator() override { return null().allocator(); }
  std::vector<CompiledKernel> compile(std::span<const LinearKernel> kernels) override {
    return null().compile(kernels);
  }

 private:
  static Device& null() { return device("NULL"); }
  const std::string name_;
};

int opened = 0;  // NumberedDevices

std::unique_ptr<Device> open_numbered(const std::string& name) {
  ++opened;
  return std::make_unique<NumberedDevice>(name);
}

const Backend kDozen = {
    .name = "DOZEN",
    .preference = -7,
    .probe = +[] { return std::string(); },
    .open = +[] { return open_numbered("DOZEN"); },
    .takes = "[:INDEX]",
    .normalise = [](std::string_view settings) -> std::string {
      const auto index = parse_int64(settings);
      if (!index || *index < 0 || *index > 11)
        throw DeviceError("DOZEN: there is no device \"" + std::string(settings) +
                          "\", but 0 to 11");
      return *index == 0 ? std::string() : std::to_string(*index);
    },
    .open_with = [](const std::string& settings) { return open_numbered("DOZEN:" + settings); }};

class NumberedDevices : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    static const bool added = (add_backend(kDozen), true);
    ASSERT_TRUE(added);
  }
};

TEST_F(NumberedDevices, AreDevicesOfTheirOwn) {
  EXPECT_NE(&device("DOZEN:1"), &device("DOZEN:2"));
  EXPECT_NE(&device("DOZEN:1"), &device("DOZEN"));
  EXPECT_EQ(device("dozen:1").name(), "DOZEN:1");
}
TEST_F(NumberedDevices, ThatMeanTheSameAreOneAndOpenedOnce) {
  Device& three = device("DOZEN:3");
  const int before = opened;
  EXPECT_EQ(&device("DOZEN:03"), &three);
  EXPECT_EQ(&device("Dozen:3"), &three);
  EXPECT_EQ(&device(three.name()), &three);
  EXPECT_EQ(opened, before);
  EXPECT_EQ(&device("DOZEN:0"), &device("DOZEN"));
}
TEST_F(NumberedDevices, ThatDoNotExistAreRefusedByTheirBackend) {
  EXPECT_EQ(test::device_error([] { device("DOZEN:12"); }),
            "DOZEN: there is no device \"12\", but 0 to 11");
  EXPECT_THROW(device("DOZEN:x"), DeviceError);
  EXPECT_THROW(device("DOZEN:1:1"), DeviceError);
}
TEST_F(NumberedDevices, WithNothingBehindTheColonAreRefused) {
  EXPECT_EQ(test::device_error([] { device("DOZEN:"); }),
            "device: nothing stands behind the colon of \"DOZEN:\". Hint: DEV=DOZEN[:INDEX].");
}
TEST_F(NumberedDevices, CanBeTheDefaultByTheirFullName) {
  const OptionsScope scope(with_device("DOZEN:04"));
  EXPECT_EQ(default_device(), "DOZEN:4");
  EXPECT_EQ(device(default_device()).name(), "DOZEN:4");
}

TEST(Device, TheReferenceIsTheOneThatSaysSo) {
  const auto is_reference = [](const Backend* b) { return b->is_reference; };
  if (std::ranges::none_of(backends(), is_reference)) GTEST_SKIP() << "no CPU in this build";
  EXPECT_EQ(std::ranges::count_if(backends(), is_reference), 1);
  const Backend* reference = *std::ranges::find_if(backends(), is_reference);
  if (!reference->probe().empty()) GTEST_SKIP() << reference->probe();
  EXPECT_EQ(reference_device().name(), reference->name);
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
  EXPECT_TRUE(test::device_error([] {
                default_device();
              }).starts_with("device: unknown device \"FOO\": known are "));
}

TEST(Device, WithoutOptionTheBestUsableOneIsTheDefault) {
  OptionsScope scope(with_device(""));
  const bool has_processor = std::ranges::any_of(
      backends(), [](const Backend* b) { return b->preference >= 0 && !b->may_be_default; });
  const Backend* best = nullptr;
  for (const Backend* b : backends()) {
    if (!b->probe().empty() || (has_processor && preference_here(*b) < 0)) continue;
    if (best == nullptr || preference_here(*b) > preference_here(*best)) best = b;
  }
  if (best != nullptr) {
    EXPECT_EQ(default_device(), best->name);
  } else {
    EXPECT_NE(test::device_error([] { default_device(); }).find("DEV=INTERP"), std::string::npos);
  }
}

TEST(Device, DefaultCanBeOpened) {
  OptionsScope scope(with_device("interp"));
  EXPECT_EQ(device(default_device()).name(), "INTERP");
}

bool plugged_in = false;
const Backend kPluggable = {.name = "PLUGGABLE",
                            .preference = 99,
                            .probe = +[] { return std::string(); },
                            .open = +[] { return open_numbered("PLUGGABLE"); },
                            .may_be_default = [] { return plugged_in; }};

TEST(Device, IsTheDefaultOnlyWhereItsMachineHasWhatItIsFor) {
  add_backend(kPluggable);
  OptionsScope scope(with_device(""));
  EXPECT_LT(preference_here(kPluggable), 0);
  EXPECT_NE(default_device(), "PLUGGABLE");
  plugged_in = true;
  EXPECT_EQ(default_device(), "PLUGGABLE");
  plugged_in = false;
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
  std::string found;
  const std::string message = test::device_error([&] { found = default_device(); });
  if (!found.empty() && found != "CPU") GTEST_SKIP() << found << " works here, and is the default";
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
