// A step is one recorded call: it draws the places, runs the model forwards and backwards, limits
// the gradients and updates the parameters. Only the learning rate is set from outside.
#include "train.h"

#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include "../support/interrupt.h"
#include "../support/progress.h"
#include "tg/jit.h"
#include "tg/training.h"

namespace char_gpt {
namespace {

using tg::Tensor;

constexpr int64_t kMeasurements = 10;        // of the held-out loss, in a training
constexpr int64_t kMostHeldOutWindows = 64;  // that one measurement looks at
constexpr double kLongestGradient = 1;

struct Parts {
  Tensor training, held_out;  // int32 [characters]
};

Parts split(const Speaker& speaker, std::string_view text) {
  const std::vector<int32_t> numbers = speaker.alphabet.numbers(text);
  const int64_t context = speaker.net.sizes.context;
  const auto held_out = numbers.size() / 10;
  if (static_cast<int64_t>(held_out) <= context)
    throw std::runtime_error("the text has " + std::to_string(numbers.size()) +
                             " characters, of which a tenth is held out; a context of " +
                             std::to_string(context) + " needs more than " +
                             std::to_string(10 * context + 9) +
                             ": give a longer --text or a smaller --context");
  const auto border = numbers.end() - static_cast<std::ptrdiff_t>(held_out);
  return {Tensor(std::vector<int32_t>(numbers.begin(), border)),
          Tensor(std::vector<int32_t>(border, numbers.end()))};
}

Tensor loss_of(const Gpt& net, const Tensor& text, const Tensor& start) {
  const Windows part = windows(text, start, net.sizes.context);
  return net(part.input).flatten(0, 1).cross_entropy(part.next.flatten());
}

// Windows spread evenly over a text, int32 [n, 1].
Tensor spread(const Tensor& text, int64_t context) {
  const int64_t last = text.size(0) - context - 1;
  const int64_t count = std::clamp<int64_t>(last / context + 1, 1, kMostHeldOutWindows);
  std::vector<int32_t> starts;
  for (int64_t i = 0; i < count; ++i)
    starts.push_back(static_cast<int32_t>(count == 1 ? 0 : i * last / (count - 1)));
  return Tensor(starts, {count, 1});
}

std::string note_of(const Training& so_far, double characters_per_second) {
  char note[96];
  std::snprintf(note, sizeof note, "loss %.3f  %.0f characters/s", so_far.training.losses.back(),
                characters_per_second);
  std::string out = note;
  if (so_far.held_out.losses.empty()) return out;
  std::snprintf(note, sizeof note, "  held out %.3f", so_far.held_out.losses.back());
  return out + note;
}

}  // namespace

Training train(Speaker& speaker, std::string_view text, const TrainOptions& o) {
  Gpt& net = speaker.net;
  const int64_t context = net.sizes.context;
  const Parts parts = split(speaker, text);
  tg::nn::AdamW adam(net, {.lr = o.lr, .beta2 = 0.99, .weight_decay = 0.1});
  const int64_t rising = std::max<int64_t>(1, o.steps / 20);
  tg::nn::LinearLR up(adam, {.start_factor = 0.05, .total_iters = rising});
  tg::nn::CosineAnnealingLR down(adam, std::max<int64_t>(1, o.steps - rising), o.lr / 20);
  tg::nn::SequentialLR schedule(adam, {&up, &down}, {rising});

  const int64_t places = parts.training.size(0) - context;
  tg::TinyJit step([&] {
    const tg::TrainingScope training;
    const Tensor start = Tensor::randint({o.batch, 1}, {.low = 0, .high = places}).contiguous();
    const Tensor loss = loss_of(net, parts.training, start);
    adam.zero_grad();
    loss.backward();
    tg::nn::clip_grad_norm(net, kLongestGradient);
    adam.step();
    return loss;
  });
  const Tensor held_out_start = spread(parts.held_out, context);
  tg::TinyJit measure([&] {
    const tg::NoGradScope no_gradients;
    return loss_of(net, parts.held_out, held_out_start);
  });

  const int64_t interval = std::max<int64_t>(1, o.steps / kMeasurements);
  Training out{.training = {"training", {}},
               .held_out = {.name = "held out", .losses = {}, .interval = interval}};
  examples::Progress progress(o.steps);
  while (out.steps < o.steps && !examples::stop_requested()) {
    out.training.losses.push_back(step().item<double>());
    schedule.step();
    ++out.steps;
    if (out.steps % interval == 0) out.held_out.losses.push_back(measure().item<double>());
    const double rate = progress.rate(out.steps) * static_cast<double>(o.batch * context);
    progress.show(out.steps, note_of(out, rate));
  }
  return out;
}

}  // namespace char_gpt
