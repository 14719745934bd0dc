"""Layers of sequences that tinygrad has none of, with PyTorch's names and formulas: recurrent ones,
attention in several heads, the layers of a transformer. Their C++ versions: include/tg/layers.h."""
import math

from tinygrad_cpp.dtype import dtypes
from tinygrad_cpp.tensor import Tensor


def _uniform(shape, bound):
  return Tensor.uniform(*shape, low=-bound, high=bound)


class GRUCell:
  """One step of a gated recurrent unit: (x, h) gives h; gates in the order reset, update, new."""

  def __init__(self, input_size, hidden_size, bias=True):
    bound = 1 / math.sqrt(hidden_size)
    self.weight_ih = _uniform((hidden_size * 3, input_size), bound)
    self.weight_hh = _uniform((hidden_size * 3, hidden_size), bound)
    self.bias_ih = _uniform((hidden_size * 3,), bound) if bias else None
    self.bias_hh = _uniform((hidden_size * 3,), bound) if bias else None

  def __call__(self, x, h=None):
    if h is None:
      h = Tensor.zeros(*x.shape[:-1], self.weight_hh.shape[1], dtype=x.dtype, device=x.device)
    return _gru_step(x._linear(self.weight_ih.T, self.bias_ih), h, self.weight_hh, self.bias_hh)


def _gru_step(of_x, h, weight, bias):
  x, s = of_x.chunk(3, dim=-1), h._linear(weight.T, bias).chunk(3, dim=-1)
  r, z = (x[0] + s[0]).sigmoid(), (x[1] + s[1]).sigmoid()
  return ((1 - z) * (x[2] + r * s[2]).tanh() + z * h).contiguous()


def _lstm_step(of_x, state, weight, bias):
  i, f, g, o = (of_x + state[0]._linear(weight.T, bias)).chunk(4, dim=-1)
  c = f.sigmoid() * state[1] + i.sigmoid() * g.tanh()
  return (o.sigmoid() * c.tanh()).contiguous(), c.contiguous()


class _Recurrent:
  """Cells over the steps of a sequence, in layers whose parameters are named by their number."""
  GATES, STATES = 0, 1

  def __init__(self, input_size, hidden_size, num_layers=1, bias=True, batch_first=False, dropout=0.0):
    self.hidden_size, self.num_layers, self.batch_first, self.dropout = hidden_size, num_layers, batch_first, dropout
    bound, rows = 1 / math.sqrt(hidden_size), self.GATES * hidden_size
    for k in range(num_layers):
      setattr(self, f"weight_ih_l{k}", _uniform((rows, hidden_size if k else input_size), bound))
      setattr(self, f"weight_hh_l{k}", _uniform((rows, hidden_size), bound))
      for part in ("ih", "hh"):
        setattr(self, f"bias_{part}_l{k}", _uniform((rows,), bound) if bias else None)

  def _run(self, x, states):
    """Outputs of the highest layer, steps in front, and for each layer its last state."""
    last = []
    for k in range(self.num_layers):
      x = x.dropout(self.dropout) if k else x
      of_x = x._linear(getattr(self, f"weight_ih_l{k}").T, getattr(self, f"bias_ih_l{k}")).contiguous()
      weight, bias, state, outputs = getattr(self, f"weight_hh_l{k}"), getattr(self, f"bias_hh_l{k}"), states[k], []
      for t in range(x.shape[0]):
        state = self._step(of_x[t], state, weight, bias)
        outputs.append(state[0] if self.STATES == 2 else state)
      x = Tensor.stack(*outputs)
      last.append(state)
    return x, last

  def _zeros(self, steps):
    return Tensor.zeros(self.num_layers, *steps.shape[1:-1], self.hidden_size, dtype=steps.dtype, device=steps.device)


class GRU(_Recurrent):
  """GRUCells over the steps of x [steps, batch, in]: (x, h) gives the outputs of all steps and the
  last state, [layers, batch, hidden]."""
  GATES, _step = 3, staticmethod(_gru_step)

  def __call__(self, x, h=None):
    steps = x.transpose(0, 1) if self.batch_first else x
    h = self._zeros(steps) if h is None else h
    out, last = self._run(steps, [h[k] for k in range(self.num_layers)])
    return out.transpose(0, 1) if self.batch_first else out, Tensor.stack(*last)


class LSTM(_Recurrent):
  """LSTMCells over the steps of x [steps, batch, in]: (x, (h, c)) gives the outputs of all steps and
  the last state, two of [layers, batch, hidden]."""
  GATES, STATES, _step = 4, 2, staticmethod(_lstm_step)

  def __call__(self, x, hc=None):
    steps = x.transpose(0, 1) if self.batch_first else x
    h, c = (self._zeros(steps),) * 2 if hc is None else hc
    out, last = self._run(steps, [(h[k], c[k]) for k in range(self.num_layers)])
    state = Tensor.stack(*(s[0] for s in last)), Tensor.stack(*(s[1] for s in last))
    return out.transpose(0, 1) if self.batch_first else out, state


