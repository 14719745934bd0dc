"""Small language models at random as GGUF files, and what their logits have to be: a decoder in
NumPy that is written for reading and shares nothing with the package. For the files
test_llm*.py."""
import math
import random
import struct

from test_files import gguf, text_fact

PRINTING = [*range(33, 127), *range(161, 173), *range(174, 256)]
OTHERS = [b for b in range(256) if b not in PRINTING]
WORDS = [bytes([b]) for b in range(256)] + [b"he", b"ll", b"lo", b" w", b"or", b"hell", b"hello", b"00", b"ab", b"aba"]
SPECIAL = ["<|begin|>", "<|im_end|>", "<|im_start|>"]
BEGIN, END = len(WORDS), len(WORDS) + 1
VOCABULARY = len(WORDS) + len(SPECIAL)
DIM, HIDDEN, LAYERS, HEADS, KV_HEADS, HEAD, CONTEXT = 32, 48, 2, 4, 2, 8, 64


def spelled(word):
  """Bytes as letters: those that do not print as letters from 256 on."""
  return "".join(chr(b) if b in PRINTING else chr(256 + OTHERS.index(b)) for b in word)


def number(n):
  """A fact that is a whole number, or a float."""
  return (6, struct.pack("<f", n)) if isinstance(n, float) else (4, struct.pack("<I", n))


def texts(values):
  """A fact that is a list of texts."""
  coded = [v.encode() for v in values]
  return 9, struct.pack("<IQ", 8, len(values)) + b"".join(struct.pack("<Q", len(v)) + v for v in coded)


def numbers(values):
  """A fact that is a list of whole numbers."""
  return 9, struct.pack(f"<IQ{len(values)}i", 5, len(values), *values)


def facts(arch, **more):
  """The facts of a model; `more` about the architecture, with _ for a dot; None leaves one out."""
  own = {"context_length": CONTEXT, "embedding_length": DIM, "block_count": LAYERS, "feed_forward_length": HIDDEN,
         "attention.head_count": HEADS, "attention.head_count_kv": KV_HEADS, "attention.key_length": HEAD,
         "attention.value_length": HEAD, "attention.layer_norm_rms_epsilon": 1e-5, "rope.freq_base": 100.0, **more}
  tokens = {"model": text_fact("gpt2"), "pre": text_fact("llama-bpe" if arch == "llama" else "qwen2"),
            "tokens": texts([*map(spelled, WORDS), *SPECIAL]), "token_type": numbers([1] * len(WORDS) + [3] * 3),
            "bos_token_id": number(BEGIN), "eos_token_id": number(END)}
  return {"general.architecture": text_fact(arch), "general.name": text_fact("a small model"),
          **{f"{arch}.{k}": number(n) for k, n in own.items() if n is not None},
          **{f"tokenizer.ggml.{k}": fact for k, fact in tokens.items()}}


def shapes(arch):
  """The shapes of all weights by name."""
  kv = KV_HEADS * HEAD
  block = {"attn_norm": (DIM,), "attn_q": (HEADS * HEAD, DIM), "attn_k": (kv, DIM), "attn_v": (kv, DIM),
           "attn_output": (DIM, HEADS * HEAD), "ffn_norm": (DIM,), "ffn_gate": (HIDDEN, DIM), "ffn_up": (HIDDEN, DIM),
           "ffn_down": (DIM, HIDDEN), **({"attn_q_norm": (HEAD,), "attn_k_norm": (HEAD,)} if arch == "qwen3" else {})}
  names = {"token_embd.weight": (VOCABULARY, DIM), "output_norm.weight": (DIM,)}
  names |= {f"blk.{i}.{name}.weight": shape for i in range(LAYERS) for name, shape in block.items()}
  return names | ({"rope_freqs.weight": (HEAD // 2,)} if arch == "llama" else {})


def weights(arch, seed=0):
  """Numbers at random by name, flat: around 1 for vectors. Those of the gates are such as Q8_0
  has."""
  r = random.Random(seed)
  made = {}
  for name, shape in shapes(arch).items():
    count = math.prod(shape)
    if "ffn_gate" in name:
      made[name] = [r.randint(-127, 127) / 512 for _ in range(count)]
    else:
      made[name] = [r.gauss(0, 0.3) if len(shape) > 1 else r.uniform(0.7, 1.6) for _ in range(count)]
  return made


def _bytes(name, values):
  if "ffn_gate" not in name:
    return 0, struct.pack(f"<{len(values)}f", *values)
  rows = (values[i:i + 32] for i in range(0, len(values), 32))
  return 8, b"".join(struct.pack("<e32b", 1 / 512, *(round(v * 512) for v in row)) for row in rows)


def model_file(arch, without=(), seed=0, **more):
  """The bytes of a GGUF file: a model of two blocks. `without`: weights that it lacks."""
  tensors = {name: (shapes(arch)[name][::-1], *_bytes(name, values)) for name, values in weights(arch, seed).items()
             if name not in without}
  return gguf(facts(arch, **more), tensors)


def reference(arch, tokens, seed=0):
  """The logits [T, vocabulary] behind each of some tokens, by NumPy in float64."""
  import numpy as np
  w = {name: np.array(values).reshape(shapes(arch)[name]) for name, values in weights(arch, seed).items()}
  T = len(tokens)

  def norm(x, weight):
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-5) * weight

  def heads(x, count):
    return x.reshape(T, count, HEAD).transpose(1, 0, 2)

  def turned(x):
    rate = 100.0 ** (-np.arange(0, HEAD, 2) / HEAD) / w.get("rope_freqs.weight", 1)
    turn = np.exp(1j * np.arange(T)[:, None] * rate)
    if arch == "llama":  # pairs are neighbours
      z = (x[..., 0::2] + 1j * x[..., 1::2]) * turn
      return np.stack([z.real, z.imag], -1).reshape(x.shape)
    z = (x[..., :HEAD // 2] + 1j * x[..., HEAD // 2:]) * turn
    return np.concatenate([z.real, z.imag], -1)

  def attention(x, b):
    q, k, v = (heads(x @ b(f"attn_{n}").T, c) for n, c in (("q", HEADS), ("k", KV_HEADS), ("v", KV_HEADS)))
    if arch == "qwen3":
      q, k = norm(q, b("attn_q_norm")), norm(k, b("attn_k_norm"))
    k, v = (np.repeat(z, HEADS // KV_HEADS, 0) for z in (turned(k), v))
    scores = turned(q) @ k.transpose(0, 2, 1) / HEAD ** 0.5 + np.triu(np.full((T, T), -np.inf), 1)
    share = np.exp(scores - scores.max(-1, keepdims=True))
    return (share / share.sum(-1, keepdims=True) @ v).transpose(1, 0, 2).reshape(T, -1) @ b("attn_output").T

  x = w["token_embd.weight"][tokens]
  for i in range(LAYERS):
    def b(name, i=i):
      return w[f"blk.{i}.{name}.weight"]
    x = x + attention(norm(x, b("attn_norm")), b)
    h = norm(x, b("ffn_norm"))
    gate = h @ b("ffn_gate").T
    x = x + (gate / (1 + np.exp(-gate)) * (h @ b("ffn_up").T)) @ b("ffn_down").T
  return norm(x, w["output_norm.weight"]) @ w["token_embd.weight"].T
