#!/usr/bin/env python3
"""Small encoders of each family at random, with what `transformers` makes of some texts.

  make_text_encoders.py FOLDER [NAME ...]    writes FOLDER/NAME/{config.json,model.safetensors,expected.safetensors} and, where a model
                                             has them, the files of sentence-transformers; tests/unit/frontend/embedding reads them

Run by hand (needs `pip install torch transformers`). expected.safetensors has lengths [texts], tokens [all tokens], hidden [all tokens,
width] and embeddings [texts, size], computed in float32 one text at a time. The embeddings follow the modules as the code of
sentence-transformers does (models/Pooling.py, Dense.py, Normalize.py). Weights are bfloat16, so that a folder is small, and of a spread
at which attention does something."""
import json
import pathlib
import sys

try:
  import torch
  import transformers
  from safetensors.torch import load_file, save_file
except ImportError as e:
  print(f"skipped: {e}")
  sys.exit(77)

VOCABULARY, WIDTH, LENGTHS = 48, 32, [1, 2, 5, 9, 17, 40, 3, 100]
BERT = dict(vocab_size=VOCABULARY, hidden_size=WIDTH, num_hidden_layers=2, num_attention_heads=4, intermediate_size=40,
            max_position_embeddings=128)
ROBERTA = dict(BERT, type_vocab_size=1, pad_token_id=1, max_position_embeddings=130)
FORMER = "sentence_transformers.models."

# Name: class of transformers, sizes and options, modes of pooling, modules behind it.
MODELS = {
  "bert": ("BertModel", BERT, ["mean_tokens"], ["Normalize"]),
  "bert_with_head": ("BertForMaskedLM", dict(BERT, hidden_act="gelu_new", layer_norm_eps=1e-5, tie_word_embeddings=True),
                     ["cls_token"], []),
  "roberta": ("RobertaModel", ROBERTA, ["max_tokens", "mean_sqrt_len_tokens"], []),
  "xlm_roberta": ("XLMRobertaForMaskedLM", dict(ROBERTA, hidden_act="relu"), ["weightedmean_tokens", "cls_token", "lasttoken"],
                  ["Dense", "Normalize"]),
  "distilbert": ("DistilBertModel", dict(vocab_size=VOCABULARY, dim=WIDTH, n_layers=3, n_heads=2, hidden_dim=48,
                                         max_position_embeddings=128), ["max_tokens"], ["Normalize"]),
  "mpnet": ("MPNetModel", dict(ROBERTA, relative_attention_num_buckets=32), None, None),
}
ORDER = ["cls_token", "max_tokens", "mean_tokens", "mean_sqrt_len_tokens", "weightedmean_tokens", "lasttoken"]


def build(kind, options):
  config = getattr(transformers, kind.replace("Model", "").replace("ForMaskedLM", "") + "Config")(**options)
  config._attn_implementation = "eager"
  return getattr(transformers, kind)(config).eval()


def randomise(model, seed):
  """Weights of bfloat16's precision, in float32."""
  g = torch.Generator().manual_seed(seed)
  with torch.no_grad():
    for name, p in model.named_parameters():
      x = torch.randn(p.shape, generator=g)
      if p.ndim == 1:
        x = 0.2 * x + (0.0 if name.endswith("bias") else 1.0)
      elif "embeddings" not in name and "relative" not in name:
        x = x * 1.5 / p.shape[1] ** 0.5
      p.copy_(x.to(torch.bfloat16).float())
  model.tie_weights()


def pooled(hidden, mode):
  """Of one text [tokens, width]."""
  n = len(hidden)
  weights = torch.arange(1, n + 1).float().unsqueeze(1)
  return {"cls_token": lambda: hidden[0], "max_tokens": lambda: hidden.max(0).values, "mean_tokens": lambda: hidden.mean(0),
          "mean_sqrt_len_tokens": lambda: hidden.sum(0) / n ** 0.5, "lasttoken": lambda: hidden[-1],
          "weightedmean_tokens": lambda: (hidden * weights).sum(0) / weights.sum()}[mode]()


def write_modules(path, modes, modules, dense):
  listed = [{"idx": 0, "name": "0", "path": "", "type": FORMER + "Transformer"},
            {"idx": 1, "name": "1", "path": "1_Pooling", "type": FORMER + "Pooling"}]
  listed += [{"idx": i + 2, "name": str(i + 2), "path": f"{i + 2}_{m}", "type": FORMER + m} for i, m in enumerate(modules)]
  (path / "modules.json").write_text(json.dumps(listed, indent=1))
  (path / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": 110, "do_lower_case": False}))
  (path / "1_Pooling").mkdir(exist_ok=True)
  (path / "1_Pooling/config.json").write_text(json.dumps(
    {"word_embedding_dimension": WIDTH, **{f"pooling_mode_{m}": m in modes for m in ORDER}}))
  for i, m in enumerate(modules):
    if m != "Dense":
      continue
    folder = path / f"{i + 2}_Dense"
    folder.mkdir(exist_ok=True)
    (folder / "config.json").write_text(json.dumps({"in_features": dense.in_features, "out_features": dense.out_features, "bias": True,
                                                    "activation_function": "torch.nn.modules.activation.Tanh"}))
    save_file({"linear." + k: v.to(torch.bfloat16) for k, v in dense.state_dict().items()}, folder / "model.safetensors")


def old_names(file):
  """The norms by the names of the first files of BERT."""
  tensors = load_file(file)
  save_file({k.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta"): v
             for k, v in tensors.items()}, file, metadata={"format": "pt"})


def write(folder, name):
  kind, options, modes, modules = MODELS[name]
  model = build(kind, options)
  randomise(model, len(name))
  path = folder / name
  path.mkdir(exist_ok=True, parents=True)
  dense = torch.nn.Linear(WIDTH * len(modes or [1]), 24)
  with torch.no_grad():
    for p in dense.parameters():
      p.copy_(p.to(torch.bfloat16).float())
  g = torch.Generator().manual_seed(1)
  texts = [torch.randint(2, VOCABULARY, (n,), generator=g) for n in LENGTHS]
  hidden, embeddings = [], []
  with torch.no_grad():
    for tokens in texts:
      h = model(tokens[None], output_hidden_states=True).hidden_states[-1][0]
      x = torch.cat([pooled(h, m) for m in ORDER if m in (modes or ["mean_tokens"])])
      for m in modules or []:
        x = dense(x).tanh() if m == "Dense" else torch.nn.functional.normalize(x, dim=0)
      hidden.append(h)
      embeddings.append(x)
  save_file({"lengths": torch.tensor(LENGTHS, dtype=torch.int32), "tokens": torch.cat(texts).int(), "hidden": torch.cat(hidden),
             "embeddings": torch.stack(embeddings)}, path / "expected.safetensors")
  model.to(torch.bfloat16).save_pretrained(path, safe_serialization=True)
  (path / "generation_config.json").unlink(missing_ok=True)
  if modes:
    write_modules(path, modes, modules, dense)
  if name == "bert_with_head":
    old_names(path / "model.safetensors")
  print(f"{name}: hidden of deviation {torch.cat(hidden).std().item():.2f}, "
        f"{sum(f.stat().st_size for f in path.rglob('*') if f.is_file())} bytes")


if __name__ == "__main__":
  torch.manual_seed(0)
  for name in sys.argv[2:] or MODELS:
    write(pathlib.Path(sys.argv[1]), name)