class MultiHeadAttention:
  """Attention in several heads, [..., n, size] to [..., n, size]: of x to itself, or of queries to
  keys and values. A mask of bool says which keys count, one of numbers is added to the scores."""

  def __init__(self, embed_dim, num_heads, dropout=0.0, bias=True, kv_heads=None, is_causal=False):
    kv_heads = num_heads if kv_heads is None else kv_heads
    if embed_dim % num_heads or num_heads % kv_heads:
      raise ValueError(f"MultiHeadAttention: {num_heads} heads must divide the size {embed_dim}, {kv_heads} "
                       "kv_heads the heads")
    from tinygrad_cpp.nn import Linear
    self.num_heads, self.kv_heads, self.dropout, self.is_causal = num_heads, kv_heads, dropout, is_causal
    self.sizes = (embed_dim, embed_dim // num_heads * kv_heads, embed_dim // num_heads * kv_heads)
    self.in_proj_weight = Tensor.glorot_uniform(sum(self.sizes), embed_dim)
    self.in_proj_bias = Tensor.zeros(sum(self.sizes)).is_param_() if bias else None
    self.out_proj = Linear(embed_dim, embed_dim, bias)
    if bias:
      self.out_proj.bias = Tensor.zeros(embed_dim).is_param_()

  def _heads(self, x, part):
    begin, rows = sum(self.sizes[:part]), slice(sum(self.sizes[:part]), sum(self.sizes[:part + 1]))
    y = x._linear(self.in_proj_weight[rows].T, None if self.in_proj_bias is None else self.in_proj_bias[rows])
    heads = self.kv_heads if part else self.num_heads
    return y.unflatten(-1, (heads, (rows.stop - begin) // heads)).transpose(-3, -2)

  def __call__(self, query, key=None, value=None, mask=None):
    key = query if key is None else key
    value = key if value is None else value
    causal = self.is_causal
    if causal and mask is not None:
      seen = Tensor.ones(query.shape[-2], key.shape[-2], dtype=dtypes.bool, device=query.device).tril()
      mask, causal = (mask & seen if mask.dtype == dtypes.bool else seen.where(mask, -math.inf)), False
    y = self._heads(query, 0).scaled_dot_product_attention(
      self._heads(key, 1), self._heads(value, 2), mask, self.dropout, causal, self.kv_heads != self.num_heads)
    return self.out_proj(y.transpose(-3, -2).flatten(-2))


class _TransformerLayer:
  """What both layers have: attention of x to itself and two linear layers, with residuals."""

  def __init__(self, d_model, nhead, dim_feedforward=2048, dropout=0.1, activation="relu", layer_norm_eps=1e-5,
               norm_first=False, bias=True, kv_heads=None, is_causal=False):
    if activation not in ("relu", "gelu"):
      raise ValueError(f"{type(self).__name__}: activation is 'relu' or 'gelu', not {activation!r}")
    from tinygrad_cpp.nn import LayerNorm, Linear
    self.dropout, self.activation, self.norm_first = dropout, activation, norm_first
    for name in self.ATTENTIONS:
      causal = is_causal and name == "self_attn"
      setattr(self, name, MultiHeadAttention(d_model, nhead, dropout, bias, kv_heads, causal))
    self.linear1, self.linear2 = Linear(d_model, dim_feedforward, bias), Linear(dim_feedforward, d_model, bias)
    for k in range(len(self.ATTENTIONS) + 1):
      norm = LayerNorm(d_model, layer_norm_eps)
      norm.bias = norm.bias if bias else None
      setattr(self, f"norm{k + 1}", norm)

  def _with(self, x, norm, part):
    return x + part(norm(x)) if self.norm_first else norm(x + part(x))

  def _attended(self, x, norm, mask):
    return self._with(x, norm, lambda t: self.self_attn(t, mask=mask).dropout(self.dropout))

  def _fed(self, x, norm):
    def part(t):
      y = self.linear1(t)
      y = y.relu() if self.activation == "relu" else y.gelu("none")
      return self.linear2(y.dropout(self.dropout)).dropout(self.dropout)
    return self._with(x, norm, part)


class TransformerEncoderLayer(_TransformerLayer):
  """Attention of x to itself, then two linear layers, each with a residual and a normalisation."""
  ATTENTIONS = ("self_attn",)

  def __call__(self, x, mask=None):
    return self._fed(self._attended(x, self.norm1, mask), self.norm2)


class TransformerDecoderLayer(_TransformerLayer):
  """TransformerEncoderLayer with attention to a memory between its two parts."""
  ATTENTIONS = ("self_attn", "multihead_attn")

  def __call__(self, x, memory, mask=None, memory_mask=None):
    x = self._attended(x, self.norm1, mask)
    x = self._with(x, self.norm2,
                   lambda t: self.multihead_attn(t, memory, memory, memory_mask).dropout(self.dropout))
    return self._fed(x, self.norm3)
