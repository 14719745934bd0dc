#!/usr/bin/env python3
"""What openai/whisper makes of sound with the small Whisper of make_speech.py: the segments of whole recordings.

  make_transcripts.py FOLDER    reads FOLDER/whisper and writes its transcripts.json; tests/unit/frontend/speech reads that

Run by hand (needs `pip install torch openai-whisper tokenizers safetensors numpy`). The model hears one second at a time, so the lengths
of windows that openai/whisper has as constants are set, and its words come from the folder's tokenizer."""
import json
import pathlib
import sys

try:
  import numpy
  import torch
  import whisper
  from safetensors.torch import load_file
  from tokenizers import Tokenizer
except ImportError as e:
  print(f"skipped: {e}")
  sys.exit(77)

NAMES = {"model.": "", ".layers.": ".blocks.", "self_attn_layer_norm": "attn_ln", "encoder_attn_layer_norm": "cross_attn_ln", "self_attn": "attn",
         "encoder_attn": "cross_attn", "q_proj": "query", "k_proj": "key", "v_proj": "value", "out_proj": "out", "fc1": "mlp.0", "fc2": "mlp.2",
         "final_layer_norm": "mlp_ln", "encoder.layer_norm": "encoder.ln_post", "decoder.layer_norm": "decoder.ln",
         "embed_tokens": "token_embedding", "embed_positions.weight": "positional_embedding"}


class Words:
  """What openai/whisper asks of a tokenizer."""

  def __init__(self, folder, language, task):
    self.words = Tokenizer.from_file(str(folder / "tokenizer.json"))
    named = {"eot": "endoftext", "sot": "startoftranscript", "sot_lm": "startoflm", "sot_prev": "startofprev", "no_speech": "nospeech",
             "no_timestamps": "notimestamps", "timestamp_begin": "0.00", "transcribe": "transcribe", "translate": "translate"}
    for attribute, name in named.items():
      setattr(self, attribute, self.words.token_to_id(f"<|{name}|>"))
    self.language = language
    self.sot_sequence = (self.sot, self.words.token_to_id(f"<|{language}|>"), getattr(self, task))
    self.sot_sequence_including_notimestamps = (*self.sot_sequence, self.no_timestamps)

  def encode(self, text):
    return self.words.encode(text, add_special_tokens=False).ids

  def decode(self, tokens):
    return self.words.decode([t for t in tokens if t < self.eot])


def load(folder):
  c = json.loads((folder / "config.json").read_text())
  sizes = whisper.model.ModelDimensions(
    n_mels=c["num_mel_bins"], n_audio_ctx=c["max_source_positions"], n_audio_state=c["d_model"], n_audio_head=c["encoder_attention_heads"],
    n_audio_layer=c["encoder_layers"], n_vocab=c["vocab_size"], n_text_ctx=c["max_target_positions"], n_text_state=c["d_model"],
    n_text_head=c["decoder_attention_heads"], n_text_layer=c["decoder_layers"])
  model = whisper.model.Whisper(sizes)
  # Hidden layers are four times as wide there.
  for half, width in ((model.encoder, c["encoder_ffn_dim"]), (model.decoder, c["decoder_ffn_dim"])):
    for block in half.blocks:
      block.mlp[0], block.mlp[2] = (whisper.model.Linear(c["d_model"], width), whisper.model.Linear(width, c["d_model"]))
  weights = {}
  for name, value in load_file(folder / "model.safetensors").items():
    for here, there in NAMES.items():
      name = name.replace(here, there)
    weights[name] = value.float()
  missing, unexpected = model.load_state_dict(weights, strict=False)
  assert not unexpected and set(missing) <= {"decoder.mask"}, (missing, unexpected)
  return model.eval()


def main(folder):
  folder = pathlib.Path(folder) / "whisper"
  model, settings = load(folder), json.loads((folder / "generation_config.json").read_text())
  window = 2 * model.dims.n_audio_ctx
  transcribe = sys.modules["whisper.transcribe"]
  transcribe.N_FRAMES, transcribe.N_SAMPLES, whisper.decoding.CHUNK_LENGTH = window, window * 160, window // 100
  for module in (transcribe, whisper.decoding):
    module.get_tokenizer = lambda multilingual, num_languages, language, task: Words(folder, language, task)
  samples = load_file(folder / "expected.safetensors")["long_samples"].float() / 32768
  cases = {"alone": {"condition_on_previous_text": False}, "after the text before it": {}, "after a prompt": {"initial_prompt": " Ada, Grace and Edsger "},
           "without silence": {"no_speech_threshold": 0.0004, "logprob_threshold": 0.0, "condition_on_previous_text": False}}
  out = {}
  for name, options in cases.items():
    options = {"no_speech_threshold": None, "logprob_threshold": None, "compression_ratio_threshold": None, **options}
    made = transcribe.transcribe(model, samples, temperature=0, language="fr", suppress_tokens=[t for t in settings["suppress_tokens"] if t < 256],
                                 max_initial_timestamp=0.02 * settings["max_initial_timestamp_index"], fp16=False, **options)
    keys = ("start", "end", "tokens", "avg_logprob", "compression_ratio", "no_speech_prob")
    out[name] = [{k: round(s[k], 6) if isinstance(s[k], float) else s[k] for k in keys} for s in made["segments"]]
    print(name, *out[name], sep="\n  ")
  (folder / "transcripts.json").write_text(json.dumps(out, indent=1) + "\n")


if __name__ == "__main__":
  if len(sys.argv) != 2:
    sys.exit(__doc__)
  torch.manual_seed(0)
  numpy.random.seed(0)
  main(sys.argv[1])
