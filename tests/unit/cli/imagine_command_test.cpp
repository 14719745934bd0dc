// tg imagine as a user sees it, on tiny models with random weights.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iostream>
#include <sstream>

#include "cli/cli.h"
#include "support/file.h"
#include "tg/models/diffusion.h"
#include "tg/models/image.h"
#include "unit/frontend/diffusion/diffusion_reference.h"

namespace tg::cli {
namespace {

using testing::HasSubstr;

class ImagineCommand : public testing::Test {
 protected:
  struct Result {
    int status = 0;
    std::string out, errors, log;
  };

  Result said(const std::string& model, std::vector<std::string> arguments) const {
    std::ostringstream out, errors, log;
    std::streambuf* const old_log = std::cerr.rdbuf(log.rdbuf());
    arguments.insert(arguments.begin(), {"imagine", models::diffusion_reference(model).string()});
    const int status = run(std::move(arguments), out, errors);
    std::cerr.rdbuf(old_log);
    return {status, out.str(), errors.str(), log.str()};
  }

  const TempDir folder_{"imagine_command"};
  const std::string file_ = (folder_.path() / "grid.png").string();
};

TEST_F(ImagineCommand, WritesThePicturesOfASeedSideBySide) {
  const Result r = said("first", {"--count", "3", "--steps", "2", "--seed", "7", "--scheduler",
                                  "ddim", "--columns", "3", "--output", file_});
  EXPECT_EQ(r.status, 0) << r.errors;
  EXPECT_EQ(r.out, file_ + ": 3 pictures of 8 x 8\n");
  EXPECT_THAT(r.log, HasSubstr("45259 numbers, "));
  EXPECT_THAT(r.log, HasSubstr(" of weights, pictures of 8 x 8 pixels, by ddim\n"));
  const Tensor grid = images::read(file_);
  EXPECT_EQ(grid.shape(), (Shape{12, 32, 3}));  // two pixels between pictures
  auto model = models::Diffusion::load(models::diffusion_reference("first"),
                                       {.sampler = models::Sampler::Ddim});
  const Tensor wanted = model.generate({.count = 3, .steps = 2, .seed = 7});
  const Tensor last = grid[{Slice(2, 10), Slice(22, 30)}];
  EXPECT_EQ(models::worst_difference(last.cast(DType::Float32), wanted[2].cast(DType::Float32)), 0);
}

TEST_F(ImagineCommand, TakesAClassAndGreyPictures) {
  const Result r = said(
      "later", {"--count", "2", "--steps", "2", "--class", "3", "--eta", "0.5", "--output", file_});
  EXPECT_EQ(r.status, 0) << r.errors;
  EXPECT_THAT(r.log, HasSubstr("pictures of 12 x 8 pixels of 5 classes, by ddim\n"));
  EXPECT_EQ(images::read(file_).shape(), (Shape{12, 30, 3}));
}

TEST_F(ImagineCommand, NamesMistakes) {
  const auto error = [&](const std::string& model, std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--output", file_});
    const Result r = said(model, std::move(arguments));
    EXPECT_NE(r.status, 0);
    return r.errors;
  };
  EXPECT_THAT(error("nowhere", {}), HasSubstr("model_index.json"));
  EXPECT_THAT(error("first", {"--scheduler", "pndm"}),
              HasSubstr("there is no sampler \"pndm\". Hint: there are ddpm, ddim, euler."));
  EXPECT_THAT(error("first", {"--steps", "0"}), HasSubstr("plan: steps must be 1 to 1000, got 0."));
  EXPECT_THAT(error("first", {"--count", "0"}), HasSubstr("sample: count must be 1 to"));
  EXPECT_THAT(error("first", {"--class", "1"}), HasSubstr("sample: the model has no classes."));
  EXPECT_THAT(error("first", {"--eta", "1"}), HasSubstr("plan: eta is of ddim, and the sampler "));
  EXPECT_THAT(error("later", {}), HasSubstr("sample: the model wants one of 5 classes."));
  EXPECT_THAT(said("first", {}).errors, HasSubstr("--output is required"));
  EXPECT_THAT(said("first", {"--steps", "1", "--output", "/nowhere/grid.png"}).errors,
              HasSubstr("/nowhere/grid.png"));
}

}  // namespace
}  // namespace tg::cli
