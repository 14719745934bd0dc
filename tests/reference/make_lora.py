#!/usr/bin/env python3
"""Adapters of small language models, as `peft` makes, trains and saves them.

  make_lora.py FOLDER LANGUAGE_MODELS    writes FOLDER/NAME/{adapter_config.json,adapter_model.safetensors,expected.safetensors},
                                         which tests/unit/frontend/language/adapter_test.cpp reads
  make_lora.py --check MODEL ADAPTER TOKEN...    loads a folder that examples/lora wrote, and prints what follows the tokens

LANGUAGE_MODELS is what make_language_models.py has written: the models that the adapters belong to. Run by hand (needs `pip install
torch transformers peft gguf`). expected.safetensors has tokens [2, 24], the logits with the adapter [2, 24, vocabulary], computed in
float32, and the losses of 20 steps of training that go on from it: of AdamW and of SGD, the mean cross-entropy of the next tokens,
without dropout, computed in float64."""
import json
import pathlib
import sys

try:
  import numpy as np
  import torch
  import transformers
  from peft import LoraConfig, PeftModel, get_peft_model
  from safetensors.torch import save_file
except ImportError as e:
  print(f"skipped: {e}")
  sys.exit(77)

TEXTS, LENGTH, STEPS = 2, 24, 20
TRAINING = {"adamw": (torch.optim.AdamW, dict(lr=1e-3, weight_decay=0.01)), "sgd": (torch.optim.SGD, dict(lr=1e-3))}
MOST_ROUNDING = 2e-5  # between losses in float32 and in float64: beyond that, training depends on the order of sums

# Name: model in LANGUAGE_MODELS, settings of the adapter.
ADAPTERS = {
  "llama": ("llama", dict(r=4, lora_alpha=8, target_modules=["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"])),
  "llama_stabilised": ("llama", dict(r=3, lora_alpha=5, use_rslora=True, target_modules=["q_proj", "v_proj"], rank_pattern={
    "model.layers.1.self_attn.v_proj": 2})),
  "gpt2": ("gpt2", dict(r=4, lora_alpha=8, target_modules=["c_attn", "c_proj", "c_fc"], fan_in_fan_out=True)),
  "phi3": ("phi3", dict(r=4, lora_alpha=8, target_modules=["qkv_proj", "o_proj", "gate_up_proj", "down_proj"])),
  "gemma2": ("gemma2", dict(r=2, lora_alpha=4, target_modules=r".*\.layers\.1\.(self_attn\.q_proj|mlp\.up_proj)")),
  "quantised": ("gguf/llama.gguf", dict(r=4, lora_alpha=8, target_modules=["q_proj", "k_proj", "v_proj", "o_proj", "down_proj"])),
}


def model_of_gguf(path, folder):
  """A Llama with the values that a GGUF file's weights have."""
  import gguf
  from make_language_models import unpermuted
  config = transformers.AutoConfig.from_pretrained(folder)
  model = transformers.AutoModelForCausalLM.from_config(config, torch_dtype=torch.float32, attn_implementation="eager")
  reader = gguf.GGUFReader(path)
  values = {t.name: gguf.quants.dequantize(t.data, t.tensor_type).reshape(list(reversed(t.shape.tolist()))) for t in reader.tensors}
  names = gguf.get_tensor_name_map(gguf.MODEL_ARCH.LLAMA, model.config.num_hidden_layers)
  with torch.no_grad():
    for name, p in model.named_parameters():
      x = values[names.get_name(name, try_suffixes=(".weight", ".bias"))]
      if name.endswith(("q_proj.weight", "k_proj.weight")):
        x = unpermuted(x, model.config.num_attention_heads if "q_proj" in name else model.config.num_key_value_heads)
      p.copy_(torch.from_numpy(np.array(x)))
  return model.eval()


def load(path):
  if path.suffix == ".gguf":
    return model_of_gguf(path, path.parent.parent / path.stem)
  return transformers.AutoModelForCausalLM.from_pretrained(path, torch_dtype=torch.float32, attn_implementation="eager").eval()


def logits_of(model, tokens):
  return model(input_ids=tokens, use_cache=False).logits


def losses(model, tokens, optimiser, options):
  optimiser = optimiser([p for p in model.parameters() if p.requires_grad], **options)
  out = []
  for _ in range(STEPS):
    logits = logits_of(model, tokens)
    loss = torch.nn.functional.cross_entropy(logits[:, :-1].flatten(0, 1), tokens[:, 1:].flatten())
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()
    out.append(loss.item())
  return torch.tensor(out, dtype=torch.float32)


def write(folder, models, name):
  base, settings = ADAPTERS[name]
  config = LoraConfig(task_type="CAUSAL_LM", lora_dropout=0.0, **settings)
  torch.manual_seed(1)
  model = get_peft_model(load(models / base), config)
  with torch.no_grad():
    for key, p in model.named_parameters():
      if "lora_" in key:
        p.copy_(0.3 * torch.randn(p.shape))
  tokens = torch.randint(0, model.config.vocab_size, (TEXTS, LENGTH))
  path = folder / name
  model.save_pretrained(path)
  (path / "README.md").unlink(missing_ok=True)
  config = json.loads((path / "adapter_config.json").read_text())
  config["base_model_name_or_path"] = base
  (path / "adapter_config.json").write_text(json.dumps(config, indent=2, sort_keys=True) + "\n")
  with torch.no_grad():
    cases = {"tokens": tokens.int(), "logits": logits_of(model, tokens)}
    with model.disable_adapter():
      change = (cases["logits"] - logits_of(model, tokens)).std().item()
  for kind, (optimiser, options) in TRAINING.items():
    single, double = (losses(PeftModel.from_pretrained(load(models / base), path, is_trainable=True).eval().to(dtype), tokens,
                             optimiser, options) for dtype in (torch.float32, torch.float64))
    assert (single - double).abs().max() < MOST_ROUNDING, (name, kind, (single - double).abs())
    cases[kind] = double
  save_file({k: v.contiguous() for k, v in cases.items()}, path / "expected.safetensors")
  print(f"{name}: logits of deviation {cases['logits'].std().item():.2f}, changed by {change:.2f}; losses "
        + "; ".join(f"{k} {cases[k][0]:.4f} to {cases[k][-1]:.4f}" for k in TRAINING)
        + f"; {sum(f.stat().st_size for f in path.iterdir())} bytes")


def check(base, adapter, tokens):
  model = PeftModel.from_pretrained(load(base), adapter).eval()
  tokens = torch.tensor([tokens])
  print(*model.generate(input_ids=tokens, attention_mask=torch.ones_like(tokens), max_new_tokens=8, do_sample=False)[0].tolist())


if __name__ == "__main__":
  if sys.argv[1] == "--check":
    check(pathlib.Path(sys.argv[2]), sys.argv[3], [int(t) for t in sys.argv[4:]])
  else:
    for each in sys.argv[3:] or ADAPTERS:
      write(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), each)
