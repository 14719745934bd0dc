"""Weights and data at random in the formats of the real files, small: what the programs of run.py download or are given.
Each function writes its files into a folder that run.py names, once, and gives what a download finds
(the end of a URL → a file). PyTorch writes the files, so no package under test has a part in them."""
import base64
import io
import json
import os
import struct
import tarfile

import numpy as np

CORPUS = """It was the best of times, it was the worst of times, it was the age of wisdom, it was the age of
foolishness. Call me Ishmael. Some years ago, never mind how long precisely, I thought I would sail about a little.
Stacy: hello there, what is the answer to life, the universe and everything? User: Why is gravity so important?"""


def _rng(seed=0):
  return np.random.default_rng(seed)


def _torch(shape, scale=0.05, seed=0, dtype=None):
  import torch
  generator = torch.Generator().manual_seed(seed)
  value = torch.randn(shape, generator=generator) * scale
  return value if dtype is None else value.to(dtype)


def mnist(folder, datasets):
  """Real digits, 10,000 to learn from and 10,000 to be tried, from the folder of data sets."""
  return {f"{name}-{kind}-ubyte.gz": os.path.join(datasets, "mnist", f"{file}-{kind}-ubyte.gz")
          for name, file in (("train", "train10k"), ("t10k", "t10k")) for kind in ("images-idx3", "labels-idx1")}


def cifar(folder, count=100):
  """CIFAR-10's archive with `count` pictures of noise in each of its six files."""
  path = os.path.join(folder, "cifar-10-binary.tar.gz")
  with tarfile.open(path, "w:gz") as tar:
    for i, name in enumerate([*(f"data_batch_{i}" for i in range(1, 6)), "test_batch"]):
      rows = _rng(i).integers(0, 256, (count, 3073), dtype=np.uint8)
      rows[:, 0] %= 10
      info = tarfile.TarInfo(f"cifar-10-batches-bin/{name}.bin")
      info.size = rows.nbytes
      tar.addfile(info, io.BytesIO(rows.tobytes()))
  return {"cifar-10-binary.tar.gz": path}


def gpt2_vocabulary(folder):
  """OpenAI's vocabulary of GPT-2 as its Whisper ships it."""
  import whisper
  return {"gpt2.tiktoken": os.path.join(os.path.dirname(whisper.__file__), "assets", "gpt2.tiktoken")}


def gpt2(folder, dim=64, layers=2, words=50257, positions=1024):
  """GPT-2 as Hugging Face keeps it: matrices [in, out], masks among the weights."""
  import torch
  shapes = {"wte.weight": (words, dim), "wpe.weight": (positions, dim), "ln_f.weight": (dim,), "ln_f.bias": (dim,)}
  for i in range(layers):
    for name, shape in {"ln_1.weight": (dim,), "ln_1.bias": (dim,), "ln_2.weight": (dim,), "ln_2.bias": (dim,),
                        "attn.bias": (1, 1, positions, positions), "attn.c_attn.weight": (dim, 3 * dim),
                        "attn.c_attn.bias": (3 * dim,), "attn.c_proj.weight": (dim, dim), "attn.c_proj.bias": (dim,),
                        "mlp.c_fc.weight": (dim, 4 * dim), "mlp.c_fc.bias": (4 * dim,),
                        "mlp.c_proj.weight": (4 * dim, dim), "mlp.c_proj.bias": (dim,)}.items():
      shapes[f"h.{i}.{name}"] = shape
  weights = {name: _torch(shape, seed=i) for i, (name, shape) in enumerate(shapes.items())}
  path = os.path.join(folder, "pytorch_model.bin")
  torch.save(weights, path)
  return {"pytorch_model.bin": path, **gpt2_vocabulary(folder)}


def shakespeare(folder):
  """llm.c's file of words: a head of 1 KiB, then uint16."""
  path = os.path.join(folder, "tiny_shakespeare_val.bin")
  with open(path, "wb") as file:
    file.write(bytes(0x400))
    file.write(_rng().integers(0, 50257, 4096, dtype=np.uint16).tobytes())
  return {"tiny_shakespeare_val.bin": path, **gpt2(folder)}


