#!/usr/bin/env python3
"""Small language models of each family at random, with what `transformers` makes of them.

  make_language_models.py FOLDER [NAME ...]    writes FOLDER/NAME/{config.json,model.safetensors,expected.safetensors},
                                               which tests/unit/frontend/language/reference_test.cpp reads

Run by hand (needs `pip install torch transformers`). expected.safetensors has tokens [40], the logits of all of them
[40, vocabulary], computed in float32, and the 64 tokens [64] that follow when the likeliest is taken each time. Weights are bfloat16,
so that a folder is small, and of a spread at which attention and gates do something. The seed of a model is the first with which no
choice among the 64 is closer than 1e-3, and that has some variety."""
import json
import pathlib
import sys

try:
  import torch
  import transformers
  from safetensors.torch import save_file
except ImportError as e:
  print(f"skipped: {e}")
  sys.exit(77)

VOCABULARY, DIM, HIDDEN, TOKENS, ANSWER, MARGIN = 48, 32, 32, 40, 64, 1e-3
COMMON = dict(vocab_size=VOCABULARY, hidden_size=DIM, intermediate_size=HIDDEN, num_hidden_layers=2, num_attention_heads=4,
              num_key_value_heads=2, max_position_embeddings=256, bos_token_id=1, eos_token_id=2, pad_token_id=0,
              tie_word_embeddings=False)
FEW = dict(intermediate_size=24, moe_intermediate_size=12, num_experts=6, num_experts_per_tok=2)


def scaled(kind, **more):
  return {"rope_type": kind, **more}


# Name: class of transformers without its ending, sizes and options, options of saving.
MODELS = {
  "llama": ("Llama", dict(rope_theta=500.0, rope_scaling=scaled(
    "llama3", factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, original_max_position_embeddings=32)), {}),
  "llama_with_biases": ("Llama", dict(attention_bias=True, mlp_bias=True, head_dim=10, tie_word_embeddings=True,
                                      rope_scaling=scaled("linear", factor=4.0)), {"max_shard_size": "16KB"}),
  "mistral": ("Mistral", dict(sliding_window=7, rope_theta=1000.0), {}),
  "qwen2": ("Qwen2", dict(rope_theta=1000.0, use_sliding_window=True, sliding_window=9, max_window_layers=1,
                          tie_word_embeddings=True), {}),
  "qwen3": ("Qwen3", dict(head_dim=12, rope_theta=1000.0, rope_scaling=scaled(
    "yarn", factor=4.0, original_max_position_embeddings=64)), {}),
  "gpt2": ("GPT2", dict(vocab_size=VOCABULARY, n_embd=DIM, n_layer=2, n_head=4, n_positions=128, bos_token_id=1, eos_token_id=2), {}),
  "gemma2": ("Gemma2", dict(head_dim=8, sliding_window=6, query_pre_attn_scalar=11, attn_logit_softcapping=3.0,
                            final_logit_softcapping=0.5, tie_word_embeddings=True), {}),
  "gemma3": ("Gemma3", dict(head_dim=8, sliding_window=6, query_pre_attn_scalar=13, num_hidden_layers=3, sliding_window_pattern=3,
                            layer_types=["sliding_attention", "sliding_attention", "full_attention"],
                            rope_theta=1000.0, rope_local_base_freq=100.0, rope_scaling=scaled("linear", factor=8.0),
                            tie_word_embeddings=True), {}),
  "phi3": ("Phi3", dict(partial_rotary_factor=0.5, sliding_window=20, original_max_position_embeddings=128, rope_scaling={
    "type": "longrope", "short_factor": [1.0, 1.5], "long_factor": [2.0, 4.0]}), {}),
  "mixtral": ("Mixtral", dict(num_local_experts=4, num_experts_per_tok=2, intermediate_size=24), {}),
  "qwen2_moe": ("Qwen2Moe", dict(FEW, shared_expert_intermediate_size=20, num_hidden_layers=3, mlp_only_layers=[1]), {}),
  "qwen3_moe": ("Qwen3Moe", dict(FEW, head_dim=12, norm_topk_prob=True, decoder_sparse_step=2), {}),
}


def build(kind, options):
  name = "Gemma3Text" if kind == "Gemma3" else kind
  config = getattr(transformers, name + "Config")(**(options if kind == "GPT2" else {**COMMON, **options}))
  config._attn_implementation = "eager"
  end = "LMHeadModel" if kind == "GPT2" else "ForCausalLM"
  return getattr(transformers, kind + end)(config)


def randomise(model, seed):
  """Weights of bfloat16's precision, in float32."""
  g = torch.Generator().manual_seed(seed)
  gemma = type(model).__name__.startswith("Gemma")
  with torch.no_grad():
    for name, p in model.named_parameters():
      x = torch.randn(p.shape, generator=g)
      if p.ndim == 1:
        x = 0.2 * x + (0.0 if gemma or name.endswith("bias") else 1.0)
      elif "embed" in name or "wte" in name or "wpe" in name:
        x = x * (0.06 if gemma else 0.3 if model.config.tie_word_embeddings else 1)  # or a token follows itself
      else:
        x = x * 1.5 / p.shape[0 if "c_" in name else 1] ** 0.5
      p.copy_(x.to(torch.bfloat16).float())
  model.tie_weights()


def expected(model, seed):
  """What the model makes of random tokens; None if a choice is close, or the answer dull."""
  g = torch.Generator().manual_seed(seed + 1000)
  tokens = torch.randint(0, VOCABULARY, (1, TOKENS), generator=g)
  with torch.no_grad():
    logits = model(tokens, use_cache=False).logits[0]
    text = tokens
    for _ in range(ANSWER):
      last = model(text, use_cache=False).logits[0, -1]
      best = last.topk(2).values
      if best[0] - best[1] < MARGIN:
        return None
      text = torch.cat([text, last.argmax().reshape(1, 1)], 1)
  if len(set(text[0, TOKENS:].tolist())) < 6:
    return None
  return {"tokens": tokens[0].int(), "logits": logits.float().contiguous(), "answer": text[0, TOKENS:].int().contiguous()}


def write(folder, name):
  kind, options, saving = MODELS[name]
  for seed in range(100):
    model = build(kind, options).eval()
    randomise(model, seed)
    cases = expected(model, seed)
    if cases is not None:
      break
  path = folder / name
  model.to(torch.bfloat16).save_pretrained(path, safe_serialization=True, **saving)
  (path / "generation_config.json").unlink(missing_ok=True)
  save_file(cases, path / "expected.safetensors")
  spread = cases["logits"].std().item()
  print(f"{name}: seed {seed}, logits of deviation {spread:.2f}, {len(set(cases['answer'].tolist()))} tokens in the answer, "
        f"{sum(f.stat().st_size for f in path.iterdir())} bytes")


if __name__ == "__main__":
  folder = pathlib.Path(sys.argv[1])
  for name in sys.argv[2:] or MODELS:
    write(folder, name)
