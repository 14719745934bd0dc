// Calibration files: what is written comes back, and whatever else is in the file counts as
// nothing.
#include "target/calibration.h"

#include <gtest/gtest.h>

#include "support/file.h"
#include "support/options.h"

namespace tg {
namespace {

constexpr Calibration kMeasured = {
    .flops_per_second = 1.25e11, .bytes_per_second = 3.5e10, .launch_seconds = 2.5e-6};

Options with_cache(const std::string& folder) {
  Options o = options();
  o.cache_dir = folder;
  return o;
}

TEST(Calibration, ComesBackFromItsText) {
  EXPECT_EQ(parse_calibration(calibration_text(kMeasured, "zen4"), "zen4"), kMeasured);
}

TEST(Calibration, OfAnotherMachineIsNone) {
  EXPECT_FALSE(parse_calibration(calibration_text(kMeasured, "zen4"), "zen3").has_value());
}

TEST(Calibration, CutOffAnywhereIsNone) {
  const std::string text = calibration_text(kMeasured, "zen4");
  for (size_t n = 0; n < text.size(); ++n) {
    EXPECT_FALSE(parse_calibration(text.substr(0, n), "zen4").has_value()) << n << " bytes";
  }
}

class DamagedCalibration : public testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(DamagedCalibration, IsNone) {
  std::string text = calibration_text(kMeasured, "zen4");
  const auto [from, to] = GetParam();
  const size_t at = text.find(from);
  ASSERT_NE(at, std::string::npos);
  text.replace(at, std::string(from).size(), to);
  EXPECT_FALSE(parse_calibration(text, "zen4").has_value()) << text;
}

INSTANTIATE_TEST_SUITE_P(
    Text, DamagedCalibration,
    testing::Values(std::pair{"calibration 1", "calibration 2"}, std::pair{"1.25e+11", "nan"},
                    std::pair{"1.25e+11", "inf"}, std::pair{"1.25e+11", "-1.25e+11"},
                    std::pair{"1.25e+11", "0"}, std::pair{"1.25e+11", ""},
                    std::pair{"1.25e+11", "1.25e+11 7"}, std::pair{"1.25e+11", "1e999"},
                    std::pair{"flops_per_second", "flops"}, std::pair{"3.5e+10", "3"},
                    std::pair{"2.5e-06", "5"}, std::pair{"2.5e-06", "0x1"}));

TEST(Calibration, IsKeptInTheCacheFolderForEachDevice) {
  const TempDir dir;
  const OptionsScope scope(with_cache(dir.path().string()));
  EXPECT_FALSE(load_calibration("CPU", "zen4").has_value());
  EXPECT_TRUE(save_calibration("CPU", "zen4", kMeasured));
  EXPECT_EQ(load_calibration("CPU", "zen4"), kMeasured);
  EXPECT_FALSE(load_calibration("CUDA", "zen4").has_value());
}

TEST(Calibration, IsNotKeptWithoutACacheFolder) {
  const OptionsScope scope(with_cache(""));
  EXPECT_FALSE(save_calibration("CPU", "zen4", kMeasured));
  EXPECT_FALSE(load_calibration("CPU", "zen4").has_value());
}

TEST(Calibration, ReplacesTheSpeedsOfATargetAlone) {
  Target t, before = t;
  apply_calibration(t, kMeasured);
  EXPECT_EQ(t.flops_per_second, kMeasured.flops_per_second);
  EXPECT_EQ(t.bytes_per_second, kMeasured.bytes_per_second);
  EXPECT_EQ(t.launch_seconds, kMeasured.launch_seconds);
  EXPECT_EQ(t.vector_bytes, before.vector_bytes);
  EXPECT_EQ(t.threads, before.threads);
}

}  // namespace
}  // namespace tg
