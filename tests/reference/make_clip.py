#!/usr/bin/env python3
"""Two small CLIPs at random, with what `transformers` makes of some texts and pictures.

  make_clip.py FOLDER [NAME ...]    writes FOLDER/NAME/{config.json,model.safetensors,preprocessor_config.json,expected.safetensors,
                                    texts.json} and a tokenizer; tests/unit/frontend/vision/clip_test.cpp reads them

Run by hand (needs `pip install torch transformers pillow`). `first` is as the first models were published: all settings in config.json,
an end of texts that is wrong there (2), the tensors position_ids, quick_gelu, tokenizer.json. `later` has the settings that differ from
the usual ones, the true end of texts, gelu, vocab.json with merges.txt, pictures that the patches do not divide, and another filter.

texts.json has texts with their tokens. expected.safetensors has lengths [texts] and tokens [all tokens], the vectors of texts
[texts, size], computed in one batch that is filled up, pictures picture.0, … uint8 [height, width, 3], pixel_values
[pictures, 3, side, side], the vectors of pictures and the logits [pictures, texts]."""
import json
import pathlib
import sys
import tempfile

try:
  import numpy
  import torch
  import transformers
  from safetensors.torch import load_file, save_file
  from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, trainers
except ImportError as e:
  print(f"skipped: {e}")
  sys.exit(77)

START, END = "<|startoftext|>", "<|endoftext|>"
CORPUS = ["a photo of a cat and a photo of a dog, a painting of the sea; I'm sure it's a diagram of 12 kernels, isn't it?",
          "Ein Foto von Äpfeln über Zürich! Привет, мир. 你好"] * 3
TEXTS = ["a photo of a cat", "A  Photo of a DOG!", "", "it's 12 o'clock; isn't\tit?", "über Äpfel 你好 <|endoftext|> cat",
         " ".join(["a photo of the sea"] * 8)]
SIZES = [(37, 53), (61, 40), (32, 32), (35, 91)]  # of pictures

PICTURES = {"do_center_crop": True, "do_normalize": True, "do_resize": True,
            "image_mean": [0.48145466, 0.4578275, 0.40821073], "image_std": [0.26862954, 0.26130258, 0.27577711]}
SETTINGS = {
  "first": dict(text=dict(hidden_act="quick_gelu", max_position_embeddings=24, num_hidden_layers=2, num_attention_heads=4),
                vision=dict(hidden_act="quick_gelu", image_size=32, patch_size=8, num_hidden_layers=2, num_attention_heads=2),
                pictures={**PICTURES, "crop_size": 32, "feature_extractor_type": "CLIPFeatureExtractor", "resample": 3, "size": 36}),
  "later": dict(text=dict(hidden_act="gelu", max_position_embeddings=20, num_hidden_layers=3, num_attention_heads=2,
                          layer_norm_eps=1e-6),
                vision=dict(hidden_act="gelu", image_size=30, patch_size=8, num_hidden_layers=1, num_attention_heads=3),
                pictures={**PICTURES, "crop_size": {"height": 30, "width": 30}, "do_convert_rgb": True, "do_rescale": True,
                          "image_processor_type": "CLIPImageProcessor", "resample": 2, "rescale_factor": 0.00392156862745098,
                          "size": {"shortest_edge": 30}}),
}


def vocabulary(ends_last):
  """CLIP's merges, trained on the corpus; the tokens at the ends of texts are the last, as published, or the first."""
  t = Tokenizer(models.BPE(end_of_word_suffix="</w>"))
  t.normalizer = normalizers.Lowercase()
  words = pre_tokenizers.Split(Regex(r"[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"), "removed", invert=True)
  t.pre_tokenizer = pre_tokenizers.Sequence([words, pre_tokenizers.ByteLevel(add_prefix_space=False)])
  letters = sorted(pre_tokenizers.ByteLevel.alphabet())
  alphabet = [*letters, *(c + "</w>" for c in letters)]
  t.train_from_iterator(CORPUS, trainers.BpeTrainer(vocab_size=600, special_tokens=alphabet, end_of_word_suffix="</w>",
                                                    show_progress=False))
  model = json.loads(t.to_str())["model"]
  known = sorted(model["vocab"], key=model["vocab"].get)
  order = [*known, START, END] if ends_last else [START, END, *known]
  return {w: i for i, w in enumerate(order)}, [" ".join(m) for m in model["merges"]]


def randomise(model, seed):
  """Weights of bfloat16's precision, in float32, of a spread at which attention does something."""
  g = torch.Generator().manual_seed(seed)
  with torch.no_grad():
    for name, p in model.named_parameters():
      x = torch.randn(p.shape, generator=g)
      if p.ndim == 0:
        x = torch.tensor(3.25)
      elif name.endswith("class_embedding") or "position_embedding" in name or "token_embedding" in name:
        x = 0.7 * x
      elif p.ndim == 1:
        x = 0.2 * x + (0.0 if name.endswith("bias") else 1.0)
      else:
        x = x * 1.5 / p[0].numel() ** 0.5
      p.copy_(x.to(torch.bfloat16).float())


