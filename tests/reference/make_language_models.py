#!/usr/bin/env python3
"""Small language models of each family at random, with what `transformers` makes of them.

  make_language_models.py FOLDER [NAME ...]    writes FOLDER/NAME/{config.json,model.safetensors,expected.safetensors},
                                               which tests/unit/frontend/language/reference_test.cpp reads

and of some of them FOLDER/gguf/NAME.gguf, quantised, with NAME.safetensors, which gguf_test.cpp reads.

Run by hand (needs `pip install torch transformers gguf`). expected.safetensors has tokens [40], the logits of all of them
[40, vocabulary], computed in float32, and the 64 tokens [64] that follow when the likeliest is taken each time. Weights are bfloat16,
so that a folder is small, and of a spread at which attention and gates do something. The seed of a model is the first with which no
choice among the 64 is closer than 1e-3, and that has some variety."""
import json
import pathlib
import sys

try:
  import gguf
  import numpy as np
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


# Name: the model above, GGUF's name of its architecture, the types of its large tensors in turn.
QUANTISED = {
  "llama": ("llama", "LLAMA", ["F16", "Q8_0", "Q4_0"]),
  "llama_of_experts": ("mixtral_of_gguf", "LLAMA", ["Q8_0", "Q5_1"]),
  "qwen2": ("qwen2_plain", "QWEN2", ["Q8_0"]),
  "qwen3": ("qwen3_of_gguf", "QWEN3", ["Q4_1", "F32", "Q5_0"]),
  "gemma2": ("gemma2", "GEMMA2", ["F16", "Q8_0"]),
  "gemma3": ("gemma3_of_gguf", "GEMMA3", ["BF16", "Q8_0"]),
  "gpt2": ("gpt2", "GPT2", ["Q8_0", "Q4_0"]),
  "phi3": ("phi3", "PHI3", ["Q8_0"]),
  "qwen2moe": ("qwen2_moe_of_gguf", "QWEN2MOE", ["Q8_0", "Q4_0"]),
  "qwen3moe": ("qwen3_moe_of_gguf", "QWEN3MOE", ["Q8_0"]),
  "large_blocks": ("wide", "LLAMA", ["Q4_K", "Q6_K"]),
}
# As GGUF has them: windows and layers of experts as llama.cpp assumes; rows of 32 elements, or 256.
GGUF_MODELS = {
  "mixtral_of_gguf": ("Mixtral", dict(num_local_experts=4, num_experts_per_tok=2), {}),
  "qwen2_plain": ("Qwen2", dict(rope_theta=1000.0, tie_word_embeddings=True), {}),
  "gemma3_of_gguf": ("Gemma3", {**MODELS["gemma3"][1], "num_hidden_layers": 6, "head_dim": 8, "query_pre_attn_scalar": 8,
                               "sliding_window_pattern": 6, "layer_types": ["sliding_attention"] * 5 + ["full_attention"],
                               "rope_local_base_freq": 10000.0}, {}),
  "qwen2_moe_of_gguf": ("Qwen2Moe", dict(FEW, moe_intermediate_size=32, shared_expert_intermediate_size=32), {}),
  "qwen3_moe_of_gguf": ("Qwen3Moe", dict(FEW, moe_intermediate_size=32, head_dim=8, norm_topk_prob=True), {}),
  "qwen3_of_gguf": ("Qwen3", {**MODELS["qwen3"][1], "head_dim": 16}, {}),
  "wide": ("Llama", dict(hidden_size=256, intermediate_size=256, num_hidden_layers=1, num_attention_heads=4,
                         num_key_value_heads=2), {}),
}


