// Loading: files, names, TG_BACKENDS, and plug-ins that work.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "plugin_test_util.h"
#include "support/file.h"
#include "support/options.h"

namespace tg {
namespace {

// Leak checkers do not know the addresses of the example's device.
class CachedMemoryIsReleased : public testing::Environment {
  void TearDown() override {
    for (const Backend* b : backends()) {
      if (b->name.starts_with("CC_")) device(b->name).allocator().release_cached();
    }
  }
};
[[maybe_unused]] const auto* const kRelease =
    testing::AddGlobalTestEnvironment(new CachedMemoryIsReleased);

Options with_backends(const std::string& list, const std::string& wanted = "") {
  Options o = options();
  o.backends = list;
  o.device = wanted;
  return o;
}

TEST(LoadBackend, GivesTheNameOfADeviceThatComputes) {
  const std::string name = load_backend(test::plugin_path("cc_backend_A"));
  EXPECT_EQ(name, "CC_A");
  EXPECT_EQ(test::small_program("cc_a"), (std::vector<float>{3, 5, 7, 9, 11, 13}));
  EXPECT_EQ(device(name).compiler(), "/usr/bin/cc");
  EXPECT_FALSE(device(name).allocator().host_visible());
}

TEST(LoadBackend, LoadsAFileOnceHoweverItIsNamed) {
  const std::string path = test::plugin_path("cc_backend_A");
  const std::string name = load_backend(path);
  const size_t before = backends().size();
  EXPECT_EQ(load_backend(path), name);
  EXPECT_EQ(load_backend(std::string(TG_PLUGINS) + "../plugins/cc_backend_A.so"), name);
  EXPECT_EQ(backends().size(), before);
}

TEST(LoadBackend, AddsToTheTableAndLeavesOldSpansAlone) {
  const auto before = backends();
  const std::vector<const Backend*> copy(before.begin(), before.end());
  load_backend(test::plugin_path("faulty_NEWER_TABLE"));
  EXPECT_TRUE(std::ranges::equal(before, copy));
  ASSERT_EQ(backends().size(), before.size() + 1);
  EXPECT_EQ(backends().back()->name, "F_NEWER_TABLE");
  EXPECT_TRUE(std::ranges::equal(backends().first(before.size()), copy));
}

TEST(LoadBackend, RefusesASecondFileOfTheSameName) {
  load_backend(test::plugin_path("faulty_NONE"));
  const TempDir folder("tg-plugin");
  const std::string copy = (folder.path() / "copy.so").string();
  std::filesystem::copy_file(test::plugin_path("faulty_NONE"), copy);
  EXPECT_EQ(test::message_of([&] { load_backend(copy); }),
            "load_backend: \"" + copy +
                "\": there is a device F_NONE already, of plug-in "
                "DIR/faulty_NONE.so.");
}

TEST(LoadBackend, NamesAFileThatIsNotThere) {
  EXPECT_EQ(test::message_of([] { load_backend("/no/such/plugin.so"); }),
            "load_backend: \"/no/such/plugin.so\": cannot be opened: /no/such/plugin.so: cannot "
            "open shared object file: No such file or directory.");
}

TEST(LoadBackend, RefusesAnEmptyPath) {
  EXPECT_TRUE(test::message_of([] {
                load_backend("");
              }).starts_with("load_backend: \"\": cannot be opened: "));
}

TEST(LoadBackend, RefusesAFileThatIsNoSharedObject) {
  const TempDir folder("tg-plugin");
  const std::string path = (folder.path() / "text.so").string();
  ASSERT_TRUE(try_write_file(path,
                             "this is no shared object, but long enough for a header: "
                             "0123456789012345678901234567890123456789"));
  EXPECT_TRUE(test::message_of([&] {
                load_backend(path);
              }).starts_with("load_backend: \"" + path + "\": cannot be opened: "));
}

TEST(LoadBackend, SurvivesTruncatedFiles) {
  const auto whole = try_read_file(test::plugin_path("faulty_NONE"));
  ASSERT_TRUE(whole);
  const TempDir folder("tg-plugin");
  // Only what the loader itself notices: a header that is cut off.
  for (const size_t size : {size_t{0}, size_t{3}, size_t{16}, size_t{63}}) {
    const std::string path = (folder.path() / ("cut" + std::to_string(size) + ".so")).string();
    ASSERT_TRUE(try_write_file(path, whole->substr(0, size)));
    EXPECT_THROW(load_backend(path), DeviceError) << size;
  }
}

TEST(LoadBackend, HandsKernelsOverAsLlvmIrOneByOne) {
  const std::string name = load_backend(test::plugin_path("faulty_WANTS_LLVM"));
  EXPECT_NO_THROW(test::small_program(name));
}

TEST(BackendsOption, IsLoadedWhenADeviceIsLookedFor) {
  const OptionsScope scope(with_backends(test::plugin_path("cc_backend_B") + "::", "CC_B"));
  EXPECT_EQ(default_device(), "CC_B");
  EXPECT_EQ(test::small_program(""), (std::vector<float>{3, 5, 7, 9, 11, 13}));
  EXPECT_TRUE(failed_backends().empty());
}

TEST(BackendsOption, FailingDoesNotHarmADeviceThatIsNamed) {
  const OptionsScope scope(with_backends("/no/such/a.so", "INTERP"));
  EXPECT_EQ(default_device(), "INTERP");
  EXPECT_EQ(test::small_program(""), (std::vector<float>{3, 5, 7, 9, 11, 13}));
  ASSERT_EQ(failed_backends().size(), 1u);
  EXPECT_EQ(failed_backends()[0].path, "/no/such/a.so");
}

TEST(BackendsOption, FailingIsAnErrorWhereTheDefaultWouldStandIn) {
  const OptionsScope scope(with_backends("/no/such/b.so"));
  EXPECT_EQ(test::message_of([] { default_device(); }),
            "TG_BACKENDS: load_backend: \"/no/such/b.so\": cannot be opened: /no/such/b.so: cannot "
            "open shared object file: No such file or directory. Hint: correct TG_BACKENDS, or "
            "choose a device with DEV.");
}

TEST(BackendsOption, FailingIsToldWhereADeviceIsUnknown) {
  const OptionsScope scope(with_backends("/no/such/c.so", "VENDOR"));
  const std::string message = test::message_of([] { default_device(); });
  EXPECT_TRUE(message.starts_with("device: unknown device \"VENDOR\": known are "));
  EXPECT_NE(message.find("; not loaded: load_backend: \"/no/such/c.so\": cannot be opened"),
            std::string::npos)
      << message;
}

TEST(AddBackend, RefusesANameThatIsTaken) {
  const Backend* first = backends().front();
  EXPECT_EQ(test::message_of([&] { add_backend(*first); }),
            "add_backend: there is a device " + std::string(first->name) + " already.");
}

}  // namespace
}  // namespace tg
