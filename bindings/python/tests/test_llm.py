"""Language models: their logits against a decoder in NumPy, what they keep of a text, their files
and their blocks. Tokens and templates: test_llm_text.py; the server and the command line:
test_llm_server.py."""
import os
import pathlib
import random
import tempfile
import unittest
import warnings

import llm_files
from llm_files import BEGIN, model_file

from tinygrad_cpp import ArgumentError, FileError, OutOfRangeError, Tensor, UOp
from tinygrad_cpp.llm import config
from tinygrad_cpp.llm.blocks import MLATransformerBlock
from tinygrad_cpp.llm.delta_net import GatedDeltaNetBlock
from tinygrad_cpp.llm.experts import pairwise_topk, route
from tinygrad_cpp.llm.model import ExpertGating, SSMConfig, Transformer, TransformerConfig
from tinygrad_cpp.llm.rope import RopeError, apply_rope
from tinygrad_cpp.nn.state import get_parameters

try:
  import numpy as np
except ImportError:
  np = None

SEED = int(os.environ.get("SEED", random.randrange(1 << 30)))
PROMPT = [BEGIN, 104, 101, 108, 108, 111, 32, 3, 250, 97, 98]


def loaded(arch="llama", max_context=None, realize=False, **more):
  """A model of the file that llm_files writes."""
  with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder) / "model.gguf"
    path.write_bytes(model_file(arch, **more))
    return Transformer.from_gguf(path, max_context, realize)[0]


def logits_in_chunks(model, tokens, sizes):
  """The logits behind the last token of each chunk."""
  rows, start = [], 0
  for size in sizes:
    rows.append(model.logits(Tensor([tokens[start:start + size]]), start).tolist()[0])
    start += size
  return rows


def said(model, tokens, count, **options):
  """The next tokens."""
  return [token for _, token in zip(range(count), model.generate(list(tokens), **options))]


class Models(unittest.TestCase):
  def assertNear(self, got, expected, tolerance=2e-4):
    got, expected = (x.flatten().tolist() if hasattr(x, "flatten") else x for x in (got, expected))
    worst = max(abs(a - b) / (1 + abs(b)) for a, b in zip(got, expected, strict=True))
    self.assertLess(worst, tolerance)

  @unittest.skipIf(np is None, "NumPy is not installed")
  def test_logits_are_those_of_the_reference_however_the_text_is_cut(self):
    for arch in ("llama", "qwen3"):
      expected, model = llm_files.reference(arch, PROMPT), loaded(arch)
      for sizes in ([11], [1] * 11, [4, 4, 3], [7, 1, 3]):
        ends = [sum(sizes[:i + 1]) - 1 for i in range(len(sizes))]
        for row, end in zip(logits_in_chunks(model, PROMPT, sizes), ends):
          self.assertNear(row, expected[end])

  @unittest.skipIf(np is None, "NumPy is not installed")
  def test_generate_takes_the_likeliest_token_of_the_reference(self):
    for arch in ("llama", "qwen3"):
      text = list(PROMPT)
      for _ in range(6):
        text.append(int(llm_files.reference(arch, text)[-1].argmax()))
      for realize in (False, True):  # captured calls, and none
        model = loaded(arch, realize=realize)
        for chunk_size in (32, 4, 1):
          model._cached_tokens = []
          self.assertEqual(said(model, PROMPT, 6, chunk_size=chunk_size), text[len(PROMPT):])

  def test_quantised_weights_stay_as_they_are_in_the_file(self):
    model = loaded("qwen3")
    said(model, PROMPT, 3)
    self.assertFalse(model.blk[0].ffn_gate.weight.is_realized)
    self.assertTrue(all(w.is_realized for w in get_parameters(loaded("qwen3", realize=True))))

  def test_the_beginning_that_two_texts_share_is_computed_once(self):
    model, calls = loaded(), []
    forward = model.forward
    model.prefill_jit = lambda tokens, *rest: calls.append(tokens.shape[1].val) or forward(tokens, *rest)
    text = list(PROMPT)
    first = said(model, text, 3)
    self.assertEqual(calls, [11])
    longer = [*PROMPT, *first, 5, 6]
    self.assertEqual(model.get_start_pos(longer), 13)  # the last token was never a part of the input
    again = said(model, longer, 3)
    self.assertEqual(calls, [11, 3])
    self.assertEqual(again, said(loaded(), longer, 3))
    self.assertEqual(model.get_start_pos([*PROMPT[:4], 9, 9]), 4)
    self.assertEqual(model.get_start_pos(PROMPT[:4]), 3)
    self.assertEqual(model.get_start_pos([7]), 0)

  def test_a_prompt_that_was_given_up_leaves_nothing_that_counts_as_another(self):
    model = loaded(realize=True)
    expected = said(model, PROMPT, 3)
    other = [BEGIN, 1, 2, 3, 4, 5, 6, 7, 8]
    call, count = model.prefill_jit, []

    def fails_second(*args):
      count.append(1)
      if len(count) == 2:
        raise KeyboardInterrupt
      return call(*args)
    model.prefill_jit = fails_second
    with self.assertRaises(KeyboardInterrupt):
      said(model, other, 1, chunk_size=4)
    self.assertEqual(model.get_start_pos(PROMPT), 1)
    self.assertEqual(model.get_start_pos(other), 5)  # the first, and a chunk
    model.prefill_jit = call
    self.assertEqual(said(model, PROMPT, 3), expected)

  def test_a_generation_ends_where_the_context_does(self):
    model = loaded(max_context=16)
    text = list(PROMPT)
    self.assertEqual(len(list(model.generate(text))), 5)
    self.assertEqual((len(text), list(model.generate(text))), (16, []))

  def test_temperature_draws_and_zero_does_not(self):
    model = loaded()
    Tensor.manual_seed(3)
    self.assertEqual(len({tuple(said(model, PROMPT, 4)) for _ in range(3)}), 1)
    self.assertGreater(len({tuple(said(model, PROMPT, 4, temperature=3.0)) for _ in range(4)}), 1)

  def test_prompts_that_cannot_be_are_refused(self):
    model = loaded(max_context=16)
    for tokens, error in (([], ArgumentError), ([1] * 17, ArgumentError), ([1, 5000], OutOfRangeError),
                          ([-1], OutOfRangeError)):
      with self.assertRaisesRegex(error, "generate: "):
        next(model.generate(tokens))
    with self.assertRaisesRegex(ArgumentError, "chunk_size=0"):
      next(model.generate([1], chunk_size=0))


