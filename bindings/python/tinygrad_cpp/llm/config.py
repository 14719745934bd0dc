"""What a transformer is made of, as numbers: TransformerConfig, SSMConfig, ExpertGating, and how
the facts of a GGUF file say it. No weights are here (weights.py) and no layers (blocks.py)."""
import enum
import warnings
from dataclasses import dataclass

from tinygrad_cpp.errors import ArgumentError, FileError

# The architectures whose layers are those of blocks.py and delta_net.py.
ARCHITECTURES = ("llama", "qwen2", "qwen2moe", "qwen3", "qwen3moe", "qwen35", "qwen35moe", "olmoe",
                 "deepseek2", "glm4moe", "kimi-linear")
_GATED_DELTA = ("qwen35", "qwen35moe")


class ExpertGating(enum.IntEnum):
  """How the router's numbers become weights of experts, by GGUF's numbers."""
  SOFTMAX = 1
  SIGMOID = 2
  SOFTMAX_WEIGHT = 3  # softmax of the chosen ones only
  SQRT_SOFTPLUS = 4


@dataclass(frozen=True)
class SSMConfig:
  """Sizes of the recurrent layers (delta_net.py)."""
  conv_kernel: int
  state_size: int
  group_count: int
  time_step_rank: int
  inner_size: int
  kda: bool = False  # Kimi's kind: a decay for each channel


@dataclass(frozen=True)
class TransformerConfig:
  """Sizes and kinds of the layers of a transformer."""
  num_blocks: int
  dim: int
  hidden_dim: int  # of the feed-forward, or of one expert
  n_heads: int
  n_kv_heads: int
  norm_eps: float
  vocab_size: int
  head_dim: int
  rope_theta: float
  rope_dim: int
  v_head_dim: int
  max_context: int = 0
  qk_norm: int = 0  # size of the norms of queries and keys; 0: none
  num_experts: int = 0
  num_experts_per_tok: int = 0
  norm_topk_prob: bool = False
  expert_gating_func: ExpertGating = ExpertGating.SOFTMAX
  q_lora_rank: int = 0
  kv_lora_rank: int = 0
  shared_expert_dim: int = 0
  ssm_layers: tuple[bool, ...] = ()
  attn_output_gate: bool = False
  ssm: SSMConfig | None = None
  shared_expert_gate: bool = True
  leading_dense_blocks: int = 0
  dense_hidden_dim: int = 0
  routed_scaling_factor: float = 1.0
  qkv_bias: bool = False
  expert_bias: bool = False
  rope_factors: tuple[float, ...] = ()  # divide the frequencies, one each


class Facts:
  """The facts of a GGUF file about its own architecture: `facts["block_count"]`."""

  def __init__(self, kv):
    self.kv, self.arch = kv, kv.get("general.architecture")
    if self.arch not in ARCHITECTURES:
      raise ArgumentError(f"from_gguf: the architecture is not supported: {self.arch!r}. Hint: "
                          f"supported are {', '.join(ARCHITECTURES)}.")

  def __getitem__(self, name):
    key = f"{self.arch}.{name}"
    if key not in self.kv:
      raise FileError(f"from_gguf: the file lacks a fact: {key!r}.")
    return self.kv[key]

  def get(self, name, default=None):
    """The fact, or the default where the file has none."""
    return self.kv.get(f"{self.arch}.{name}", default)

  def get_either(self, names, default):
    """The first of several facts that is there."""
    return next((self[name] for name in names if self.get(name) is not None), default)

  def number(self, name):
    """A fact that some files give for each block; the blocks with attention have to agree."""
    value = self[name]
    if not isinstance(value, list):
      return value
    numbers = set(value) - {0}
    if len(numbers) != 1:
      raise ArgumentError(f"from_gguf: blocks that differ in {name!r} are not supported: {value}.")
    return numbers.pop()


def ssm_of(facts):
  """(SSMConfig or None, for each block whether it is a recurrent one)."""
  if facts.arch in _GATED_DELTA:
    sizes = {k: facts[f"ssm.{k}"] for k in
             ("conv_kernel", "state_size", "group_count", "time_step_rank", "inner_size")}
    every = facts["full_attention_interval"]
    return SSMConfig(**sizes), tuple(i % every != 0 for i in range(1, facts["block_count"] + 1))
  if facts.arch == "kimi-linear":
    heads, head_dim = facts.number("attention.head_count"), facts["kda.head_dim"]
    layers = tuple(n == 0 for n in facts["attention.head_count_kv"])
    sizes = (facts["ssm.conv_kernel"], head_dim, heads, heads, heads * head_dim)
    return SSMConfig(*sizes, kda=True), layers
  return None, ()