def write_tokenizer(path, name):
  words, merges = vocabulary(name == "first")
  with tempfile.TemporaryDirectory() as folder:
    vocab_file, merges_file = pathlib.Path(folder, "vocab.json"), pathlib.Path(folder, "merges.txt")
    vocab_file.write_text(json.dumps(words, ensure_ascii=False))
    merges_file.write_text("#version: 0.2\n" + "".join(m + "\n" for m in merges))
    tokenizer = transformers.CLIPTokenizerFast(str(vocab_file), str(merges_file))
    if name == "first":
      tokenizer.backend_tokenizer.save(str(path / "tokenizer.json"), pretty=False)
    else:
      (path / "vocab.json").write_text(vocab_file.read_text())
      (path / "merges.txt").write_text(merges_file.read_text())
  return tokenizer, words


def ragged(name, tokenizer, words, longest):
  texts = [tokenizer(t, truncation=True, max_length=longest)["input_ids"] for t in TEXTS]
  (start, end), some = (words[START], words[END]), [words[c + "</w>"] for c in "abc"]
  texts.append([start, some[0], end, some[1], end])  # goes on behind its end
  if name == "first":
    texts += [[start, *some], [*some, some[0]]]  # without an end: the largest counts
  return texts


def drawn(height, width, r):
  y, x = numpy.mgrid[0:height, 0:width] / 16
  waves = numpy.stack([numpy.sin(y * r.uniform(1, 4) + x * r.uniform(1, 4) + r.uniform(0, 6)) for _ in range(3)], -1)
  return numpy.clip(128 + 90 * waves + 30 * r.standard_normal((height, width, 3)), 0, 255).astype(numpy.uint8)


def write(folder, name):
  path = folder / name
  path.mkdir(parents=True, exist_ok=True)
  s = SETTINGS[name]
  tokenizer, words = write_tokenizer(path, name)
  ends = dict(bos_token_id=0, eos_token_id=2) if name == "first" else dict(bos_token_id=words[START], eos_token_id=words[END])
  config = transformers.CLIPConfig(
    text_config=dict(s["text"], **ends, vocab_size=len(words), hidden_size=32, intermediate_size=40),
    vision_config=dict(s["vision"], hidden_size=24, intermediate_size=48), projection_dim=16)
  config._attn_implementation = "eager"
  model = transformers.CLIPModel(config).eval()
  randomise(model, len(name))

  (path / "preprocessor_config.json").write_text(json.dumps(s["pictures"], indent=1) + "\n")
  processor = transformers.CLIPImageProcessor.from_pretrained(path)
  r = numpy.random.default_rng(7)
  pictures = [drawn(*size, r) for size in SIZES]
  pixels = torch.cat([processor(p, return_tensors="pt")["pixel_values"] for p in pictures])

  texts = ragged(name, tokenizer, words, s["text"]["max_position_embeddings"])
  most, end = max(map(len, texts)), words[END]
  ids, mask = torch.full((len(texts), most), end if name == "later" else 0), torch.zeros(len(texts), most, dtype=torch.long)
  for i, t in enumerate(texts):
    ids[i, :len(t)] = torch.tensor(t)
    mask[i, :len(t)] = 1
  with torch.no_grad():
    out = model(input_ids=ids, attention_mask=mask, pixel_values=pixels)
  (path / "texts.json").write_text(json.dumps(
    [{"text": t, "tokens": ids} for t, ids in zip(TEXTS, texts)], indent=1, ensure_ascii=False) + "\n")
  save_file({"lengths": torch.tensor([len(t) for t in texts], dtype=torch.int32), "tokens": torch.tensor(sum(texts, [])).int(),
             "text_vectors": out.text_embeds.contiguous(), "image_vectors": out.image_embeds.contiguous(),
             "logits": out.logits_per_image.contiguous(), "pixel_values": pixels.contiguous(),
             **{f"picture.{i}": torch.from_numpy(p) for i, p in enumerate(pictures)}}, path / "expected.safetensors")

  model.to(torch.bfloat16 if name == "first" else torch.float16).save_pretrained(path, safe_serialization=True)
  if name == "first":
    everything = json.loads(model.config.to_json_string(use_diff=False))
    everything.update(architectures=["CLIPModel"], text_config_dict=None, vision_config_dict=None)
    (path / "config.json").write_text(json.dumps(everything, indent=1) + "\n")
    tensors = load_file(path / "model.safetensors")
    for half, count in (("text", s["text"]["max_position_embeddings"]), ("vision", 17)):
      tensors[f"{half}_model.embeddings.position_ids"] = torch.arange(count)[None]
    save_file(tensors, path / "model.safetensors", metadata={"format": "pt"})
  cosines = out.text_embeds @ out.text_embeds.t()
  print(f"{name}: {len(words)} tokens, cosines of texts {cosines.min().item():.2f} to {cosines.fill_diagonal_(-1).max().item():.2f}, "
        f"logits {out.logits_per_image.min().item():.1f} to {out.logits_per_image.max().item():.1f}, "
        f"{sum(f.stat().st_size for f in path.iterdir())} bytes")


if __name__ == "__main__":
  for name in sys.argv[2:] or SETTINGS:
    write(pathlib.Path(sys.argv[1]), name)