def permuted(x, heads):
  """Rows of halves as rows of neighbours, as llama.cpp's files of Llama pair them."""
  return x.reshape(heads, 2, x.shape[0] // heads // 2, *x.shape[1:]).swapaxes(1, 2).reshape(x.shape)


def unpermuted(x, heads):
  return x.reshape(heads, x.shape[0] // heads // 2, 2, *x.shape[1:]).swapaxes(1, 2).reshape(x.shape)


def translated(name, arch, config):
  """Of a weight: the way to GGUF's values, and back."""
  if arch == "LLAMA" and name.endswith(("q_proj.weight", "k_proj.weight")):
    heads = config.num_attention_heads if "q_proj" in name else config.num_key_value_heads
    return lambda x: permuted(x, heads), lambda x: unpermuted(x, heads)
  if arch.startswith("GEMMA") and name.endswith("norm.weight"):
    return lambda x: x + 1, lambda x: x - 1
  if arch == "GPT2" and ".c_" in name and name.endswith("weight"):
    return lambda x: np.ascontiguousarray(x.T), lambda x: np.ascontiguousarray(x.T)
  if name.endswith("shared_expert_gate.weight"):
    return lambda x: x[0], lambda x: x[None]
  return lambda x: x, lambda x: x


def random_blocks(shape, kind, g):
  """A tensor of a type that the package cannot quantise to: any bits are elements, the scales are small."""
  block, size = gguf.GGML_QUANT_SIZES[kind]
  blocks = g.integers(0, 256, (shape[0] * shape[1] // block, size), dtype=np.uint8)
  scales = {gguf.GGMLQuantizationType.Q4_K: [(0, 2e-4), (2, 1.4e-3)], gguf.GGMLQuantizationType.Q6_K: [(208, 6e-5)]}[kind]
  for at, scale in scales:
    blocks[:, at:at + 2] = np.full((len(blocks), 1), scale, np.float16).view(np.uint8)
  return blocks.reshape(shape[0], -1)


def gguf_weights(model, arch, types):
  """Tensors of a GGUF file {name: (bytes, type)}; the model gets the values that these have."""
  config, names = model.config, gguf.get_tensor_name_map(getattr(gguf.MODEL_ARCH, arch), model.config.num_hidden_layers)
  state, out, large, g = dict(model.named_parameters()), {}, 0, np.random.default_rng(1)
  experts = {}
  with torch.no_grad():
    for name, p in state.items():
      forward, back = translated(name, arch, config)
      x = forward(p.numpy())
      kind = gguf.GGMLQuantizationType.F32
      if x.ndim > 1 and not name.endswith(("mlp.gate.weight", "block_sparse_moe.gate.weight", "wpe.weight")):
        kind = getattr(gguf.GGMLQuantizationType, types[large % len(types)])
        large += ".experts." not in name
      data = random_blocks(x.shape, kind, g) if kind.name in ("Q4_K", "Q6_K") else gguf.quants.quantize(x, kind)
      values = x if kind.name == "F32" else gguf.quants.dequantize(data, kind).reshape(x.shape)
      p.copy_(torch.from_numpy(np.ascontiguousarray(back(values))))
      if ".experts." in name:
        before, number, part = name.replace(".weight", "").rpartition(".experts.")[0], *name.split(".experts.")[1].split(".")[:2]
        part = {"w1": "gate_proj", "w2": "down_proj", "w3": "up_proj"}.get(part, part)
        key = f"blk.{before.split('.')[2]}.ffn_{part.split('_')[0]}_exps.weight"
        experts.setdefault(key, (kind, {}))[1][int(number)] = data
        continue
      out[names.get_name(name, try_suffixes=(".weight", ".bias"))] = data, kind
  for key, (kind, parts) in experts.items():
    out[key] = np.stack([parts[i] for i in sorted(parts)]), kind
  return out


def add_facts(w, arch, c):
  """The facts of a model, as convert_hf_to_gguf.py of llama.cpp writes them."""
  gpt2 = arch == "GPT2"
  w.add_context_length(c.n_positions if gpt2 else c.max_position_embeddings)
  w.add_embedding_length(c.hidden_size)
  w.add_block_count(c.num_hidden_layers)
  w.add_feed_forward_length(4 * c.hidden_size if gpt2 else c.intermediate_size)
  w.add_head_count(c.num_attention_heads)
  if gpt2:
    w.add_layer_norm_eps(c.layer_norm_epsilon)
    return
  w.add_head_count_kv(c.num_key_value_heads)
  w.add_layer_norm_rms_eps(c.rms_norm_eps)
  head = getattr(c, "head_dim", None) or c.hidden_size // c.num_attention_heads
  w.add_key_length(head)
  w.add_value_length(head)
  w.add_rope_freq_base(c.rope_theta)
  w.add_rope_dimension_count(int(head * getattr(c, "partial_rotary_factor", 1.0)))
  w.add_vocab_size(c.vocab_size)
  scaling = getattr(c, "rope_scaling", None) or {}
  if scaling.get("rope_type") in ("linear", "yarn"):
    w.add_rope_scaling_type(gguf.RopeScalingType(scaling["rope_type"]))
    w.add_rope_scaling_factor(scaling["factor"])
    if "original_max_position_embeddings" in scaling:
      w.add_rope_scaling_orig_ctx_len(scaling["original_max_position_embeddings"])
  if arch == "PHI3":
    w.add_rope_scaling_orig_ctx_len(c.original_max_position_embeddings)
  if arch in ("GEMMA2", "GEMMA3", "PHI3"):
    w.add_sliding_window(c.sliding_window)
  if arch == "GEMMA2":
    w.add_attn_logit_softcapping(c.attn_logit_softcapping)
    w.add_final_logit_softcapping(c.final_logit_softcapping)
  experts = getattr(c, "num_local_experts", getattr(c, "num_experts", 0))
  if experts:
    w.add_expert_count(experts)
    w.add_expert_used_count(c.num_experts_per_tok)
  if arch.endswith("MOE"):
    w.add_expert_feed_forward_length(c.moe_intermediate_size)
  if arch == "QWEN2MOE":
    w.add_expert_shared_feed_forward_length(c.shared_expert_intermediate_size)


def rotary_tensors(arch, c):
  """Factors of frequencies, which llama.cpp keeps as tensors."""
  scaling = getattr(c, "rope_scaling", None)
  if scaling and scaling.get("rope_type") == "llama3":
    from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS
    plain = 1.0 / c.rope_theta ** (torch.arange(0, 8, 2).float() / 8)
    return {"rope_freqs.weight": (plain / ROPE_INIT_FUNCTIONS["llama3"](c, "cpu")[0]).numpy()}
  if arch == "PHI3":
    return {f"rope_factors_{kind}.weight": np.array(scaling[f"{kind}_factor"], np.float32) for kind in ("long", "short")}
  return {}


def write_gguf(folder, name):
  base, arch, types = QUANTISED[name]
  kind, options, _ = {**MODELS, **GGUF_MODELS}[base]
  if arch == "GEMMA2":
    options = {**options, "query_pre_attn_scalar": 8}
  for seed in range(100):
    model = build(kind, options).eval()
    randomise(model, seed)
    tensors = gguf_weights(model, arch, types)
    cases = expected(model, seed)
    if cases is not None:
      break
  (folder / "gguf").mkdir(exist_ok=True, parents=True)
  path = folder / "gguf" / f"{name}.gguf"
  w = gguf.GGUFWriter(path, gguf.MODEL_ARCH_NAMES[getattr(gguf.MODEL_ARCH, arch)])
  w.add_name(name)
  add_facts(w, arch, model.config)
  for key, values in rotary_tensors(arch, model.config).items():
    w.add_tensor(key, values)
  for key, (data, dtype) in tensors.items():
    w.add_tensor(key, data, raw_dtype=dtype)
  w.write_header_to_file()
  w.write_kv_data_to_file()
  w.write_tensors_to_file()
  w.close()
  save_file(cases, folder / "gguf" / f"{name}.safetensors")
  print(f"gguf/{name}: seed {seed}, logits of deviation {cases['logits'].std().item():.2f}, "
        f"{len(set(cases['answer'].tolist()))} tokens in the answer, {path.stat().st_size} bytes")


TEXTS = ["", " ", "a", "  two  spaces", "The quick brown fox isn't here.", "tabs\tand\nlines\n", "naïve café 🙂 你好", "x" * 50, "12,345.67"]


def write_sentencepiece(folder):
  """What a GGUF file says of a small tokenizer of SentencePiece, and what that makes of some texts."""
  import io
  import sentencepiece
  corpus, model = [pathlib.Path(__file__).read_text().replace("\n", " ")[i:i + 80] for i in range(0, 16000, 80)], io.BytesIO()
  sentencepiece.SentencePieceTrainer.train(sentence_iterator=iter(corpus), model_writer=model, vocab_size=500, model_type="bpe",
                                           byte_fallback=True, character_coverage=1.0, normalization_rule_name="identity",
                                           remove_extra_whitespaces=False, add_dummy_prefix=True, minloglevel=2)
  sp = sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())
  n = range(sp.vocab_size())
  kinds = [2 if sp.is_unknown(i) else 3 if sp.is_control(i) else 6 if sp.is_byte(i) else 1 for i in n]
  out = {"tokens": [sp.id_to_piece(i) for i in n], "scores": [sp.get_score(i) for i in n], "types": kinds,
         "cases": [{"of": t, "ids": sp.encode(t), "text": sp.decode(sp.encode(t))} for t in TEXTS]}
  (folder / "gguf").mkdir(exist_ok=True, parents=True)
  (folder / "gguf" / "sentencepiece.json").write_text(json.dumps(out, ensure_ascii=True))


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
    if name in MODELS:
      write(folder, name)
  if len(sys.argv) == 2 or "sentencepiece" in sys.argv:
    write_sentencepiece(folder)
  for name in [n.removeprefix("gguf/") for n in sys.argv[2:]] or QUANTISED:
    if name in QUANTISED and (len(sys.argv) == 2 or f"gguf/{name}" in sys.argv):
      write_gguf(folder, name)
