"""Transformer: a language model out of blocks, loaded from a GGUF file, that goes on with a text.
This module has the names of tinygrad's llm.model; what they are made of is in config.py, rope.py,
experts.py, blocks.py and delta_net.py. Texts and tokens: tokenizer.py; programs: cli.py,
serve.py."""
from dataclasses import replace

from tinygrad_cpp import nn
from tinygrad_cpp.dtype import dtypes
from tinygrad_cpp.engine.jit import TinyJit
from tinygrad_cpp.errors import ArgumentError, OutOfRangeError
from tinygrad_cpp.helpers import getenv
from tinygrad_cpp.llm.blocks import FFNBlock, MLATransformerBlock, TransformerBlock  # noqa: F401
from tinygrad_cpp.llm.config import (  # noqa: F401
  ExpertGating, Facts, SSMConfig, TransformerConfig, config_of)
from tinygrad_cpp.llm.delta_net import GatedDeltaNetBlock
from tinygrad_cpp.llm.experts import ExpertWeights, pairwise_topk  # noqa: F401
from tinygrad_cpp.llm.gguf import gguf_load
from tinygrad_cpp.llm.rope import apply_rope, precompute_freqs_cis  # noqa: F401
from tinygrad_cpp.llm.weights import load_weights, weights_of
from tinygrad_cpp.tensor import Tensor
from tinygrad_cpp.uop.ops import UOp, resolve


def _blocks(config):
  """The blocks in order: some dense ones may lead those with experts, some may be recurrent."""
  if config.ssm is not None:
    config = replace(config, qk_norm=config.head_dim)
  dense = replace(config, num_experts=0, num_experts_per_tok=0, shared_expert_dim=0,
                  hidden_dim=config.dense_hidden_dim or config.hidden_dim)
  attention = MLATransformerBlock if config.kv_lora_rank > 0 else TransformerBlock
  for i in range(config.num_blocks):
    own = dense if i < config.leading_dense_blocks else config
    is_recurrent = config.ssm is not None and config.ssm_layers[i]
    yield GatedDeltaNetBlock(own, config.ssm) if is_recurrent else attention(own)


def _common_length(a, b):
  """How many elements two lists begin with that are the same."""
  return next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))


