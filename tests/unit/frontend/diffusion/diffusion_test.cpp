// Two tiny diffusion models make the pictures that `diffusers` makes of the same noise, step by
// step (diffusion_reference.h). Folders that are wrong: diffusion_hostile_test.cpp.
#include "tg/models/diffusion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/error_text.h"
#include "tg/error.h"
#include "tg/interrupt.h"
#include "tg/random.h"
#include "unit/frontend/diffusion/diffusion_reference.h"

namespace tg::models {
namespace {

using test::error_text;

struct TrajectoryCase {
  std::string model, sampler;
  int64_t steps;
  double eta = 0;
};

class Trajectories : public testing::TestWithParam<TrajectoryCase> {};

TEST_P(Trajectories, AreThoseOfDiffusers) {
  const TrajectoryCase& c = GetParam();
  const auto folder = diffusion_reference(c.model);
  const nn::StateDict expected = nn::load(folder / "expected.safetensors");
  const std::string label = c.sampler + "." + std::to_string(c.steps);
  const Tensor &noise = expected.at("noise." + label), &xs = expected.at("trajectory." + label);
  Diffusion model = Diffusion::load(folder, {.sampler = sampler_of_name(c.sampler)});
  ImagineOptions o{.count = 2, .steps = c.steps, .eta = c.eta, .noise = [&](int64_t draw) {
                     return noise[draw];
                   }};
  if (model.info().classes > 0) o.class_label = 2;
  for (int call = 0; call < 2; ++call) {  // the second is played throughout
    int64_t steps = 0;
    o.on_step = [&](int64_t done, int64_t all, const Tensor& x) {
      EXPECT_EQ(done, ++steps);
      EXPECT_EQ(all, c.steps);
      EXPECT_LT(worst_difference(x, xs[done - 1]), 1e-5) << "step " << done;
    };
    EXPECT_LT(worst_difference(model.sample(o), xs[c.steps - 1]), 1e-5);
    EXPECT_EQ(steps, c.steps);
  }
}

std::vector<TrajectoryCase> trajectory_cases() {
  std::vector<TrajectoryCase> out;
  for (const std::string model : {"first", "later"}) {
    out.push_back({model, "ddpm", 4});
    out.push_back({model, "ddim", 3});
    out.push_back({model, "ddim", 2, 0.7});
    out.push_back({model, "euler", 3});
  }
  return out;
}

INSTANTIATE_TEST_SUITE_P(All, Trajectories, testing::ValuesIn(trajectory_cases()),
                         [](const auto& info) {
                           return info.param.model + "_" + info.param.sampler +
                                  std::to_string(info.param.steps);
                         });

TEST(Diffusions, KnowWhatTheyAre) {
  const Diffusion first = Diffusion::load(diffusion_reference("first"));
  EXPECT_EQ(first.info().height, 8);
  EXPECT_EQ(first.info().width, 8);
  EXPECT_EQ(first.info().channels, 3);
  EXPECT_EQ(first.info().classes, 0);
  EXPECT_EQ(first.info().parameters, 45259);
  EXPECT_EQ(first.info().weight_bytes,
            std::filesystem::file_size(diffusion_reference("first") /
                                       "diffusion_pytorch_model.safetensors"));
  EXPECT_EQ(first.schedule().options().sampler, Sampler::Ddpm);
  EXPECT_TRUE(first.schedule().options().has_large_variance);
  const Diffusion later = Diffusion::load(diffusion_reference("later"));
  EXPECT_EQ(later.info().height, 8);
  EXPECT_EQ(later.info().width, 12);
  EXPECT_EQ(later.info().channels, 1);
  EXPECT_EQ(later.info().classes, 5);
  EXPECT_EQ(later.schedule().options().sampler, Sampler::Ddim);
  EXPECT_EQ(later.schedule().options().times, 200);
}

TEST(Diffusions, TellHowMuchIsRead) {
  uint64_t done = 0, all = 0;
  const Diffusion model =
      Diffusion::load(diffusion_reference("first"), {.progress = [&](uint64_t d, uint64_t a) {
                        done = d;
                        all = a;
                      }});
  EXPECT_EQ(all, model.info().weight_bytes);
  EXPECT_GT(done, all * 8 / 10);  // all but the file's header
  EXPECT_LE(done, all);
}

TEST(Diffusions, MakeTheSamePicturesOfASeedInAnyCount) {
  Diffusion model = Diffusion::load(diffusion_reference("first"));
  const Tensor many = model.generate({.count = 18, .steps = 3, .seed = 4});
  EXPECT_EQ(many.shape(), (Shape{18, 8, 8, 3}));
  EXPECT_EQ(many.dtype(), DType::UInt8);
  std::vector<int64_t> done;
  const Tensor two = model.generate(
      {.count = 2, .steps = 3, .seed = 4, .on_step = [&](int64_t d, int64_t, const Tensor& x) {
         done.push_back(d);
         EXPECT_EQ(x.shape(), (Shape{2, 3, 8, 8}));
       }});
  EXPECT_THAT(done, testing::ElementsAre(1, 2, 3));
  const auto difference = [](const Tensor& a, const Tensor& b) {
    return (a.cast(DType::Float32) - b.cast(DType::Float32)).abs().max().item<float>();
  };
  EXPECT_LE(difference(two, many[{Slice(0, 2)}]), 1);  // sums may be of another order
  EXPECT_GT(difference(two[0], two[1]), 30);
  EXPECT_GT(difference(many[1], many[17]), 30);
  EXPECT_GT(difference(two, model.generate({.count = 2, .steps = 3, .seed = 5})), 30);
}

TEST(Diffusions, CountStepsOverAllPictures) {
  Diffusion model = Diffusion::load(diffusion_reference("first"));
  std::vector<int64_t> done;
  int64_t pictures = 0;
  model.sample({.count = 17, .steps = 2, .on_step = [&](int64_t d, int64_t all, const Tensor& x) {
                  done.push_back(d);
                  EXPECT_EQ(all, 4);
                  pictures += x.size(0);
                }});
  EXPECT_THAT(done, testing::ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(pictures, 34);
}

TEST(Diffusions, StartWithNormalNumbers) {
  // A network of zeros says that there is no noise: what is left is the start, times what one
  // divides by, where nothing limits it.
  UNet2D net({.levels = {{8}}, .layers = 1, .groups = 4});
  nn::StateDict zeros;
  for (const auto& [name, tensor] : nn::state_dict(net)) zeros.emplace(name, tensor.zeros_like());
  nn::load_state_dict(net, zeros);
  const NoiseSchedule schedule({.sampler = Sampler::Ddim, .clip = 0});
  Diffusion model(net, schedule, 32, 32);
  const double scale = schedule.plan(1).steps[0].divisor;
  const Tensor x = model.sample({.count = 4, .steps = 1, .seed = 9}) * scale;
  EXPECT_NEAR(x.mean().item<float>(), 0, 0.03);
  EXPECT_NEAR(x.square().mean().item<float>(), 1, 0.05);
  EXPECT_NEAR(x.square().square().mean().item<float>(), 3, 0.3);
  EXPECT_GT(x.max().item<float>(), 3);
  EXPECT_LT(x.min().item<float>(), -3);
}

TEST(Diffusions, LeaveTheRandomNumbersOfTheProgram) {
  manual_seed(3);
  const Tensor wanted = Tensor::randn({4}).realize();
  manual_seed(3);
  Diffusion model = Diffusion::load(diffusion_reference("first"));
  model.sample({.steps = 2});
  EXPECT_EQ(worst_difference(Tensor::randn({4}), wanted), 0);
}

TEST(Diffusions, RefuseOptionsThatTheyCannotUse) {
  Diffusion first = Diffusion::load(diffusion_reference("first"));
  Diffusion later = Diffusion::load(diffusion_reference("later"));
  const auto said = [](Diffusion& model, const ImagineOptions& o) {
    return error_text([&] { model.sample(o); });
  };
  EXPECT_EQ(said(first, {.count = 0}), "sample: count must be 1 to 1048576, got 0.");
  EXPECT_EQ(said(first, {.steps = 2000}), "plan: steps must be 1 to 1000, got 2000.");
  EXPECT_EQ(said(first, {.eta = 1}), "plan: eta is of ddim, and the sampler ddpm, got 1.");
  EXPECT_EQ(said(first, {.class_label = 1}), "sample: the model has no classes.");
  EXPECT_EQ(said(later, {}), "sample: the model wants one of 5 classes. Hint: give class_label.");
  EXPECT_EQ(said(later, {.class_label = 5}), "sample: class_label must be 0 to 4, got 5.");
  EXPECT_EQ(said(first, {.noise =
                             [](int64_t) {
                               return Tensor::zeros({1, 8, 8, 3});
                             }}),
            "sample: noise is [1, 3, 8, 8], got [1, 8, 8, 3].");
  const UNet2D net({.levels = {{8}, {8}}, .layers = 1, .groups = 4});
  EXPECT_EQ(error_text([&] { Diffusion model(net, NoiseSchedule(), 8, 7); }),
            "Diffusion: height and width must be multiples of 2 for 2 levels, got 7.");
  const UNet2D two({.channels = 2, .levels = {{8}}, .layers = 1, .groups = 4});
  EXPECT_EQ(error_text([&] { Diffusion model(two, NoiseSchedule(), 8, 8); }),
            "Diffusion: the network is from 2 to 2 channels, and pictures have 1 or 3.");
}

TEST(Diffusions, StopWhereTheProgramAsksForIt) {
  Diffusion model = Diffusion::load(diffusion_reference("first"));
  model.sample({.steps = 3});
  int64_t steps = 0;
  const InterruptHook old = set_interrupt_hook({});
  const ImagineOptions o{.steps = 500, .on_step = [&](int64_t done, int64_t, const Tensor&) {
                           steps = done;
                           if (done == 2) set_interrupt_hook([] { return true; });
                         }};
  EXPECT_THROW(model.sample(o), CancelledError);
  set_interrupt_hook(old);
  EXPECT_LT(steps, 400);
  EXPECT_EQ(model.sample({.steps = 3}).size(0), 1);
}

}  // namespace
}  // namespace tg::models
