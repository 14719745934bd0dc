// A step is one recorded call: it runs the model forwards and backwards on the tokens that it is
// given, limits the gradients and updates the adapter. Only the learning rate is set from outside.
#include "train.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>

#include "../support/interrupt.h"
#include "../support/progress.h"
#include "tg/autograd.h"
#include "tg/jit.h"
#include "tg/training.h"

namespace lora {
namespace {

using tg::Tensor;

constexpr double kLongestGradient = 1;
constexpr int64_t kUnrecorded = 2;  // calls before replays

std::string note_of(double loss, double tokens_per_second) {
  char note[96];
  std::snprintf(note, sizeof note, "loss %.3f  %.0f tokens/s", loss, tokens_per_second);
  return note;
}

}  // namespace

Training train(const tg::models::LanguageModel& model, const Lessons& lessons,
               const TrainOptions& o) {
  const std::vector<Tensor> parameters = model.adapter_parameters();
  tg::nn::AdamW adam(parameters, {.lr = o.lr, .weight_decay = 0});
  const int64_t rising = std::max<int64_t>(1, o.steps / 20);
  tg::nn::LinearLR up(adam, {.start_factor = 0.05, .total_iters = rising});
  tg::nn::CosineAnnealingLR down(adam, std::max<int64_t>(1, o.steps - rising), o.lr / 20);
  tg::nn::SequentialLR schedule(adam, {&up, &down}, {rising});
  tg::TinyJit step([&](const Tensor& tokens, const Tensor& labels) {
    const tg::TrainingScope training;
    const Tensor logits = model.forward(tokens).flatten(0, 1);
    const Tensor loss = logits.cross_entropy(labels.flatten(), {.ignore_index = kNoLabel});
    adam.zero_grad();
    loss.backward();
    tg::nn::clip_grad_norm(parameters, kLongestGradient);
    adam.step();
    return loss;
  });

  std::mt19937_64 random(o.seed);
  const tg::Shape shape = {o.batch, o.length};
  const tg::TensorOptions on{.device = parameters.front().device()};
  Training out{.losses = {"training", {}}};
  examples::Progress progress(o.steps);
  auto start = std::chrono::steady_clock::now();
  while (out.steps < o.steps && !examples::stop_requested()) {
    const Batch batch = draw(lessons, o.batch, o.length, random);
    const Tensor loss = step(Tensor(batch.tokens, shape, on), Tensor(batch.labels, shape, on));
    out.losses.losses.push_back(loss.item<double>());
    schedule.step();
    if (++out.steps == kUnrecorded) start = std::chrono::steady_clock::now();
    const std::chrono::duration<double> since = std::chrono::steady_clock::now() - start;
    out.seconds = out.steps > kUnrecorded ? since.count() : 0;
    const auto replays = static_cast<double>(out.steps - kUnrecorded);
    const double rate = out.seconds > 0 ? replays / out.seconds : 0;
    progress.show(out.steps, note_of(out.losses.losses.back(),
                                     rate * static_cast<double>(o.batch * o.length)));
  }
  return out;
}

}  // namespace lora
