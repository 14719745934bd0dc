// tg transcribe: the text of speech in a sound file, by Whisper, as lines, subtitles or JSON. The
// model: tg/models/whisper.h; the forms: subtitles.h.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <map>
#include <memory>
#include <ostream>

#include "cli/cli.h"
#include "cli/loading_bar.h"
#include "cli/subtitles.h"
#include "support/interrupt.h"
#include "support/progress.h"
#include "support/text.h"
#include "tg/models/audio.h"

namespace tg::cli {
namespace {

struct TranscribeSettings {
  std::string file, model;
  std::string task = "transcribe", format = "text";
  bool prints_times = false, is_independent = false;
  models::WhisperOptions load;
  models::TranscribeOptions speech;
};

TranscriptForm form_of(const TranscribeSettings& s) {
  if (s.format == "srt") return TranscriptForm::SubRip;
  if (s.format == "vtt") return TranscriptForm::WebVtt;
  if (s.format == "json") return TranscriptForm::Json;
  return s.prints_times ? TranscriptForm::TimedText : TranscriptForm::Text;
}

void transcribe_file(const TranscribeSettings& s, std::ostream& out) {
  models::Whisper model = with_loading_bar(
      s.load, [&](const auto& options) { return models::Whisper::load(s.model, options); });
  const models::WhisperInfo& info = model.info();
  const Tensor samples = audio::read(s.file, {.device = s.load.device}).samples;
  const auto seconds = static_cast<double>(samples.size(0)) / audio::kSpeechRate;
  std::cerr << fmt::format("{} and {} layers, {} wide, {} of weights; {:.1f} s of sound\n",
                           info.encoder_layers, info.decoder_layers, info.width,
                           human_bytes(info.weight_bytes), seconds);
  const TranscriptForm form = form_of(s);
  const InterruptScope interrupts;
  ProgressBar bar("transcribing (s)", static_cast<int64_t>(seconds));
  out << transcript_head(form) << std::flush;
  int64_t shown = 0, number = 1;
  const auto on_window = [&](std::span<const models::SpeechSegment> made, double heard) {
    for (const models::SpeechSegment& segment : made) {
      const std::string text = transcript_segment(form, segment, number);
      if (!text.empty()) ++number;
      out << text << std::flush;
    }
    bar.advance(static_cast<int64_t>(heard) - shown);
    shown = static_cast<int64_t>(heard);
    check_interrupt("transcribe");
  };
  const models::Transcript transcript = model.transcribe(samples, s.speech, on_window);
  bar.finish();
  if (form == TranscriptForm::Json) out << transcript_json(transcript);
  if (s.speech.language.empty() && !transcript.language.empty())
    std::cerr << fmt::format("language: {}\n", transcript.language);
}

}  // namespace

void add_transcribe_command(CLI::App& app, std::ostream& out) {
  auto s = std::make_shared<TranscribeSettings>();
  CLI::App* c =
      app.add_subcommand("transcribe", "Write down what is said in a sound file, by Whisper");
  c->add_option("audio", s->file, "WAV, FLAC, Ogg, MP3, AIFF and what else libsndfile reads")
      ->required();
  c->add_option("--model", s->model,
                "a folder with config.json, generation_config.json, model.safetensors and "
                "the tokenizer of a Whisper")
      ->required();
  c->add_option("--language", s->speech.language,
                "of the speech, such as en; found out if left out");
  c->add_option("--task", s->task, "write down what is said, or translate it to English")
      ->check(CLI::IsMember({"transcribe", "translate"}))
      ->capture_default_str();
  c->add_flag("--timestamps", s->prints_times, "print when each line is said");
  c->add_option("--format", s->format, "lines of text, subtitles (SubRip, WebVTT), or JSON")
      ->check(CLI::IsMember({"text", "srt", "vtt", "json"}))
      ->capture_default_str();
  c->add_option("--prompt", s->speech.prompt, "goes before the text: names that occur, a topic");
  c->add_flag("--independent", s->is_independent,
              "do not let each window of 30 s read the text before it");
  c->add_option(
       "--temperature", s->speech.temperatures,
       "tried one after the other while the text repeats itself or is unlikely; 0 takes the "
       "likeliest tokens, more draws them")
      ->delimiter(',')
      ->capture_default_str();
  c->add_option("--compression-ratio-threshold", s->speech.compression_ratio_threshold,
                "above it a text repeats itself")
      ->capture_default_str();
  c->add_option("--logprob-threshold", s->speech.logprob_threshold,
                "mean log-probability of a token, below which a text is unlikely")
      ->capture_default_str();
  c->add_option("--no-speech-threshold", s->speech.no_speech_threshold,
                "probability that nobody speaks, above which an unlikely text is left out")
      ->capture_default_str();
  c->add_option("--seed", s->speech.seed, "of what is drawn")->capture_default_str();
  c->add_option("--device", s->load.device, "where it computes; the default device if left out");
  c->callback([s, &out] {
    s->speech.translates = s->task == "translate";
    s->speech.condition_on_previous_text = !s->is_independent;
    transcribe_file(*s, out);
  });
}

}  // namespace tg::cli
