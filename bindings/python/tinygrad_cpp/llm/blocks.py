"""The blocks of a transformer: a feed-forward (plain or of experts) behind attention with grouped
heads, or with compressed keys and values (MLA). Blocks keep the keys and values of a text so far,
so that each call brings only what is new. Members are named as GGUF names the weights. Recurrent
blocks: delta_net.py; the model around the blocks: model.py."""
from tinygrad_cpp.dtype import dtypes
from tinygrad_cpp.errors import ArgumentError
from tinygrad_cpp.llm.experts import ExpertWeights, route
from tinygrad_cpp.llm.rope import apply_rope, precompute_freqs_cis
from tinygrad_cpp.nn import Linear, RMSNorm
from tinygrad_cpp.tensor import Tensor
from tinygrad_cpp.uop.ops import resolve


def _linear(in_features, out_features, bias=False):
  return Linear(in_features, out_features, bias=bias)


def _causal_mask(count, start_pos, dtype):
  """What is added to scores [..., T, start_pos + T] so that nothing looks ahead; None for one
  place, which may look at all."""
  if not resolve(count != 1):
    return None
  whole = Tensor.full((1, 1, count, start_pos + count), float("-inf"), dtype=dtype, buffer=False)
  return whole.triu(start_pos + 1)


class FFNBlock:
  """A block without its attention: norms, and a feed-forward that is dense or a mixture of
  experts."""

  def __init__(self, config):
    self.config = config
    self.attn_norm = RMSNorm(config.dim, config.norm_eps)
    self.ffn_norm = RMSNorm(config.dim, config.norm_eps)
    if config.num_experts > 0:
      self._init_experts(config)
    else:
      self._init_dense("", config.hidden_dim)

  def _init_dense(self, suffix, hidden):
    """Gate, up and down: of the block, or with a suffix those of the shared expert."""
    for name, sizes in (("gate", (self.config.dim, hidden)), ("up", (self.config.dim, hidden)),
                        ("down", (hidden, self.config.dim))):
      setattr(self, f"ffn_{name}{suffix}", _linear(*sizes))

  def _init_experts(self, config):
    self.ffn_gate_inp = _linear(config.dim, config.num_experts)  # the router
    if config.expert_bias:
      self.exp_probs_b = {"bias": Tensor.zeros(config.num_experts)}
    self.ffn_gate_exps = ExpertWeights(config.num_experts, config.dim, config.hidden_dim)
    self.ffn_up_exps = ExpertWeights(config.num_experts, config.dim, config.hidden_dim)
    self.ffn_down_exps = ExpertWeights(config.num_experts, config.hidden_dim, config.dim)
    if config.shared_expert_dim > 0:
      self._init_dense("_shexp", config.shared_expert_dim)
      if config.shared_expert_gate:
        self.ffn_gate_inp_shexp = {"weight": Tensor.zeros(config.dim)}

  def _feed_forward(self, x):
    """[B, T, D] gives [B, T, D]."""
    if not hasattr(self, "ffn_gate_exps"):
      return self.ffn_down(self.ffn_gate(x).silu().contiguous() * self.ffn_up(x))
    out = self._experts(x)
    return out + self._shared_expert(x) if hasattr(self, "ffn_gate_shexp") else out

  def _experts(self, x):
    bias = self.exp_probs_b["bias"] if hasattr(self, "exp_probs_b") else None
    weights, sel = route(self.ffn_gate_inp(x), self.config, bias)
    each = x.unsqueeze(2)
    hidden = (self.ffn_gate_exps(sel, each).silu() * self.ffn_up_exps(sel, each)).contiguous()
    return (self.ffn_down_exps(sel, hidden) * weights.unsqueeze(-1)).sum(2)

  def _shared_expert(self, x):
    out = self.ffn_down_shexp(self.ffn_gate_shexp(x).silu().contiguous() * self.ffn_up_shexp(x))
    if hasattr(self, "ffn_gate_inp_shexp"):
      out = out * (x * self.ffn_gate_inp_shexp["weight"]).sum(-1, keepdim=True).sigmoid()
    return out

  def _reusable_prefix_len(self, prefix_len, cached_len):
    """How much of what is kept of `cached_len` tokens serves a text that begins with `prefix_len`
    of them."""
    return prefix_len

  def _init_state(self, x):
    """Makes what is kept between calls, for a batch as that of x, where there is none yet."""
    raise NotImplementedError

  def _attention(self, x, start_pos):
    """[B, T, D] at places from start_pos on gives [B, T, D]."""
    raise NotImplementedError

  def _init_cache(self, name, x, *shape):
    """Storage [..., B, ...] for keys and values, and the angles of all places."""
    c = self.config
    if getattr(self, name, None) is None:
      setattr(self, name, Tensor.empty(*shape, dtype=dtypes.default_float, device=x.device))
      self.freqs_cis = precompute_freqs_cis(c.rope_dim, c.max_context, c.rope_theta, x.device,
                                            c.rope_factors)

  def __call__(self, x, start_pos):
    self._init_state(x)
    h = x + self._attention(self.attn_norm(x), start_pos)
    return (h + self._feed_forward(self.ffn_norm(h))).contiguous()


