// The window that the model sees has always the same shape, so that one recorded call serves all:
// the text stands at its beginning, and what is behind it no place before it can see.
#include "sample.h"

#include <algorithm>
#include <vector>

#include "tg/jit.h"

namespace char_gpt {

using tg::Tensor;

void sample(const Speaker& speaker, const SampleOptions& options,
            const std::function<bool(char)>& on_character) {
  const tg::NoGradScope no_gradients;
  const auto context = static_cast<size_t>(speaker.net.sizes.context);
  tg::TinyJit next([&](const Tensor& window, const Tensor& last) {
    const Tensor scores = speaker.net(window)[{0, last}];
    if (options.temperature == 0) return scores.argmax({.axis = -1});
    return (scores / options.temperature).softmax().multinomial();
  });
  std::vector<int32_t> text = speaker.alphabet.numbers(options.prompt);
  if (text.empty()) text.push_back(0);
  for (int64_t i = 0; i < options.length; ++i) {
    const size_t seen = std::min(context, text.size());
    std::vector<int32_t> window(text.end() - static_cast<std::ptrdiff_t>(seen), text.end());
    window.resize(context, 0);
    const Tensor last(std::vector<int32_t>{static_cast<int32_t>(seen - 1)});
    text.push_back(next(Tensor(window, {1, static_cast<int64_t>(context)}), last).item<int32_t>());
    if (!on_character(speaker.alphabet.character(text.back()))) return;
  }
}

}  // namespace char_gpt
