// tg classify as a user sees it, with the smallest network and made-up weights.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "cli/cli.h"
#include "unit/frontend/vision/formula.h"

namespace tg::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::StartsWith;

struct Classified {
  int status = 0;
  std::string out, errors;
};

Classified classified(std::vector<std::string> arguments) {
  std::ostringstream out, errors;
  arguments.insert(arguments.begin(), "classify");
  const int status = run(std::move(arguments), out, errors);
  return {status, out.str(), errors.str()};
}

class ClassifyCommand : public testing::Test {
 protected:
  ClassifyCommand() {
    models::ImageNetwork net = models::image_network("mobilenet_v3_small", {.classes = 16});
    models::fill_by_formula(net);
    nn::save(net, model_);
    std::string names;
    for (int i = 0; i < 16; ++i) names += "kind " + std::to_string(i) + "\n";
    write_file(labels_, names);
  }

  const TempDir folder_{"classify"};
  const std::string model_ = (folder_.path() / "model.safetensors").string();
  const std::string labels_ = (folder_.path() / "labels.txt").string();
  const std::string png_ = (models::vision_reference() / "rgb.png").string();
  const std::string jpeg_ = (models::vision_reference() / "baseline.jpg").string();
};

TEST_F(ClassifyCommand, PrintsTheLikeliestClassesOfEachPicture) {
  const Classified p = classified({model_, png_, jpeg_, "--labels", labels_, "--top", "2"});
  EXPECT_EQ(p.status, 0) << p.errors;
  const std::string two = "  [ 0-9]+\\.[0-9][0-9] %  kind [0-9]+\n";
  EXPECT_THAT(p.out, MatchesRegex(png_ + ":\n" + two + two + jpeg_ + ":\n" + two + two));
}

TEST_F(ClassifyCommand, PrintsJson) {
  const Classified p = classified({model_, png_, "--json"});
  EXPECT_EQ(p.status, 0) << p.errors;
  const json line = json::parse(p.out);
  EXPECT_EQ(line.at("picture"), png_);
  ASSERT_EQ(line.at("classes").size(), 5U);
  EXPECT_THAT(line.at("classes")[0].at("label").get<std::string>(), StartsWith("class "));
  EXPECT_GE(line.at("classes")[0].at("probability"), line.at("classes")[1].at("probability"));
}

TEST_F(ClassifyCommand, NamesMistakes) {
  const auto said = [&](std::vector<std::string> arguments) {
    const Classified p = classified(std::move(arguments));
    EXPECT_NE(p.status, 0);
    return p.errors;
  };
  EXPECT_THAT(said({model_, labels_}), HasSubstr("labels.txt\" is neither PNG nor JPEG"));
  EXPECT_THAT(said({"nowhere.pth", png_}), HasSubstr("\"nowhere.pth\": No such file"));
  EXPECT_THAT(said({model_, png_, "--architecture", "resnet"}), HasSubstr("known are resnet18"));
  EXPECT_THAT(said({model_, png_, "--architecture", "vit_b_16"}), HasSubstr("missing \"class_tok"));
  EXPECT_THAT(said({model_, png_, "--top", "0"}), HasSubstr("--top"));
  EXPECT_THAT(said({model_}), HasSubstr("pictures is required"));
  const Classified help = classified({"--help"});
  EXPECT_EQ(help.status, 0);
  for (const char* option : {"--labels", "--top", "--json", "--architecture", "--device"})
    EXPECT_THAT(help.out, HasSubstr(option));
}

}  // namespace
}  // namespace tg::cli
