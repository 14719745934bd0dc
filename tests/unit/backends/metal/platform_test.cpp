// What is found at run time, and what the compiler is told about it.
#include "fake_system.h"
#include "runtime/device.h"
#include "support/options.h"
#include "target/matrix_unit.h"
#include "tg/dtype.h"

namespace tg::testing {
namespace {

using namespace tg::metal;

using Paths = std::array<std::string_view, 1>;

// ---- the runtime
TEST_F(OnFakeMetal, ARuntimeThatIsNotThereIsNoError) {
  EXPECT_EQ(open_objc(Paths{"/no/such/library"}, Paths{TG_FAKE_METAL}), nullptr);
}

TEST_F(OnFakeMetal, AFrameworkThatIsNotThereIsNoError) {
  EXPECT_EQ(open_objc(Paths{TG_FAKE_METAL}, Paths{"/no/such/framework"}), nullptr);
}

TEST_F(OnFakeMetal, ALibraryWithoutTheEntryPointsIsNoRuntime) {
  EXPECT_EQ(open_objc(Paths{"libc.so.6"}, Paths{TG_FAKE_METAL}), nullptr);
}

TEST_F(OnFakeMetal, AMessageToNothingGivesZero) {
  EXPECT_EQ(objc->count(nullptr), 0u);
  EXPECT_EQ(objc->text(nullptr), "");
  EXPECT_EQ(objc->reason(nullptr), "no reason given");
}

TEST_F(OnFakeMetal, TextsComeBackAsTheyWere) {
  const Pool pool(*objc);
  EXPECT_EQ(objc->text(objc->string("müßig\nαβγ")), "müßig\nαβγ");
}

TEST_F(OnFakeMetal, APoolEndsWhatItsMethodsGaveAway) {
  {
    const Pool pool(*objc);
    objc->string("one");
    objc->string("two");
    EXPECT_EQ(fake->live, 2);
  }
  EXPECT_EQ(fake->live, 0);
}

TEST_F(OnFakeMetal, AReferenceKeepsAnObjectBeyondItsPool) {
  Owned kept;
  {
    const Pool pool(*objc);
    kept = Owned::retained(*objc, objc->string("kept"));
  }
  EXPECT_EQ(objc->text(kept.get()), "kept");
  Owned moved = std::move(kept);
  EXPECT_EQ(objc->text(moved.get()), "kept");
  moved.reset();
  EXPECT_EQ(fake->live, 0);
}

// ---- devices
TEST_F(OnFakeMetal, TheDefaultDeviceComesFirstAndOnce) {
  fake->devices = {"first", "second", "third"};
  const std::vector<DeviceInfo> found = find_devices(*objc);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].facts.name, "first");
  EXPECT_EQ(found[1].facts.name, "second");
  EXPECT_EQ(found[2].facts.name, "third");
}

TEST_F(OnFakeMetal, ASystemThatListsNoDevicesHasItsDefault) {
  fake->lists_devices = false;
  EXPECT_EQ(find_devices(*objc).size(), 1u);
}

TEST_F(OnFakeMetal, FactsAreWhatTheDeviceSays) {
  const DeviceFacts facts = find_devices(*objc)[0].facts;
  EXPECT_EQ(facts.family, 7);
  EXPECT_TRUE(facts.has_one_memory);
  EXPECT_EQ(facts.local_bytes, 32 << 10);
  EXPECT_EQ(facts.memory_bytes, int64_t{8} << 30);
  EXPECT_EQ(facts.max_buffer_bytes, int64_t{1} << 30);
}

TEST_F(OnFakeMetal, ADeviceOfAnotherMakerHasNoFamily) {
  fake->family = 0;
  EXPECT_EQ(find_devices(*objc)[0].facts.family, 0);
  EXPECT_EQ(open()->compiler(), "Metal");
}

TEST_F(OnFakeMetal, ADeviceIsNamedByItsNumber) {
  fake->devices = {"first", "second"};
  EXPECT_EQ(open(0)->name(), "METAL");
  EXPECT_EQ(open(1)->name(), "METAL:1");
  EXPECT_EQ(open(1)->target().arch, "second");
  EXPECT_EQ(open(0)->compiler(), "Metal, family Apple 7");
}

