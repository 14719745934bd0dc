"""Recurrent blocks: a gated delta rule in place of attention, as Qwen 3.5's and Kimi's (KDA). What
they keep of a text has one size however long it is: the last inputs of a short convolution, and a
matrix for each head. So they cannot go back to an earlier place, only to the beginning. Other
blocks: blocks.py."""
from tinygrad_cpp.errors import ArgumentError
from tinygrad_cpp.llm.blocks import FFNBlock, _linear
from tinygrad_cpp.nn import RMSNorm
from tinygrad_cpp.tensor import Tensor
from tinygrad_cpp.uop.ops import UOp


def _at_beginning(state, start_pos):
  """The state, or zeros where the text begins."""
  if isinstance(start_pos, UOp):
    return (Tensor(start_pos, device=state.device) == 0).where(0, state)
  return state if start_pos else state.const_like(0)


class GatedDeltaNetBlock(FFNBlock):
  """conv_state [B, conv_kernel - 1, channels]; recurrent_state [B, heads, values, keys] (KDA: keys,
  values) is a memory that keys address: each step it decays, what it says of the key is corrected
  toward the value, and the query reads it."""

  def __init__(self, config, ssm):
    super().__init__(config)
    self.head_k_dim, self.num_k_heads = ssm.state_size, ssm.group_count
    self.num_v_heads = ssm.time_step_rank
    if self.num_v_heads % self.num_k_heads:
      raise ArgumentError(f"GatedDeltaNetBlock: heads of values share those of keys evenly: "
                          f"{self.num_v_heads} heads of values, {self.num_k_heads} of keys.")
    self.head_v_dim, self.ssm_conv_kernel = ssm.inner_size // ssm.time_step_rank, ssm.conv_kernel
    self.q_dim = ssm.state_size * ssm.group_count
    self.conv_channels = ssm.inner_size + 2 * self.q_dim
    self.attn_qkv = _linear(config.dim, self.conv_channels)
    self._init_gates(config, ssm)
    self.ssm_beta = _linear(config.dim, self.num_v_heads)
    self.ssm_conv1d = {"weight": Tensor.zeros(self.conv_channels, self.ssm_conv_kernel)}
    self.ssm_norm = RMSNorm(self.head_v_dim, config.norm_eps)
    self.ssm_out = _linear(ssm.inner_size, config.dim)

  def _init_gates(self, config, ssm):
    """What says how fast the memory decays, and how much of it comes out."""
    self._is_kda = ssm.kda
    if ssm.kda:
      self.ssm_g_a = _linear(config.dim, self.head_v_dim)
      self.ssm_g_b = _linear(self.head_v_dim, ssm.inner_size)
      self.ssm_f_a = _linear(config.dim, self.head_k_dim)
      self.ssm_f_b = _linear(self.head_k_dim, ssm.inner_size)
    else:
      self.attn_gate = _linear(config.dim, ssm.inner_size)
      self.ssm_alpha = _linear(config.dim, self.num_v_heads)
    self.ssm_dt = {"bias": Tensor.zeros(ssm.inner_size if ssm.kda else self.num_v_heads)}
    self.ssm_a = Tensor.zeros(self.num_v_heads, *([1] if ssm.kda else []))

  def _decay(self, x):
    """The factor of each step [B, T, heads, keys or 1], at most 1."""
    alpha = self.ssm_f_b(self.ssm_f_a(x)) if self._is_kda else self.ssm_alpha(x)
    rate = (alpha.float() + self.ssm_dt["bias"]).softplus()
    rate = rate.reshape(*x.shape[:2], self.num_v_heads, -1)
    return (rate * self.ssm_a.reshape(self.num_v_heads, 1)).exp()

  def _out_gate(self, x):
    """[B, T, heads, values]"""
    gate = self.ssm_g_b(self.ssm_g_a(x)).sigmoid() if self._is_kda else self.attn_gate(x).silu()
    return gate.reshape(*x.shape[:2], self.num_v_heads, self.head_v_dim)

  def _convolved(self, x, start_pos, steps):
    """Queries, keys and values [B, steps, channels] after the convolution over each with those
    before it; keeps the last ones. Where T varies, steps is the most that it can be, and the steps
    from T on are of no use."""
    before, T = self.ssm_conv_kernel - 1, x.shape[1]
    new = self.attn_qkv(x)
    if isinstance(T, UOp):
      new = new.pad_to(x.shape[0], steps, self.conv_channels)
    window = _at_beginning(self.conv_state, start_pos).cat(new, dim=1).contiguous()
    self.conv_state.assign(window[:, T:T + before])
    weight = self.ssm_conv1d["weight"]
    return sum(window[:, i:i + steps] * weight[:, i] for i in range(before + 1)).silu()

  def _heads(self, qkv):
    """(queries, keys) [B, steps, value heads, 1, keys] of length 1, values [B, steps, heads,
    values, 1]."""
    B, steps, _ = qkv.shape
    sizes = [self.q_dim, self.q_dim, self.conv_channels - 2 * self.q_dim]
    q, k, v = qkv.float().split(sizes, dim=-1)
    eps = 1e-12 if self._is_kda else 1e-6
    q, k = (z.reshape(B, steps, self.num_k_heads, self.head_k_dim).normalize(dim=-1, eps=eps)
            .repeat(1, 1, self.num_v_heads // self.num_k_heads, 1).unsqueeze(-2) for z in (q, k))
    return q * self.head_k_dim ** -0.5, k, v.reshape(B, steps, self.num_v_heads, self.head_v_dim, 1)

  def _attention(self, x, start_pos):
    B, T, _ = x.shape
    steps = x.max_shape[1]
    q, k, v = self._heads(self._convolved(x, start_pos, steps))
    beta, decay = self.ssm_beta(x).sigmoid().float(), self._decay(x)
    if isinstance(T, UOp):  # steps without effect: nothing is corrected, nothing decays
      beta = beta.pad_to(B, steps, self.num_v_heads)
      decay = decay.pad_to(B, steps, *decay.shape[2:], value=1)
    read = self._scan(q, k, v, beta.unsqueeze(-1).unsqueeze(-1), decay.unsqueeze(-2), start_pos)
    out = self.ssm_norm(read[:, :T] if isinstance(T, UOp) else read) * self._out_gate(x)
    return self.ssm_out(out.cast(x.dtype).contiguous().reshape(B, T, -1))

  def _scan(self, q, k, v, beta, decay, start_pos):
    """What the query of each step reads [B, steps, heads, values]; keeps the memory after the
    last."""
    state, read = self._as_kept(_at_beginning(self.recurrent_state, start_pos).float()), []
    for t in range(q.shape[1]):
      state = state * decay[:, t]
      correction = (v[:, t] - (state * k[:, t]).sum(-1, keepdim=True)) * beta[:, t]
      state = state + correction * k[:, t]
      read.append((state * q[:, t]).sum(-1))
    self.recurrent_state.assign(self._as_kept(state).cast(self.recurrent_state.dtype))
    return Tensor.stack(*read, dim=1).contiguous()

  def _as_kept(self, state):
    """From [B, heads, values, keys] to the order in which the memory is kept, and back."""
    return state.transpose(-1, -2) if self._is_kda else state

  def _init_state(self, x):
    if not hasattr(self, "conv_state"):
      B = x.shape[0]
      kept = [B, self.ssm_conv_kernel - 1, self.conv_channels]
      memory = [B, self.num_v_heads, self.head_v_dim, self.head_k_dim]
      self.conv_state = Tensor.zeros(*kept, device=x.device).clone()
      self.recurrent_state = Tensor.zeros(*memory, device=x.device).clone()