def _warn_of_what_is_left_out(facts):
  kind = facts.get("rope.scaling.type", "none")
  if kind not in ("none", "linear"):
    warnings.warn(f"from_gguf: rope.scaling.type {kind!r} is not applied: answers to long texts "
                  "may suffer")
  if facts.get("expert_group_count", 1) > 1:
    warnings.warn("from_gguf: experts are chosen without regard to their groups "
                  "(expert_group_count)")


def _rope_factors(facts, shapes, rope_dim, read):
  if "rope_freqs.weight" in shapes:
    return tuple(read("rope_freqs.weight"))
  if facts.get("rope.scaling.type") == "linear":
    return (float(facts["rope.scaling.factor"]),) * (rope_dim // 2)
  return ()


def _expert_numbers(facts, shapes, lead):
  """The fields that say how experts are chosen."""
  gating = facts.get("expert_gating_func", 0) or ExpertGating.SOFTMAX
  if gating not in list(ExpertGating):
    raise ArgumentError(f"from_gguf: the gating of experts is not supported: {gating}.")
  hidden = facts.get("expert_feed_forward_length", 0)
  return {
    "num_experts": facts.get("expert_count", 0),
    "num_experts_per_tok": facts.get("expert_used_count", 0),
    "norm_topk_prob": facts.get("expert_weights_norm",
                                facts.arch in ("qwen3moe", "qwen35moe", "kimi-linear")),
    "expert_gating_func": ExpertGating(gating),
    "routed_scaling_factor": facts.get("expert_weights_scale", 0) or 1.0,
    "shared_expert_dim": facts.get_either(["expert_shared_feed_forward_length"],
                                          facts.get("expert_shared_count", 0) * hidden),
    "shared_expert_gate": f"blk.{lead}.ffn_gate_inp_shexp.weight" in shapes,
    "expert_bias": f"blk.{lead}.exp_probs_b.bias" in shapes}


def config_of(kv, shapes, max_context=None, read=None):
  """The TransformerConfig of a GGUF file: its facts, and the shapes of its tensors by name, say it.
  `read(name)` gives the numbers of a small tensor. FileError if a fact is missing, ArgumentError if
  what the facts say is not supported."""
  facts = Facts(kv)
  _warn_of_what_is_left_out(facts)
  ssm, ssm_layers = ssm_of(facts)
  n_heads, lead = facts.number("attention.head_count"), facts.get("leading_dense_block_count", 0)
  head_dim = facts.get_either(["attention.key_length_mla", "attention.key_length"],
                              facts["embedding_length"] // n_heads)
  rope_dim, context = facts.get("rope.dimension_count", head_dim), facts["context_length"]
  return TransformerConfig(
    num_blocks=facts["block_count"] - facts.get("nextn_predict_layers", 0),
    dim=facts["embedding_length"],
    hidden_dim=facts.get_either(["expert_feed_forward_length", "feed_forward_length"], 0),
    n_heads=n_heads, n_kv_heads=facts.number("attention.head_count_kv"),
    norm_eps=facts["attention.layer_norm_rms_epsilon"], vocab_size=len(kv["tokenizer.ggml.tokens"]),
    head_dim=head_dim, rope_theta=facts.get("rope.freq_base", 10000.0), rope_dim=rope_dim,
    v_head_dim=facts.get_either(["attention.value_length_mla", "attention.value_length"], head_dim),
    max_context=context if max_context is None else min(max_context, context),
    qk_norm=shapes.get("blk.0.attn_q_norm.weight", (0,))[0],
    q_lora_rank=facts.get("attention.q_lora_rank", 0),
    kv_lora_rank=facts.get("attention.kv_lora_rank", 0),
    leading_dense_blocks=lead, dense_hidden_dim=facts.get("feed_forward_length", 0) if lead else 0,
    attn_output_gate=facts.arch in _GATED_DELTA, ssm=ssm, ssm_layers=ssm_layers,
    qkv_bias="blk.0.attn_q.bias" in shapes,
    rope_factors=_rope_factors(facts, shapes, rope_dim, read),
    **_expert_numbers(facts, shapes, lead))