class Files(unittest.TestCase):
  def refused(self, error, pattern, **how):
    with self.assertRaisesRegex(error, pattern):
      loaded(**how)

  def test_what_a_file_lacks_is_named(self):
    self.refused(FileError, r"lacks weights: blk\.1\.ffn_up\.weight\. Hint: ", without=["blk.1.ffn_up.weight"])
    self.refused(FileError, r"lacks a fact: 'llama\.block_count'", block_count=None)
    self.refused(FileError, r"other shapes .*: .*ffn_gate.weight \(48, 32\) instead of \(40, 32\)", feed_forward_length=40)

  def test_what_is_not_supported_is_named(self):
    self.refused(ArgumentError, "architecture is not supported: 'gemma3'. Hint: supported are llama,", arch="gemma3")
    self.refused(ArgumentError, "gating of experts is not supported: 9", expert_gating_func=9)
    with self.assertRaisesRegex(FileError, "no GGUF file"), tempfile.NamedTemporaryFile() as file:
      Transformer.from_gguf(pathlib.Path(file.name))

  def test_scalings_that_are_left_out_are_said(self):
    kv = {"general.architecture": "llama", "llama.rope.scaling.type": "yarn"}
    with warnings.catch_warnings(record=True) as said_so:
      warnings.simplefilter("always")
      config._warn_of_what_is_left_out(config.Facts(kv))
    self.assertIn("'yarn' is not applied", str(said_so[0].message))

  def test_a_tensor_of_a_file_s_bytes_is_a_file(self):
    model, kv = Transformer.from_gguf(Tensor(model_file("llama")))
    self.assertEqual((kv["general.name"], said(model, PROMPT, 2)), ("a small model", said(loaded(), PROMPT, 2)))


def small(**sizes):
  """A configuration of one block."""
  return TransformerConfig(**{"num_blocks": 1, "dim": 16, "hidden_dim": 24, "n_heads": 2, "n_kv_heads": 1, "norm_eps": 1e-5,
                              "vocab_size": 50, "head_dim": 12, "rope_theta": 100.0, "rope_dim": 4, "v_head_dim": 8,
                              "max_context": 16, **sizes})