TEST_F(OnFakeMetal, ANumberWithoutADeviceListsThoseThatAreThere) {
  fake->devices = {"first", "second"};
  EXPECT_EQ(test::device_error([&] { open(2); }),
            "METAL: there is no device 2: 0 first, 1 second.");
}

TEST_F(OnFakeMetal, AMacWithoutADeviceSaysSo) {
  fake->devices.clear();
  EXPECT_TRUE(contains(missing_device_advice(objc.get()), "no graphics processor"));
  EXPECT_TRUE(contains(test::device_error([&] { open(); }), "no graphics processor"));
}

TEST_F(OnFakeMetal, ASystemThatIsTooOldSaysSo) {
  fake->is_old = true;
  EXPECT_TRUE(contains(test::device_error([&] { open(); }), "as of macOS 11"));
}

TEST(MetalPlatform, AMachineWithoutTheRuntimeIsNoMac) {
  EXPECT_EQ(missing_device_advice(nullptr),
            "no Objective-C runtime with Metal: Metal is a part of macOS, and this is no Mac.");
}

TEST(MetalPlatform, TheNameSaysWhyThereIsNoDeviceHere) {
  if (find_objc() != nullptr) GTEST_SKIP() << "this is a Mac";
  EXPECT_TRUE(contains(test::device_error([] { device("METAL"); }), "this is no Mac"));
}

TEST(MetalPlatform, NeverStandsInForTheDefault) {
  Options o = options();
  o.device.clear();
  const OptionsScope scope(o);
  EXPECT_NE(default_device(), "METAL");
}

TEST(MetalSettings, AreANumber) {
  EXPECT_EQ(parse_index("0"), 0);
  EXPECT_EQ(parse_index("12"), 12);
  for (const char* wrong : {"fast", "-1", "1:WORK_ITEMS", "1000", "", "1x"}) {
    EXPECT_TRUE(contains(test::device_error([&] { parse_index(wrong); }), "takes [:INDEX], got"))
        << wrong;
  }
}

// ---- the target
TEST(MetalTarget, NeedsNoMac) {
  const Target t = metal_target({});
  EXPECT_EQ(t.max_group_size, 1024);
  EXPECT_EQ(t.subgroup_size, 32);
  EXPECT_EQ(t.local_bytes, 32 << 10);
  EXPECT_TRUE(t.has_fma);
}

TEST(MetalTarget, HasVectorsOfAtMostFourLanes) {
  EXPECT_EQ(metal_target({}).lanes_of(DType::Float32), 4);
}

TEST(MetalTarget, HasMatrixUnitsSinceTheFamilyOfTheM1) {
  EXPECT_TRUE(metal_target({.family = 6}).matrix_units.empty());
  const Target t = metal_target({.family = 7});
  ASSERT_EQ(t.matrix_units.size(), 2u);
  EXPECT_EQ(t.matrix_units[0]->name, "m8n8k8_f16");
  EXPECT_EQ(t.matrix_units[1]->name, "m8n8k8_f32");
}

TEST(MetalTarget, HasNoDoublePrecision) {
  const Target t = metal_target({});
  EXPECT_FALSE(t.supports(DType::Float64));
  EXPECT_TRUE(t.supports(DType::Float32));
  EXPECT_TRUE(t.supports(DType::Int64));
}

TEST(MetalTarget, FollowsTheFactsOfTheDevice) {
  const Target t = metal_target({.name = "Apple M9", .local_bytes = 64 << 10});
  EXPECT_EQ(t.arch, "Apple M9");
  EXPECT_EQ(t.local_bytes, 64 << 10);
  EXPECT_NE(t.machine, metal_target({}).machine);
  EXPECT_EQ(machine_of({.local_bytes = 64 << 10}).local_bytes, 64 << 10);
}

}  // namespace
}  // namespace tg::testing
