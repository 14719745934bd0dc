// tg detect as a user sees it, with the tiny network of tests/reference/detection.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/cli.h"
#include "tg/models/image.h"
#include "unit/frontend/detection/detection_reference.h"

namespace tg::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::MatchesRegex;

struct Detected {
  int status = 0;
  std::string out, errors;
};

Detected detected(std::vector<std::string> arguments) {
  std::ostringstream out, errors;
  arguments.insert(arguments.begin(), "detect");
  const int status = run(std::move(arguments), out, errors);
  return {status, out.str(), errors.str()};
}

class DetectCommand : public testing::Test {
 protected:
  DetectCommand() {
    const nn::StateDict expected = nn::load(models::detection_reference("expected.safetensors"));
    images::write_png(expected.at("0.picture"), first_);
    images::write_png(expected.at("2.picture"), second_);
  }
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }

  const TempDir folder_{"detect"};
  const std::string model_ = models::detection_reference("tiny.pt").string();
  const std::string first_ = path("first.png"), second_ = path("second.png");
};

TEST_F(DetectCommand, PrintsALineForEachObject) {
  const Detected p = detected({model_, first_, second_, "--size", "64", "--most", "2"});
  EXPECT_EQ(p.status, 0) << p.errors;
  const std::string line =
      "  [ 0-9]+\\.[0-9][0-9] %  [ 0-9]+, [ 0-9]+ to [ 0-9]+, [ 0-9]+  (person|traffic light|bird|"
      "café|teddy bear)\n";
  EXPECT_THAT(p.out, MatchesRegex(first_ + ":\n" + line + line + second_ + ":\n" + line + line));
  EXPECT_EQ(detected({model_, first_, "--size", "64", "--confidence", "1"}).out,
            first_ + ": nothing\n");
}

TEST_F(DetectCommand, PrintsJson) {
  const Detected p = detected({model_, first_, "--size", "64", "--json", "--iou", "1"});
  EXPECT_EQ(p.status, 0) << p.errors;
  const json line = json::parse(p.out);
  EXPECT_EQ(line.at("picture"), first_);
  ASSERT_EQ(line.at("objects").size(), 56U);
  const json& best = line.at("objects")[0];
  EXPECT_NEAR(best.at("confidence"), 0.5955289, 1e-5);
  EXPECT_EQ(best.at("box").size(), 4U);
  EXPECT_TRUE(best.at("label").is_string());
}

TEST_F(DetectCommand, DrawsBoxes) {
  const std::string drawn = path("drawn.png");
  EXPECT_EQ(detected({model_, first_, "--size", "64", "--output", drawn}).status, 0);
  EXPECT_EQ(images::read(drawn).shape(), images::read(first_).shape());
  EXPECT_NE(images::read(drawn).to_vector<uint8_t>(), images::read(first_).to_vector<uint8_t>());
  std::filesystem::create_directory(path("boxes"));
  EXPECT_EQ(detected({model_, first_, second_, "--size", "64", "--output", path("boxes")}).status,
            0);
  EXPECT_EQ(images::read(path("boxes/second.png")).shape(), images::read(second_).shape());
}

TEST_F(DetectCommand, NamesMistakes) {
  const auto said = [&](std::vector<std::string> arguments) {
    const Detected p = detected(std::move(arguments));
    EXPECT_NE(p.status, 0);
    EXPECT_EQ(p.out, "");
    return p.errors;
  };
  EXPECT_THAT(said({"nowhere.pt", first_}), HasSubstr("\"nowhere.pt\": No such file"));
  EXPECT_THAT(said({model_, model_}), HasSubstr("tiny.pt\" is neither PNG nor JPEG"));
  EXPECT_THAT(said({model_, first_, "--confidence", "2"}),
              HasSubstr("confidence must be 0 to 1, got 2"));
  EXPECT_THAT(said({model_, first_, "--size", "9999"}), HasSubstr("the size must be 32 to 8192"));
  EXPECT_THAT(said({model_, first_, second_, "--output", path("x.png")}),
              HasSubstr("x.png\" is no folder, and there are 2 pictures"));
  EXPECT_THAT(said({model_, first_, "--output", first_}),
              HasSubstr("--output would write over the picture"));
  std::filesystem::create_directory(path("boxes"));
  EXPECT_THAT(said({model_, first_, first_, "--output", path("boxes")}),
              HasSubstr("would both be written as"));
  EXPECT_THAT(said({model_}), HasSubstr("pictures is required"));
  const Detected help = detected({"--help"});
  EXPECT_EQ(help.status, 0);
  for (const char* option :
       {"--confidence", "--iou", "--most", "--size", "--output", "--labels", "--json", "--device"})
    EXPECT_THAT(help.out, HasSubstr(option));
}

}  // namespace
}  // namespace tg::cli