class TransformerBlock(FFNBlock):
  """Attention with heads of their own for queries, and fewer for keys and values. It keeps
  cache_kv [2, B, kv heads, places, head]."""

  def __init__(self, config):
    super().__init__(config)
    if config.v_head_dim != config.head_dim:
      raise ArgumentError(f"TransformerBlock: values and keys have heads of one size: v_head_dim="
                          f"{config.v_head_dim}, head_dim={config.head_dim}.")
    queries, keys = config.head_dim * config.n_heads, config.head_dim * config.n_kv_heads
    gated = 2 if config.attn_output_gate else 1
    self.attn_q = _linear(config.dim, queries * gated, config.qkv_bias)
    self.attn_k = _linear(config.dim, keys, config.qkv_bias)
    self.attn_v = _linear(config.dim, keys, config.qkv_bias)
    self.attn_output = _linear(queries, config.dim)
    if config.qk_norm:
      self.attn_q_norm = RMSNorm(config.qk_norm, config.norm_eps)
      self.attn_k_norm = RMSNorm(config.qk_norm, config.norm_eps)

  def _projected(self, x):
    """(queries, keys, values) [B, heads, T, head], and the gate of the output [B, T, heads * head]
    or None."""
    c, (B, T, _) = self.config, x.shape
    q, k, v, gate = self.attn_q(x), self.attn_k(x), self.attn_v(x), None
    norms_all = c.qk_norm not in (0, c.head_dim)  # of all heads together, not of each
    if norms_all:
      q, k = self.attn_q_norm(q), self.attn_k_norm(k)
    if c.attn_output_gate:
      both = q.reshape(B, T, c.n_heads, 2, c.head_dim)
      q, gate = both[:, :, :, 0], both[:, :, :, 1].reshape(B, T, c.n_heads * c.head_dim)
    q = q.reshape(B, T, c.n_heads, c.head_dim).transpose(1, 2)
    k, v = (z.reshape(B, T, c.n_kv_heads, c.head_dim).transpose(1, 2) for z in (k, v))
    if c.qk_norm and not norms_all:
      q, k = self.attn_q_norm(q), self.attn_k_norm(k)
    return q, k, v, gate

  def _turned(self, x, angles):
    """The first rope_dim elements of each head turned, the others as they are."""
    n = self.config.rope_dim
    if n == x.shape[-1]:
      return apply_rope(x, angles)
    return apply_rope(x[..., :n], angles).cat(x[..., n:], dim=-1)

  def _attention(self, x, start_pos):
    B, T, _ = x.shape
    q, k, v, gate = self._projected(x)
    end = start_pos + T
    angles = self.freqs_cis[start_pos:end]
    q, k = self._turned(q, angles), self._turned(k, angles)
    self.cache_kv[:, :, :, start_pos:end, :] = Tensor.stack(k, v)
    k, v = self.cache_kv[0, :, :, 0:end, :], self.cache_kv[1, :, :, 0:end, :]
    mask = _causal_mask(T, start_pos, x.dtype)
    out = q.scaled_dot_product_attention(k, v, attn_mask=mask, enable_gqa=True)
    out = out.transpose(1, 2).reshape(B, T, -1)
    return self.attn_output(out if gate is None else out * gate.sigmoid())

  def _init_state(self, x):
    c = self.config
    self._init_cache("cache_kv", x, 2, x.shape[0], c.n_kv_heads, c.max_context, c.head_dim)