class Transformer:
  """A decoder: tokens in, the next token out. It keeps what it computed of the last text, and a
  text that begins in the same way goes on from there."""

  def __init__(self, config):
    self.config = config
    self.blk = list(_blocks(config))
    self.token_embd = nn.Embedding(config.vocab_size, config.dim)
    self.output_norm = nn.RMSNorm(config.dim, config.norm_eps)
    self.output = nn.Linear(config.dim, config.vocab_size, bias=False)
    self.max_context = config.max_context
    self.has_recurrent_block = any(isinstance(block, GatedDeltaNetBlock) for block in self.blk)
    self._cached_tokens = []  # those that the blocks have seen
    self._chunk_size = None  # that the next one is captured with
    self.prefill_jit = TinyJit(self.forward)  # many tokens of a prompt at once
    self.rollout_jit = TinyJit(self.forward)  # one at a time

  def logits(self, tokens, start_pos):
    """How likely each token of the vocabulary is next, before softmax [B, vocabulary]: behind
    tokens [B, T] that stand from start_pos on. Those before start_pos are what the blocks keep."""
    x = self.token_embd(tokens).float()
    for block in self.blk:
      x = block(x, start_pos)
    return self.output(self.output_norm(x[:, -1:]))[:, -1, :]

  def forward(self, tokens, start_pos, temperature):
    """The next token [B, 1], drawn by the softmax of the logits over the temperature [1]."""
    logits = self.logits(tokens, start_pos)
    # The largest of logits with noise of Gumbel's distribution is such a draw, without sums.
    noise = -(-(Tensor.rand_like(logits).maximum(1e-12).log())).log()
    return (logits / temperature.maximum(1e-12) + noise).argmax(-1, keepdim=True)

  def __call__(self, tokens, start_pos, temperature):
    jit = self.prefill_jit if resolve(tokens.shape[1] != 1) else self.rollout_jit
    return jit(tokens.contiguous(), start_pos, temperature)

  @staticmethod
  def from_gguf(gguf, max_context=None, realize=bool(getenv("REALIZE", 0))):
    """(model, facts) of a GGUF file: a path, or a tensor of its bytes. `max_context`: of so many
    tokens at most. Weights stay as they are in the file and become floats where they are read; with
    `realize` they become floats once, float16 (HALF=0 in the environment: float32). FileError if
    the file is damaged or lacks something, ArgumentError if it is of an architecture that is not
    supported."""
    kv, state = gguf_load(gguf)
    config = config_of(kv, {name: t.shape for name, t in state.items()}, max_context,
                       lambda name: state[name].tolist())
    model = Transformer(config)
    load_weights(model, weights_of(state, config, Facts(kv).arch))
    if realize:
      model._realize_weights()
    else:
      # A capture would keep the floats of all weights that prompts are multiplied by.
      model.prefill_jit = model.forward
    return model, kv

  def _realize_weights(self):
    dtype = dtypes.float16 if getenv("HALF", 1) else dtypes.float32
    parameters = nn.state.get_parameters(self)
    for w in parameters:
      w.replace(w.cast(dtype).contiguous())
    Tensor.realize(*parameters)

  def warmup(self):
    """Compiles what generate will run, by a few tokens."""
    for _ in range(2):
      list(zip(range(2), self.generate([0])))

  def get_start_pos(self, tokens):
    """How many of the tokens the blocks have seen as the beginning of their last text, so that only
    the rest is to be computed: at most all but the last, whose successor is asked for."""
    cached = self._cached_tokens
    if self.has_recurrent_block:  # such blocks are at the end of what they saw, or at the beginning
      return len(cached) if len(cached) < len(tokens) and tokens[:len(cached)] == cached else 0
    length = _common_length(tokens[:-1], cached)
    return min(block._reusable_prefix_len(length, len(cached)) for block in self.blk)

  def _checked(self, tokens, chunk_size):
    if chunk_size < 1:
      raise ArgumentError(f"generate: chunks have at least one token: chunk_size={chunk_size}.")
    if not 0 < len(tokens) <= self.max_context:
      raise ArgumentError("generate: a prompt has one token at least and as many as the context at "
                          f"most: {len(tokens)} tokens, max_context={self.max_context}.")
    outside = next((t for t in tokens if not 0 <= t < self.config.vocab_size), None)
    if outside is not None:
      raise OutOfRangeError(f"generate: there is no such token: {outside}, the vocabulary has "
                            f"{self.config.vocab_size}.")

  def _capture_for(self, chunk_size):
    """A capture serves chunks of one greatest size."""
    if chunk_size not in (1, self._chunk_size):
      if isinstance(self.prefill_jit, TinyJit):
        self.prefill_jit.reset()
      self._chunk_size = chunk_size

  def generate(self, tokens, chunk_size=32, temperature=0.0):
    """Yields the tokens that go on with a text, one by one, and appends them to it, until the
    context is full. The prompt is read `chunk_size` tokens at a time. Temperature 0 takes the
    likeliest token; the higher it is, the more often others are taken. May be left at any time."""
    self._checked(tokens, chunk_size)
    chunk_size = 1 if self.has_recurrent_block else chunk_size
    self._capture_for(chunk_size)
    place = UOp.variable("start_pos", 0, self.max_context - 1)
    count = UOp.variable("toks", 1, chunk_size)
    heat = Tensor([float(temperature)])
    text = Tensor([tokens + [0] * (self.max_context - len(tokens))], dtype="int32")
    start, prompt, out = self.get_start_pos(tokens), len(tokens), None
    while len(tokens) < self.max_context:
      n = min(chunk_size, len(tokens) - start)
      at, number = place.bind(start), count.bind(n)
      # What the call may overwrite is not counted as seen while it runs: it may fail or be stopped.
      self._cached_tokens = [] if self.has_recurrent_block else tokens[:start]
      given = text[:, at:at + number] if out is None or start < prompt else out
      out = self(given, at, heat).realize()
      start += n
      self._cached_tokens = tokens[:start]
      if start == len(tokens):
        tokens.append(int(out.item()))
        yield tokens[-1]
