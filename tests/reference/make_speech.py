#!/usr/bin/env python3
"""Sounds with their spectrograms, and a small Whisper at random with what `transformers` makes of them.

  make_speech.py FOLDER    writes FOLDER/{tone.*,spectrograms.safetensors} and FOLDER/whisper; tests/unit/frontend/audio and speech read them

Run by hand (needs `pip install torch transformers soundfile`). The spectrograms are WhisperFeatureExtractor's. The model hears one
second at a time instead of thirty. Tokens are chosen under the rules of `transformers` (logits_process.py). Longer
sound: make_transcripts.py."""
import json
import pathlib
import sys

try:
  import numpy
  import soundfile
  import torch
  import transformers
  from safetensors.torch import save_file
  from transformers.generation.logits_process import WhisperTimeStampLogitsProcessor
  from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers
except ImportError as e:
  print(f"skipped: {e}")
  sys.exit(77)

RATE, POSITIONS, CONTEXT, WIDTH = 16000, 50, 64, 32
SPECIAL = ["<|endoftext|>", "<|startoftranscript|>", "<|en|>", "<|de|>", "<|fr|>", "<|translate|>", "<|transcribe|>", "<|startoflm|>",
           "<|startofprev|>", "<|nospeech|>", "<|notimestamps|>"]
TOKENS = {name: 256 + i for i, name in enumerate(SPECIAL)}
TIMES = [f"<|{0.02 * i:.2f}|>" for i in range(POSITIONS + 1)]
VOCABULARY = 256 + len(SPECIAL) + len(TIMES)