def randomised(block):
  """Its weights at random, also those that begin as zeros."""
  Tensor.manual_seed(5)
  for w in get_parameters(block):
    w.replace(Tensor.randn(*w.shape).mul(0.3).realize())
  return block


@unittest.skipIf(np is None, "NumPy is not installed")
class Blocks(unittest.TestCase):
  def test_topk_is_that_of_a_stable_sort(self):
    r = np.random.default_rng(SEED)
    x = r.integers(0, 6, (2, 3, 9)).astype(np.float32)
    values, places = (t.numpy() for t in pairwise_topk(Tensor(x), 4))
    expected = np.argsort(-x, axis=-1, kind="stable")[..., :4][..., ::-1]
    self.assertTrue((places == expected).all() and (values == np.take_along_axis(x, expected, -1)).all(), f"SEED={SEED}")
    self.assertLess(pairwise_topk(Tensor([[[float("nan")] * 9]]), 2)[1].max().item(), 9)

  def test_a_bias_chooses_experts_and_does_not_weigh_them(self):
    logits, bias = Tensor([[[2.0, 1.0, 0.0, -1.0]]]), Tensor([0.0, 0.0, 0.0, 5.0])
    c = small(num_experts=4, num_experts_per_tok=2, expert_gating_func=ExpertGating.SIGMOID, routed_scaling_factor=2.0)
    weights, places = route(logits, c, bias)
    self.assertEqual(places.tolist(), [[[0, 3]]])
    np.testing.assert_allclose(weights.numpy(), [[[2 / (1 + np.exp(-2)), 2 / (1 + np.exp(1))]]], rtol=1e-5)

  def test_compressed_keys_give_what_expanded_ones_do(self):
    for q_lora_rank in (0, 6):
      c = small(kv_lora_rank=8, q_lora_rank=q_lora_rank)
      block, T = randomised(MLATransformerBlock(c)), 5
      x = Tensor.randn(1, T, c.dim).realize()
      block._init_state(x)
      got = block._attention(x, 0).numpy()
      parts = [block._attention(x[:, i:i + n], i).numpy() for i, n in ((0, 2), (2, 1), (3, 2))]
      q = (block.attn_q_b(block.attn_q_a_norm(block.attn_q_a(x))) if q_lora_rank else block.attn_q(x))
      q = q.reshape(1, T, 2, 12).transpose(1, 2)
      both, angles = block.attn_kv_a_mqa(x).unsqueeze(1), block.freqs_cis[:T]
      kept = block.attn_kv_a_norm(both[..., :8])
      k = (kept @ block.attn_k_b["weight"]).cat(apply_rope(both[..., 8:], angles).expand(1, 2, T, 4), dim=-1)
      q = q[..., :8].cat(apply_rope(q[..., 8:], angles), dim=-1)
      scores = (q @ k.transpose(-1, -2) / 12 ** 0.5).numpy() + np.triu(np.full((T, T), -np.inf), 1)
      share = np.exp(scores) / np.exp(scores).sum(-1, keepdims=True)
      values = (kept @ block.attn_v_b["weight"].transpose(-1, -2)).numpy()
      expected = (share @ values).transpose(0, 2, 1, 3).reshape(T, -1) @ block.attn_output.weight.numpy().T
      np.testing.assert_allclose(got[0], expected, rtol=2e-4, atol=2e-5)
      np.testing.assert_allclose(np.concatenate(parts, 1), got, rtol=2e-4, atol=2e-5)

  def recurrent(self, kda):
    ssm = SSMConfig(conv_kernel=3, state_size=4, group_count=2, time_step_rank=2 if kda else 4,
                    inner_size=8 if kda else 20, kda=kda)
    c = small(ssm=ssm, ssm_layers=(True,))
    return randomised(GatedDeltaNetBlock(c, ssm)), Tensor.randn(1, 7, c.dim).realize()

  def delta_rule(self, block, x, kda):
    """(what the block gives, what it keeps [heads, keys, values]), step by step as the papers write
    it."""
    def run(layer, z):
      return layer(Tensor(z.astype(np.float32))).numpy().astype(np.float64)

    def unit(z):
      return z / np.sqrt((z * z).sum(-1, keepdims=True))

    def sigmoid(z):
      return 1 / (1 + np.exp(-z))
    x, heads = x.numpy()[0], block.num_v_heads
    qkv = np.pad(run(block.attn_qkv, x), ((2, 0), (0, 0)))
    weight = block.ssm_conv1d["weight"].numpy()
    conv = sum(qkv[i:i + len(x)] * weight[:, i] for i in range(3))
    conv = conv * sigmoid(conv)
    q, k, v = np.split(conv, [block.q_dim, 2 * block.q_dim], -1)
    q, k = (np.tile(unit(z.reshape(len(x), 2, 4)), (1, heads // 2, 1)) for z in (q, k))
    v = v.reshape(len(x), heads, -1)
    alpha = run(block.ssm_f_b, run(block.ssm_f_a, x)) if kda else run(block.ssm_alpha, x)
    rate = np.log1p(np.exp(alpha + block.ssm_dt["bias"].numpy())).reshape(len(x), heads, -1)
    decay = np.exp(rate * block.ssm_a.numpy().reshape(heads, 1))  # [T, heads, keys or 1]
    beta = sigmoid(run(block.ssm_beta, x))
    gate = sigmoid(run(block.ssm_g_b, run(block.ssm_g_a, x))) if kda else run(block.attn_gate, x)
    gate = gate if kda else gate * sigmoid(gate)
    S, out = np.zeros((heads, 4, v.shape[-1])), []  # keys, values
    for t in range(len(x)):
      S = S * decay[t][..., None]
      S = S + beta[t][:, None, None] * k[t][..., None] * (v[t] - (k[t][..., None] * S).sum(1))[:, None]
      read = (q[t][..., None] * S).sum(1) / 2
      read = read / np.sqrt((read * read).mean(-1, keepdims=True) + 1e-5) * block.ssm_norm.weight.numpy()
      out.append((read.reshape(-1) * gate[t]) @ block.ssm_out.weight.numpy().T)
    return np.array(out)[None], S

  def test_recurrent_blocks_follow_the_delta_rule_however_the_text_is_cut(self):
    start, count = UOp.variable("start_pos", 0, 15), UOp.variable("toks", 1, 4)
    for kda in (False, True):
      block, x = self.recurrent(kda)
      block._init_state(x)
      expected, kept = self.delta_rule(block, x, kda)
      for sizes in ([7], [1] * 7, [3, 4], [4, 3]):
        for varies in (False, True) if max(sizes) < 5 else (False,):
          parts, at = [], 0
          for n in sizes:
            place, end = (start.bind(at), start.bind(at) + count.bind(n)) if varies else (at, at + n)
            part = block._attention(x[:, place:end], place)
            parts.append((part.pad_to(1, 4, 16) if varies else part).numpy()[:, :n])
            at += n
          np.testing.assert_allclose(np.concatenate(parts, 1), expected, rtol=3e-4, atol=3e-5)
          state = block.recurrent_state[0].numpy()
          np.testing.assert_allclose(state if kda else state.transpose(0, 2, 1), kept, rtol=3e-4, atol=3e-5)

  def test_recurrent_models_go_on_or_begin_again(self):
    ssm = SSMConfig(conv_kernel=3, state_size=4, group_count=2, time_step_rank=4, inner_size=20)
    model = randomised(Transformer(small(num_blocks=2, v_head_dim=12, ssm=ssm, ssm_layers=(True, False))))
    first = said(model, [1, 2, 3], 2)
    self.assertEqual(model.get_start_pos([1, 2, 3, first[0], 9]), 4)
    self.assertEqual(model.get_start_pos([1, 2, 9, 9, 9, 9]), 0)
    longer = said(model, [1, 2, 3, first[0], 9], 2)
    model._cached_tokens = []
    self.assertEqual(said(model, [1, 2, 3, first[0], 9], 2), longer)
    self.assertEqual(said(model, [1, 2, 3], 2), first)

  def test_sizes_that_do_not_fit_are_refused(self):
    with self.assertRaisesRegex(RopeError, "pairs of elements: they have 7"):
      apply_rope(Tensor.ones(1, 1, 2, 7), Tensor.ones(2, 7))
    with self.assertRaisesRegex(ArgumentError, "v_head_dim=8, head_dim=12"):
      Transformer(small())
    ssm = SSMConfig(conv_kernel=2, state_size=4, group_count=3, time_step_rank=4, inner_size=16)
    with self.assertRaisesRegex(ArgumentError, "4 heads of values, 3 of keys"):
      GatedDeltaNetBlock(small(), ssm)


if __name__ == "__main__":
  unittest.main()
