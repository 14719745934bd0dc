"""Rotary positions: what turns queries and keys by an angle that grows with their place, so that
their products depend on the distance between places. The turned pairs are (i, i + D/2), halves and
not neighbours; files that pair neighbours are reordered when they are read (weights.py). Attention
itself: blocks.py."""
import functools

from tinygrad_cpp.errors import ArgumentError
from tinygrad_cpp.tensor import Tensor


class RopeError(ArgumentError, AssertionError):
  """Vectors that cannot be turned; an AssertionError too, which programs written for tinygrad
  expect."""


@functools.cache
def precompute_freqs_cis(dim, end, theta=10000.0, device=None, factors=()):
  """Cosines and sines [end, dim] of the angles of each place: cosines of dim/2 frequencies, then
  sines. The frequencies are theta^(-2i/dim), each divided by its number in `factors` if there are
  any."""
  exponents = Tensor.arange(0, dim, 2)[:dim // 2] / dim
  frequencies = 1.0 / (theta ** exponents)
  if factors:
    if len(factors) != dim // 2:
      raise RopeError(f"precompute_freqs_cis: one factor for each frequency: {len(factors)} "
                      f"factors, {dim // 2} frequencies.")
    frequencies = frequencies / Tensor(list(factors))
  angles = Tensor.arange(end).unsqueeze(1) * frequencies.unsqueeze(0)
  return angles.cos().cat(angles.sin(), dim=-1).clone(device).realize()


def apply_rope(x, freqs_cis):
  """Vectors [B, H, T, D] turned by the angles [T, D] of their places, as precompute_freqs_cis gives
  them. RopeError if D is odd."""
  if x.shape[-1] % 2:
    raise RopeError(f"apply_rope: vectors are turned in pairs of elements: they have "
                    f"{x.shape[-1]}.")
  cos, sin = freqs_cis.reshape(1, 1, x.shape[2], -1).chunk(2, dim=-1)
  a, b = x.chunk(2, dim=-1)
  return (a * cos - b * sin).cat(b * cos + a * sin, dim=-1)
