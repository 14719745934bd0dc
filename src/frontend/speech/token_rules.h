// Which tokens Whisper may choose next, and how those of a window are divided into segments: plain
// numbers, after openai/whisper (decoding.py, transcribe.py). The model: speech_model.h.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "frontend/speech/whisper_folder.h"

namespace tg::models {

/// Makes −∞ of the logits [vocabulary] of tokens that may not follow `made`, which are those since
/// the prompt (SuppressTokens, SuppressBlank, and with `timestamps` ApplyTimestampRules of
/// decoding.py).
void forbid_tokens(const SpeechTokens& tokens, bool timestamps, std::span<const int32_t> made,
                   std::span<float> logits);

/// A segment of a window: frames from its beginning, and its tokens.
struct WindowSegment {
  int64_t begin = 0, end = 0;
  std::span<const int32_t> tokens;
};

struct DividedWindow {
  std::vector<WindowSegment> segments;
  int64_t frames = 0;  ///< that are done: where the next window begins
};

/// Divides the tokens of a window, of which `frames` are sound. The result refers to `made`. At
/// least two frames are done, so that it goes on in any case.
DividedWindow divided(const SpeechTokens& tokens, std::span<const int32_t> made, int64_t frames);

}  // namespace tg::models
