// Segments of speech as the forms that people and players read: lines of text, SubRip, WebVTT and
// JSON. For tg transcribe; the speech itself: tg/models/whisper.h.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "tg/models/whisper.h"

namespace tg::cli {

enum class TranscriptForm { Text, TimedText, SubRip, WebVtt, Json };

/// What stands before the segments.
std::string transcript_head(TranscriptForm form);
/// A segment; of those without words an empty text. `number` counts those that are not empty,
/// from 1. Of Json nothing: that is one value, transcript_json.
std::string transcript_segment(TranscriptForm form, const models::SpeechSegment& segment,
                               int64_t number);
/// {"language", "text", "segments": [{"start", "end", "text", "tokens", "temperature",
/// "avg_logprob", "compression_ratio", "no_speech_prob"}]}, the names of openai/whisper, and a
/// line's end.
std::string transcript_json(const models::Transcript& transcript);

}  // namespace tg::cli
