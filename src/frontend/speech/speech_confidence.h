// How sure Whisper is of a text, and what follows from it: plain numbers, after
// decode_with_fallback() and transcribe() of openai/whisper (transcribe.py). Who asks:
// window_writer.h, whisper.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "tg/models/whisper.h"

namespace tg::models {

/// The natural logarithm of a token's probability: its logit less log Σ exp. O(logits).
double log_probability(std::span<const float> logits, int32_t token);

/// A text without the blanks at both ends that Python's str.strip() takes from one of ASCII.
std::string_view without_blanks(std::string_view text);

/// Bytes of a text by the bytes that zlib makes of it: 0 for none, large for what repeats itself.
double compression_ratio(std::string_view text);

/// Nobody speaks, and what was written nevertheless is unlikely.
bool is_silence(const SpeechConfidence& c, const TranscribeOptions& o);

/// The text repeats itself or is unlikely, and it is not because nobody speaks.
bool is_doubtful(const SpeechConfidence& c, const TranscribeOptions& o);

}  // namespace tg::models