def sentence_piece(folder, words):
  """A SentencePiece model of `words` pieces, trained on a few sentences."""
  import sentencepiece
  text = os.path.join(folder, "corpus.txt")
  with open(text, "w", encoding="utf-8") as file:
    file.write(CORPUS)
  sentencepiece.SentencePieceTrainer.train(
    input=text, model_prefix=os.path.join(folder, "tokenizer"), vocab_size=words, model_type="bpe", byte_fallback=True,
    character_coverage=1.0, hard_vocab_limit=False, minloglevel=2)
  return os.path.join(folder, "tokenizer.model")


def llama_weights(dim, hidden, layers, heads, kv_heads, words, experts=0):
  """Llama's (or Mixtral's) weights by the names of Meta's files, bfloat16."""
  import torch
  kv = dim * kv_heads // heads
  shapes = {"tok_embeddings.weight": (words, dim), "norm.weight": (dim,), "output.weight": (words, dim)}
  for i in range(layers):
    forward = [""] if not experts else [f"experts.{e}." for e in range(experts)]
    if experts:
      shapes[f"layers.{i}.feed_forward.gate.weight"] = (experts, dim)
    for part in forward:
      for name, shape in {"w1": (hidden, dim), "w2": (dim, hidden), "w3": (hidden, dim)}.items():
        shapes[f"layers.{i}.feed_forward.{part}{name}.weight"] = shape
    for name, shape in {"attention.wq": (dim, dim), "attention.wk": (kv, dim), "attention.wv": (kv, dim),
                        "attention.wo": (dim, dim), "attention_norm": (dim,), "ffn_norm": (dim,)}.items():
      shapes[f"layers.{i}.{name}.weight"] = shape
  return {name: _torch(shape, seed=i, dtype=torch.bfloat16) for i, (name, shape) in enumerate(shapes.items())}


def llama(folder, words=512):
  """A folder as Meta gives Llama away: consolidated.00.pth and tokenizer.model."""
  import torch
  sentence_piece(folder, words)
  torch.save(llama_weights(64, 128, 2, 4, 4, words), os.path.join(folder, "consolidated.00.pth"))
  return {}


def mixtral(folder, words=512):
  """Mixtral's folder: consolidated.00.pth.b and tokenizer.model."""
  import torch
  sentence_piece(folder, words)
  torch.save(llama_weights(64, 128, 2, 4, 2, words, experts=8), os.path.join(folder, "consolidated.00.pth.b"))
  return {}


def byte_vocabulary(folder, merges=256):
  """A vocabulary in tiktoken's format: all bytes, then pairs of letters."""
  words = [bytes([i]) for i in range(256)]
  words += sorted({CORPUS.encode()[i:i + 2] for i in range(len(CORPUS) - 1)} - set(words))[:merges]
  path = os.path.join(folder, "tokenizer.model")
  with open(path, "wb") as file:
    file.writelines(base64.b64encode(word) + f" {rank}\n".encode() for rank, word in enumerate(words))
  return words


