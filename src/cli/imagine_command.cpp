// tg imagine: pictures out of noise, by a diffusion model with published weights, as one PNG file.
// The model: tg/models/diffusion.h.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <ostream>

#include "cli/cli.h"
#include "cli/loading_bar.h"
#include "support/check.h"
#include "support/interrupt.h"
#include "support/progress.h"
#include "support/text.h"
#include "tg/models/diffusion.h"
#include "tg/models/image.h"

namespace tg::cli {
namespace {

struct ImagineSettings {
  std::string model, sampler, output;
  models::DiffusionOptions load;
  models::ImagineOptions imagine;
  images::GridOptions grid;
};

// With a bar of the steps.
Tensor imagined(models::Diffusion& model, models::ImagineOptions options) {
  const InterruptScope interrupts;
  std::optional<ProgressBar> bar;
  int64_t shown = 0;
  options.on_step = [&](int64_t done, int64_t all, const Tensor&) {
    check_interrupt("imagine");
    if (!bar) bar.emplace("imagining (steps)", all);
    bar->advance(done - shown);
    shown = done;
  };
  Tensor out = model.generate(options);
  if (bar) bar->finish();
  return out;
}

void imagine(ImagineSettings s, std::ostream& out) {
  if (!s.sampler.empty()) s.load.sampler = models::sampler_of_name(s.sampler);
  models::Diffusion model = with_loading_bar(
      s.load, [&](const auto& options) { return models::Diffusion::load(s.model, options); });
  const models::DiffusionInfo& info = model.info();
  const std::string classes = info.classes > 0 ? fmt::format(" of {} classes", info.classes) : "";
  std::cerr << fmt::format("{} numbers, {} of weights, pictures of {} x {} pixels{}, by {}\n",
                           info.parameters, human_bytes(info.weight_bytes), info.width, info.height,
                           classes, models::sampler_name(model.schedule().options().sampler));
  const Tensor pictures = imagined(model, s.imagine);
  const Tensor all = images::grid(pictures.permute({0, 3, 1, 2}), s.grid);
  images::write_png(all, s.output);
  out << fmt::format("{}: {} pictures of {} x {}\n", s.output, s.imagine.count, info.width,
                     info.height);
}

}  // namespace

void add_imagine_command(CLI::App& app, std::ostream& out) {
  auto s = std::make_shared<ImagineSettings>();
  CLI::App* c =
      app.add_subcommand("imagine", "Make pictures out of noise, by a diffusion model's weights");
  c->add_option("model", s->model,
                "a folder of DDPMPipeline or DDIMPipeline, with model_index.json")
      ->required();
  c->add_option("--count", s->imagine.count, "pictures")->capture_default_str();
  c->add_option("--steps", s->imagine.steps, "steps from noise to a picture")
      ->capture_default_str();
  c->add_option("--seed", s->imagine.seed, "of the random numbers")->capture_default_str();
  c->add_option("--output", s->output, "the PNG file, with all pictures side by side")->required();
  c->add_option("--scheduler", s->sampler,
                "ddpm, ddim or euler; if left out, what the folder says");
  c->add_option("--eta", s->imagine.eta, "for ddim: the share of new noise, 0 to 1")
      ->capture_default_str();
  c->add_option("--class", s->imagine.class_label, "for a model of classes: the number of one");
  c->add_option("--columns", s->grid.columns, "pictures in a row; 0: about as many as rows")
      ->capture_default_str();
  c->add_option("--device", s->load.device, "where it computes; the default device if left out");
  c->callback([s, &out] { imagine(*s, out); });
}

}  // namespace tg::cli