class MLATransformerBlock(FFNBlock):
  """Attention with keys and values compressed into one vector of kv_lora_rank numbers for all
  heads, as DeepSeek's: queries go to where the compressed keys are, so those are never expanded. It
  keeps cache_k [B, 1, places, kv_lora_rank + rope_dim]."""

  def __init__(self, config):
    super().__init__(config)
    c = config
    self._nope = c.head_dim - c.rope_dim  # elements of a head that are not turned
    if c.q_lora_rank > 0:
      self.attn_q_a = _linear(c.dim, c.q_lora_rank)
      self.attn_q_a_norm = RMSNorm(c.q_lora_rank, c.norm_eps)
      self.attn_q_b = _linear(c.q_lora_rank, c.n_heads * c.head_dim)
    else:
      self.attn_q = _linear(c.dim, c.n_heads * c.head_dim)
    self.attn_kv_a_mqa = _linear(c.dim, c.kv_lora_rank + c.rope_dim)
    self.attn_kv_a_norm = RMSNorm(c.kv_lora_rank, c.norm_eps)
    self.attn_k_b = {"weight": Tensor.zeros(c.n_heads, c.kv_lora_rank, self._nope)}
    self.attn_v_b = {"weight": Tensor.zeros(c.n_heads, c.v_head_dim, c.kv_lora_rank)}
    self.attn_output = _linear(c.n_heads * c.v_head_dim, c.dim)

  def _turned(self, x, start_pos):
    """Turned by its places, unless the recurrent blocks of the model tell places apart (Kimi)."""
    if self.config.ssm is not None and self.config.ssm.kda:
      return x
    return apply_rope(x, self.freqs_cis[start_pos:start_pos + x.shape[2]])

  def _queries(self, x, start_pos):
    """[B, heads, T, kv_lora_rank + rope_dim]"""
    c, (B, T, _) = self.config, x.shape
    q = self.attn_q_b(self.attn_q_a_norm(self.attn_q_a(x))) if c.q_lora_rank > 0 else self.attn_q(x)
    q = q.reshape(B, T, c.n_heads, c.head_dim).transpose(1, 2)
    compressed = q[..., :self._nope] @ self.attn_k_b["weight"].transpose(-1, -2)
    return compressed.cat(self._turned(q[..., self._nope:], start_pos), dim=-1)

  def _keys(self, x, start_pos):
    """[B, 1, T, kv_lora_rank + rope_dim]; the values are the first part."""
    both = self.attn_kv_a_mqa(x).unsqueeze(1)
    rank = self.config.kv_lora_rank
    turned = self._turned(both[..., rank:], start_pos)
    return self.attn_kv_a_norm(both[..., :rank]).cat(turned, dim=-1)

  def _attention(self, x, start_pos):
    c, (B, T, _) = self.config, x.shape
    q, end = self._queries(x, start_pos), start_pos + T
    self.cache_k[:, :, start_pos:end, :] = self._keys(x, start_pos)
    k = self.cache_k[:, :, 0:end, :]
    scores = q @ k.transpose(-1, -2) * c.head_dim ** -0.5
    mask = _causal_mask(T, start_pos, x.dtype)
    weights = (scores if mask is None else scores + mask).softmax(-1)
    values = (weights @ k[..., :c.kv_lora_rank]) @ self.attn_v_b["weight"].transpose(-1, -2)
    return self.attn_output(values.transpose(1, 2).reshape(B, T, -1))

  def _init_state(self, x):
    c = self.config
    self._init_cache("cache_k", x, x.shape[0], 1, c.max_context, c.kv_lora_rank + c.rope_dim)