def _gguf_llama(path, arch, words, special, dim=64, hidden=128, layers=2, heads=4, kv_heads=2, quantised=True, rope=True):
  import gguf
  writer = gguf.GGUFWriter(path, arch)
  writer.add_name("a small model")
  writer.add_context_length(256)
  writer.add_embedding_length(dim)
  writer.add_block_count(layers)
  writer.add_feed_forward_length(hidden)
  writer.add_head_count(heads)
  writer.add_head_count_kv(kv_heads)
  writer.add_layer_norm_rms_eps(1e-5)
  writer.add_rope_freq_base(10000.0)
  writer.add_rope_dimension_count(dim // heads)
  writer.add_tokenizer_model("gpt2")
  writer.add_tokenizer_pre("llama-bpe" if arch == "llama" else "qwen2")
  spelt = [*(_spelt(word) for word in words), *special]
  writer.add_token_list(spelt)
  writer.add_token_types([1] * len(words) + [3] * len(special))
  writer.add_bos_token_id(len(words))
  writer.add_eos_token_id(len(words) + 1)
  kv = dim * kv_heads // heads
  shapes = {"token_embd": (len(spelt), dim), "output_norm": (dim,)}
  for i in range(layers):
    shapes |= {f"blk.{i}.attn_q": (dim, dim), f"blk.{i}.attn_k": (kv, dim), f"blk.{i}.attn_v": (kv, dim),
               f"blk.{i}.attn_output": (dim, dim), f"blk.{i}.attn_norm": (dim,), f"blk.{i}.ffn_norm": (dim,),
               f"blk.{i}.ffn_gate": (hidden, dim), f"blk.{i}.ffn_up": (hidden, dim), f"blk.{i}.ffn_down": (dim, hidden)}
    if arch == "qwen3":
      shapes |= {f"blk.{i}.attn_q_norm": (dim // heads,), f"blk.{i}.attn_k_norm": (dim // heads,)}
  for i, (name, shape) in enumerate(shapes.items()):
    value = _rng(i).standard_normal(shape, dtype=np.float32) * 0.05 + (len(shape) == 1)
    if quantised and len(shape) == 2:
      kind = gguf.GGMLQuantizationType.Q8_0
      writer.add_tensor(f"{name}.weight", gguf.quants.quantize(value, kind), raw_dtype=kind)
    else:
      writer.add_tensor(f"{name}.weight", value.astype(np.float32))
  writer.write_header_to_file()
  writer.write_kv_data_to_file()
  writer.write_tensors_to_file()
  writer.close()


def _spelt(word):
  """Bytes as GPT-2's vocabularies spell them: those that cannot be printed as letters from 256."""
  printed = [*range(33, 127), *range(161, 173), *range(174, 256)]
  others = [b for b in range(256) if b not in printed]
  return "".join(chr(b) if b in printed else chr(256 + others.index(b)) for b in word)


def llama3(folder):
  """Llama 3.2's GGUF (Q8_0 for Q6_K) beside its vocabulary."""
  words = byte_vocabulary(folder)
  names = ["<|begin_of_text|>", "<|end_of_text|>", *(f"<|reserved_special_token_{i}|>" for i in range(4)),
           "<|start_header_id|>", "<|end_header_id|>", "<|reserved_special_token_4|>", "<|eot_id|>",
           *(f"<|reserved_special_token_{i}|>" for i in range(5, 251))]
  path = os.path.join(folder, "model.gguf")
  _gguf_llama(path, "llama", words, names)
  return {"tokenizer.model": os.path.join(folder, "tokenizer.model"), ".gguf": path}


def qwen3(folder):
  """Qwen 3's GGUF, Q8_0."""
  words = byte_vocabulary(folder)
  _gguf_llama(os.path.join(folder, "model.gguf"), "qwen3", words, ["<|endoftext|>", "<|im_end|>", "<|im_start|>"])
  return {}


def whisper_weights(folder):
  """Whisper's file of tiny.en with smaller sizes, and a second of a falling tone."""
  import torch
  import whisper
  from whisper.model import ModelDimensions, Whisper
  dims = dict(n_mels=80, n_audio_ctx=1500, n_audio_state=64, n_audio_head=2, n_audio_layer=2, n_vocab=51864, n_text_ctx=448,
              n_text_state=64, n_text_head=2, n_text_layer=2)
  path = os.path.join(folder, "tiny.en.pt")
  shapes = {name: value.shape for name, value in Whisper(ModelDimensions(**dims)).state_dict().items()}
  weights = {name: _torch(shape, seed=i, dtype=torch.float16) for i, (name, shape) in enumerate(shapes.items())}
  torch.save({"dims": dims, "model_state_dict": weights}, path)
  import soundfile
  time = np.arange(16000) / 16000
  soundfile.write(os.path.join(folder, "tone.wav"), 0.3 * np.sin(2000 * time * (2 - time)), 16000)
  assets = os.path.join(os.path.dirname(whisper.__file__), "assets")
  return {"tiny.en.pt": path, "gpt2.tiktoken": os.path.join(assets, "gpt2.tiktoken")}


def picture(folder):
  """A picture of coloured squares, and the names of COCO's kinds."""
  from PIL import Image
  squares = np.kron(_rng().integers(0, 256, (8, 8, 3), dtype=np.uint8), np.ones((40, 60, 1), np.uint8))
  Image.fromarray(squares).save(os.path.join(folder, "picture.png"))
  with open(os.path.join(folder, "coco.names"), "w", encoding="utf-8") as file:
    file.write("\n".join(f"thing {i}" for i in range(80)))
  return {"picture.png": os.path.join(folder, "picture.png"), "coco.names": os.path.join(folder, "coco.names")}


def clip_vocabulary(folder):
  """CLIP's words, from the package open_clip_torch."""
  import open_clip
  return {"bpe_simple_vocab_16e6.txt.gz": os.path.join(os.path.dirname(open_clip.__file__), "bpe_simple_vocab_16e6.txt.gz")}


def tokenizer_folder(folder, repository, words=512):
  """A fast tokenizer of Hugging Face's in a folder named as its repository."""
  from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
  tokenizer = Tokenizer(models.BPE())
  tokenizer.pre_tokenizer, tokenizer.decoder = pre_tokenizers.ByteLevel(), decoders.ByteLevel()
  trainer = trainers.BpeTrainer(vocab_size=words, initial_alphabet=pre_tokenizers.ByteLevel.alphabet())
  tokenizer.train_from_iterator([CORPUS], trainer)
  place = os.path.join(folder, repository)
  os.makedirs(place, exist_ok=True)
  tokenizer.save(os.path.join(place, "tokenizer.json"))
  for name, text in (("tokenizer_config.json", {"tokenizer_class": "PreTrainedTokenizerFast"}), ("config.json", {"model_type": "gpt_neox"})):
    with open(os.path.join(place, name), "w", encoding="utf-8") as file:
      json.dump(text, file)


def mamba(folder, dim=64, layers=2, words=512):
  """Mamba's weights by the names of its authors' files, and a tokenizer."""
  import torch
  tokenizer_folder(folder, "EleutherAI/gpt-neox-20b", words)
  inner, rank = 2 * dim, -(-dim // 16)
  shapes = {"backbone.embedding.weight": (words, dim), "backbone.norm_f.weight": (dim,), "lm_head.weight": (words, dim)}
  for i in range(layers):
    shapes |= {f"backbone.layers.{i}.{name}": shape for name, shape in {
      "norm.weight": (dim,), "mixer.A_log": (inner, 16), "mixer.D": (inner,), "mixer.in_proj.weight": (2 * inner, dim),
      "mixer.conv1d.weight": (inner, 1, 4), "mixer.conv1d.bias": (inner,), "mixer.x_proj.weight": (rank + 32, inner),
      "mixer.dt_proj.weight": (inner, rank), "mixer.dt_proj.bias": (inner,), "mixer.out_proj.weight": (dim, inner)}.items()}
  path = os.path.join(folder, "mamba.bin")
  torch.save({name: _torch(shape, seed=i) for i, (name, shape) in enumerate(shapes.items())}, path)
  return {"pytorch_model.bin": path}


def vit(folder, dim=192):
  """ViT-Ti/16 in the arrays of its authors."""
  heads = 3
  shapes = {"embedding/kernel": (16, 16, 3, dim), "embedding/bias": (dim,), "cls": (1, 1, dim), "head/kernel": (dim, 1000),
            "head/bias": (1000,), "Transformer/posembed_input/pos_embedding": (1, 197, dim),
            "Transformer/encoder_norm/scale": (dim,), "Transformer/encoder_norm/bias": (dim,)}
  for i in range(12):
    block = f"Transformer/encoderblock_{i}/"
    for part in ("query", "key", "value"):
      shapes[f"{block}MultiHeadDotProductAttention_1/{part}/kernel"] = (dim, heads, dim // heads)
      shapes[f"{block}MultiHeadDotProductAttention_1/{part}/bias"] = (heads, dim // heads)
    shapes |= {f"{block}MultiHeadDotProductAttention_1/out/kernel": (heads, dim // heads, dim),
               f"{block}MultiHeadDotProductAttention_1/out/bias": (dim,), f"{block}MlpBlock_3/Dense_0/kernel": (dim, 4 * dim),
               f"{block}MlpBlock_3/Dense_0/bias": (4 * dim,), f"{block}MlpBlock_3/Dense_1/kernel": (4 * dim, dim),
               f"{block}MlpBlock_3/Dense_1/bias": (dim,)}
    for part in ("LayerNorm_0", "LayerNorm_2"):
      shapes |= {f"{block}{part}/scale": (dim,), f"{block}{part}/bias": (dim,)}
  path = os.path.join(folder, "vit.npz")
  np.savez(path, **{name: (_rng(i).standard_normal(shape) * 0.05).astype(np.float32) for i, (name, shape) in enumerate(shapes.items())})
  return {".npz": path}


def _state_shapes(tinygrad, code):
  """Names and shapes of the weights of a model that `code` makes, by tinygrad itself."""
  import subprocess
  import sys
  script = f"import json\n{code}\nfrom tinygrad.nn.state import get_state_dict\n" \
           "print(json.dumps({k: [list(v.shape), v.dtype.name] for k, v in get_state_dict(model).items()}))"
  out = subprocess.run([sys.executable, "-c", script], cwd=tinygrad, check=True, capture_output=True, text=True).stdout
  return json.loads(out.splitlines()[-1])


def efficientnet(folder, tinygrad):
  """EfficientNet-B0 in PyTorch's file, by the names of its port."""
  import torch
  weights = {}
  shapes = _state_shapes(tinygrad, "from extra.models.efficientnet import EfficientNet\nmodel = EfficientNet(0)")
  for i, (name, (shape, _)) in enumerate(shapes.items()):
    for part in ("_conv_head", "_conv_stem", "_depthwise_conv", "_expand_conv", "_fc", "_project_conv", "_se_reduce", "_se_expand"):
      if name.split(".")[-1] == part:
        name += ".weight"
      elif name.split(".")[-1] == part + "_bias":
        name = name[:-len("_bias")] + ".bias"
    value = _torch(shape, seed=i)
    value = value.T.contiguous() if name == "_fc.weight" else value.abs() + 0.5 if "running_var" in name else value
    weights[name] = torch.tensor(0) if "num_batches" in name else value
  path = os.path.join(folder, "efficientnet-b0.pth")
  torch.save(weights, path)
  return {"efficientnet-b0": path}


def yolov8(folder, tinygrad):
  """YOLOv8n's float16 safetensors."""
  code = "from examples.yolov8 import YOLOv8, get_variant_multiples\nd, w, r = get_variant_multiples('n')\n" \
         "model = YOLOv8(w=w, r=r, d=d, num_classes=80)"
  head, data = {}, b""
  for i, (name, (shape, _)) in enumerate(_state_shapes(tinygrad, code).items()):
    value = (np.abs(_rng(i).standard_normal(shape)) * 0.05).astype(np.float16)
    head[name] = {"dtype": "F16", "shape": shape, "data_offsets": [len(data), len(data) + value.nbytes]}
    data += value.tobytes()
  text = json.dumps(head).encode()
  text += b" " * (-len(text) % 8)
  path = os.path.join(folder, "yolov8n.safetensors")
  with open(path, "wb") as file:
    file.write(struct.pack("<Q", len(text)) + text + data)
  return {"yolov8n.safetensors": path}