def speech_like(seconds, seed):
  """Tones that come and go over noise, with a silence in between."""
  g = numpy.random.default_rng(seed)
  t = numpy.arange(int(seconds * RATE)) / RATE
  x = 0.003 * g.standard_normal(len(t))
  for _ in range(int(6 * seconds) + 4):
    begin, length, hertz = g.uniform(0, seconds), g.uniform(0.05, 0.4), 80 * 2 ** g.uniform(0, 6)
    inside = (t > begin) & (t < begin + length)
    x += inside * 0.15 * numpy.sin(2 * numpy.pi * hertz * t) * numpy.sin(numpy.pi * (t - begin) / length)
  x[len(x) // 2:len(x) // 2 + 1500] = 0
  return (x.clip(-1, 1) * 32767).astype(numpy.int16)


def spectrogram(samples, bins=80):
  """[bins, samples / 160] of any length."""
  extractor = transformers.WhisperFeatureExtractor(feature_size=bins)
  x = torch.from_numpy(samples.astype(numpy.float32) / 32768)
  return torch.from_numpy(extractor._np_extract_fbank_features(x[None].numpy(), "cpu")[0]).float()


def write_sounds(folder):
  """A quarter of a second in stereo at 44.1 kHz, in each kind of file: 440 Hz on the left, 1000 Hz on the right."""
  t = numpy.arange(11025) / 44100
  x = 0.5 * numpy.stack([numpy.sin(2 * numpy.pi * 440 * t), numpy.sin(2 * numpy.pi * 1000 * t)], 1)
  for ending, kind in {"wav": "PCM_16", "flac": "PCM_16", "ogg": "VORBIS", "mp3": "MPEG_LAYER_III", "aiff": "PCM_24"}.items():
    soundfile.write(folder / f"tone.{ending}", x, 44100, kind)
  samples = speech_like(1, 1)
  save_file({"samples": torch.from_numpy(samples), "bins_80": spectrogram(samples), "bins_128": spectrogram(samples, 128)},
            folder / "spectrograms.safetensors")


def write_tokenizer(path):
  letters = sorted(pre_tokenizers.ByteLevel.alphabet())
  t = Tokenizer(models.BPE(vocab={c: i for i, c in enumerate(letters)}, merges=[]))
  t.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
  t.decoder = decoders.ByteLevel()
  t.add_special_tokens(SPECIAL)
  t.add_tokens([AddedToken(x, normalized=False) for x in TIMES])
  t.save(str(path / "tokenizer.json"))


def build(suppressed):
  config = transformers.WhisperConfig(
    vocab_size=VOCABULARY, num_mel_bins=80, d_model=WIDTH, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4,
    decoder_attention_heads=4, encoder_ffn_dim=48, decoder_ffn_dim=40, max_source_positions=POSITIONS, max_target_positions=CONTEXT,
    decoder_start_token_id=TOKENS["<|startoftranscript|>"], eos_token_id=TOKENS["<|endoftext|>"], bos_token_id=TOKENS["<|endoftext|>"],
    pad_token_id=TOKENS["<|endoftext|>"], suppress_tokens=suppressed, begin_suppress_tokens=[32, TOKENS["<|endoftext|>"]])
  config._attn_implementation = "eager"
  model = transformers.WhisperForConditionalGeneration(config).eval()
  g = torch.Generator().manual_seed(7)
  with torch.no_grad():
    for name, p in model.named_parameters():
      if "encoder.embed_positions" in name:
        p.copy_(p.to(torch.bfloat16).float())
        continue
      x = torch.randn(p.shape, generator=g)
      if p.ndim == 1:
        x = 0.2 * x + (0.0 if name.endswith("bias") else 1.0)
      elif "embed" in name:
        x = 0.5 * x
      else:
        x = x * 1.5 / p[0].numel() ** 0.5
      p.copy_(x.to(torch.bfloat16).float())
    # Some texts come to their end.
    model.model.decoder.embed_tokens.weight[TOKENS["<|endoftext|>"]] *= 2
  model.tie_weights()
  model.generation_config = transformers.GenerationConfig(
    is_multilingual=True, lang_to_id={x: TOKENS[x] for x in SPECIAL[2:5]}, no_timestamps_token_id=TOKENS["<|notimestamps|>"],
    task_to_id={"transcribe": TOKENS["<|transcribe|>"], "translate": TOKENS["<|translate|>"]}, max_initial_timestamp_index=20,
    suppress_tokens=suppressed, begin_suppress_tokens=[32, TOKENS["<|endoftext|>"]], max_length=CONTEXT, return_timestamps=False,
    decoder_start_token_id=config.decoder_start_token_id, eos_token_id=config.eos_token_id, pad_token_id=config.pad_token_id,
    bos_token_id=config.bos_token_id)
  return model


def greedy(model, features, language, task, timestamps):
  """The tokens behind the prompt, without the end of the text. The rules are those of `transformers`."""
  prompt = [TOKENS[f"<|{x}|>"] for x in ("startoftranscript", language, task)] + ([] if timestamps else [TOKENS["<|notimestamps|>"]])
  config = model.generation_config
  rules = [transformers.SuppressTokensLogitsProcessor(config.suppress_tokens),
           transformers.SuppressTokensAtBeginLogitsProcessor(config.begin_suppress_tokens, len(prompt))]
  if timestamps:
    rules.append(WhisperTimeStampLogitsProcessor(config, begin_index=len(prompt)))
  tokens = torch.tensor([prompt])
  while tokens.shape[1] < len(prompt) + CONTEXT // 2:
    with torch.no_grad():
      scores = model(features[None], decoder_input_ids=tokens).logits[:, -1]
    for rule in rules:
      scores = rule(tokens, scores)
    best = scores.argmax(-1)
    if best.item() == TOKENS["<|endoftext|>"]:
      break
    tokens = torch.cat([tokens, best[None]], 1)
  return tokens[0, len(prompt):].tolist()


def write_whisper(path):
  path.mkdir(exist_ok=True, parents=True)
  model = build([1, 2, 7, 8, 9, TOKENS["<|startoftranscript|>"], TOKENS["<|startoflm|>"], TOKENS["<|startofprev|>"], TOKENS["<|nospeech|>"]])
  samples = speech_like(1, 1)
  features = spectrogram(samples)
  prompt = [TOKENS[x] for x in ("<|startoftranscript|>", "<|de|>", "<|transcribe|>")]
  tokens = torch.tensor(prompt + torch.randint(0, VOCABULARY, (40,), generator=torch.Generator().manual_seed(2)).tolist())
  with torch.no_grad():
    states = model.model.encoder(features[None]).last_hidden_state[0]
    logits = model(features[None], decoder_input_ids=tokens[None]).logits[0]
    first = model(features[None], decoder_input_ids=tokens[None, :1]).logits[0, 0]
  languages = SPECIAL[2:5]
  long_samples = speech_like(3.7, 3)
  expected = {"features": features, "states": states, "tokens": tokens.int(), "logits": logits, "long_samples": torch.from_numpy(long_samples)}
  for language in ("en", "de"):
    for task in ("transcribe", "translate"):
      for timestamps in (False, True):
        made = greedy(model, features, language, task, timestamps)
        expected[f"greedy.{language}.{task}.{int(timestamps)}"] = torch.tensor(made).int()
        print(language, task, timestamps, made)
  expected["language"] = torch.tensor(max(TOKENS[x] for x in languages if first[TOKENS[x]] == max(first[TOKENS[y]] for y in languages))).int()
  save_file(expected, path / "expected.safetensors")
  model.to(torch.bfloat16).save_pretrained(path, safe_serialization=True)
  write_tokenizer(path)
  print(f"states of deviation {states.std().item():.2f}, logits {logits.std().item():.2f}, language {expected['language'].item()}")


if __name__ == "__main__":
  torch.manual_seed(0)
  target = pathlib.Path(sys.argv[1])
  target.mkdir(exist_ok=True, parents=True)
  write_sounds(target)
  write_whisper(target / "whisper")
