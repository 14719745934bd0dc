"""Mixtures of experts: how a router chooses among feed-forwards, and the weights of all of them in
one tensor. The feed-forward that uses them: blocks.py."""
from tinygrad_cpp.errors import ArgumentError
from tinygrad_cpp.llm.config import ExpertGating
from tinygrad_cpp.tensor import Tensor
from tinygrad_cpp.uop.ops import UOp


def pairwise_topk(x, k):
  """(the k largest of the last axis [B, T, N], their places) [B, T, k], the largest last; of equal
  ones the first counts as larger. Every pair is compared, which for the few hundred experts of a
  model is one small kernel where sorting takes many."""
  n = x.shape[-1]
  place = Tensor.arange(n, device=x.device)
  mine, other = x.unsqueeze(-1), x.unsqueeze(-2)
  is_before = place.reshape(1, n) < place.reshape(n, 1)
  rank = ((other > mine) | ((other == mine) & is_before)).sum(-1)  # how many are larger
  wanted = Tensor.arange(k - 1, -1, -1, device=x.device).reshape(k, 1)
  # A NaN has rank 0 as the largest has: the places are kept inside the axis.
  sel = (rank.unsqueeze(-2) == wanted).where(place, 0).sum(-1).minimum(n - 1).cast("int32")
  return x.gather(-1, sel), sel


class ExpertWeights:
  """A Linear without bias for each expert: weight [experts, out, in]."""

  def __init__(self, num_experts, in_features, out_features):
    self.weight = Tensor.zeros(num_experts, out_features, in_features)

  def __call__(self, sel, x):
    """x [B, T, 1 or k, in] by the experts sel [B, T, k]: [B, T, k, out]."""
    return (x.unsqueeze(-2) @ self._of(sel).transpose(-1, -2)).contiguous().squeeze(-2)

  def _of(self, sel):
    """The weights of experts [B, T, k, out, in]. Places of which the number varies are filled up to
    the most that they can be: tensors that pick have at most one axis if it varies."""
    if not isinstance(sel.shape[1], UOp):
      return self.weight[sel]
    return self.weight[sel.pad_to(*sel.max_shape)][:, :sel.shape[1]]


def _scores(logits, gating):
  if gating == ExpertGating.SOFTMAX_WEIGHT:
    return logits
  if gating == ExpertGating.SOFTMAX:
    return logits.softmax(-1)
  if gating == ExpertGating.SIGMOID:
    return logits.sigmoid()
  if gating == ExpertGating.SQRT_SOFTPLUS:
    return logits.softplus().sqrt()
  raise ArgumentError(f"ExpertGating: there is no such gating: {gating!r}.")


def route(logits, config, bias=None):
  """(weights, places) [B, T, k] of the experts that the router's numbers [B, T, experts] choose. A
  bias [experts] counts in the choice and not in the weights."""
  gating = config.expert_gating_func
  scores = _scores(logits, gating)
  _, sel = pairwise_topk(scores if bias is None else scores + bias, config.num_experts_per_tok)
  weights = scores.gather(-1, sel)
  if gating == ExpertGating.SOFTMAX_WEIGHT:
    weights = weights.softmax(-1)
  if config.norm_topk_prob:
    weights = weights / weights.sum(-1, keepdim=True)
  return weights * config.routed_scaling_factor, sel
