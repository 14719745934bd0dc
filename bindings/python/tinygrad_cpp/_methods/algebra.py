"""Functions of matrices, and SHA-3 as tinygrad calls it."""


class Algebra:
  """Mixin: orthogonalisation, SHA-3."""
  __slots__ = ()

  def newton_schulz(self, steps, params, eps=1.0e-7):
    """The orthogonal matrix near this one, by steps of an odd polynomial with these coefficients."""
    if self.ndim < 2:
      raise ValueError(f"newton_schulz: expected a matrix, got {self.shape}")
    G = self / (self.square().sum((-2, -1), keepdim=True).sqrt() + eps)
    wide = self.shape[-2] > self.shape[-1]
    G = G.transpose(-2, -1) if wide else G
    for _ in range(steps):
      A = G @ G.transpose(-2, -1)
      power, total = G, params[0] * G
      for p in params[1:]:
        power = A @ power
        total = total + p * power
      G = total
    return G.transpose(-2, -1) if wide else G

  def keccak(self, cfg="sha3_256"):
    """SHA-3 of the bytes of the last axis: 'sha3_224', 'sha3_256', 'sha3_384', 'sha3_512',
    'shake_128', 'shake_256', or (capacity in bits, bytes of the result)."""
    return self._keccak(cfg) if isinstance(cfg, str) else self._keccak(None, *cfg)
