// A text by a model, character by character.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "model_file.h"

namespace char_gpt {

struct SampleOptions {
  int64_t length = 400;       ///< characters to write
  double temperature = 0.8;   ///< 0: always the likeliest; above 1: more daring than the model
  std::string prompt = "\n";  ///< what the text goes on with
};

/// Goes on with the prompt; `on_character` gets each character as it comes, and ends the text by
/// returning false. Characters of the prompt that the model does not know are left out.
void sample(const Speaker& speaker, const SampleOptions& options,
            const std::function<bool(char)>& on_character);

}  // namespace char_gpt
