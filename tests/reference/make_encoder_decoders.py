#!/usr/bin/env python3
"""Small T5s at random, with what `transformers` makes of some texts.

  make_encoder_decoders.py FOLDER    writes FOLDER/NAME/{config.json,model.safetensors,expected.safetensors}; tests/unit/frontend/rewriting reads them

Run by hand (needs `pip install torch transformers`). expected.safetensors has, for each text number i: source.i [tokens], target.i
[tokens], logits.i [target tokens, vocabulary] and answer.i, the 64 likeliest tokens one after the other. Weights are bfloat16, so that a
folder is small, and of a spread at which attention does something."""
import pathlib
import sys

try:
  import torch
  import transformers
  from safetensors.torch import save_file
except ImportError as e:
  print(f"skipped: {e}")
  sys.exit(77)

VOCABULARY = 96
SIZES = dict(vocab_size=VOCABULARY, d_model=32, d_kv=12, d_ff=40, num_layers=2, num_decoder_layers=3, num_heads=4,
             relative_attention_max_distance=40, decoder_start_token_id=0)
MODELS = {"t5": dict(feed_forward_proj="relu", tie_word_embeddings=True),
          "flan_t5": dict(feed_forward_proj="gated-gelu", tie_word_embeddings=False, relative_attention_num_buckets=16)}


def randomise(model, seed, spread):
  """Weights of bfloat16's precision, in float32."""
  g = torch.Generator().manual_seed(seed)
  with torch.no_grad():
    for name, p in model.named_parameters():
      x = torch.randn(p.shape, generator=g)
      if p.ndim == 1:
        x = 0.2 * x + 1
      elif "relative" not in name and "shared" not in name:
        x = x * spread / p.shape[1] ** (0.75 if name.endswith(".q.weight") else 0.5)
      p.copy_(x.to(torch.bfloat16).float())
  model.tie_weights()


def write(folder, name):
  config = transformers.T5Config(**SIZES, **MODELS[name])
  config._attn_implementation = "eager"
  model = transformers.T5ForConditionalGeneration(config).eval()
  # Where the output is the embedding, layers must do more lest the last token be the likeliest.
  randomise(model, len(name), 3.0 if MODELS[name]["tie_word_embeddings"] else 1.2)
  g = torch.Generator().manual_seed(1)
  expected = {}
  for i, (n, m) in enumerate([(1, 3), (7, 20), (16, 17), (50, 40)]):
    source, target = torch.randint(2, VOCABULARY, (n,), generator=g), torch.randint(2, VOCABULARY, (m,), generator=g)
    target[0] = 0
    answer = [0]
    with torch.no_grad():
      logits = model(input_ids=source[None], decoder_input_ids=target[None]).logits[0]
      while len(answer) <= 64:
        answer.append(model(input_ids=source[None], decoder_input_ids=torch.tensor([answer])).logits[0, -1].argmax().item())
    expected |= {f"source.{i}": source.int(), f"target.{i}": target.int(), f"logits.{i}": logits, f"answer.{i}": torch.tensor(answer[1:]).int()}
    print(name, logits.std().item(), answer[1:30])
  path = folder / name
  path.mkdir(exist_ok=True, parents=True)
  save_file(expected, path / "expected.safetensors")
  model.to(torch.bfloat16).save_pretrained(path, safe_serialization=True)
  (path / "generation_config.json").unlink(missing_ok=True)


if __name__ == "__main__":
  torch.manual_seed(0)
  for name in MODELS:
    write(pathlib.Path(sys.argv[1]), name)
