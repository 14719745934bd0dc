"""Matrix decompositions and hashes, composed of tensor functions."""
import math

from tinygrad_cpp.dtype import dtypes


def _class():
  from tinygrad_cpp.tensor import Tensor
  return Tensor


class Algebra:
  """Mixin: QR, SVD, orthogonalisation, SHA-3."""
  __slots__ = ()

  def qr(self):
    """(Q, R) of [..., rows, columns]: Q orthogonal, R upper triangular, by Householder's mirrors."""
    if self.ndim < 2:
      raise ValueError(f"qr: expected a matrix, got {self.shape}")
    T, lead = _class(), self.shape[:-2]
    rows, columns = self.shape[-2:]
    R = self.cast(self.dtype if self.is_floating_point() else dtypes.float32)
    Q = T.eye(rows, dtype=R.dtype, device=self.device).expand(*lead, rows, rows)
    for i in range(min(rows - 1, columns)):
      R, Q = R.contiguous(), Q.contiguous()
      below = (T.arange(rows) >= i).where(R[..., i], 0)
      norm = below.square().sum(-1, keepdim=True).sqrt()
      here = T.arange(rows) == i
      first = R[..., i:i + 1, i]
      mirror = below + here.where((first >= 0).where(norm, -norm), 0)
      square = mirror.square().sum(-1, keepdim=True)
      scale = (square == 0).where(0, 2 / (square == 0).where(1, square)).unsqueeze(-1)
      column, row = mirror.unsqueeze(-1), mirror.unsqueeze(-2)
      R = R - scale * (column @ (row @ R))
      Q = Q - scale * ((Q @ column) @ row)
    return Q, R

  def svd(self, full_matrices=True):
    """(U, S, V^T) of [..., rows, columns], by one-sided Jacobi rotations of all pairs of columns."""
    if self.ndim < 2:
      raise ValueError(f"svd: expected a matrix, got {self.shape}")
    rows, columns = self.shape[-2:]
    if rows < columns:
      U, S, Vt = self.transpose(-2, -1).svd(full_matrices)
      return Vt.transpose(-2, -1), S, U.transpose(-2, -1)
    T, lead = _class(), self.shape[:-2]
    Q, A = self.qr()
    A = A[..., :columns, :]
    V = T.eye(columns, dtype=A.dtype, device=self.device).expand(*lead, columns, columns)
    for sweep in range(1 if columns == 1 else max(6, int(math.log2(columns)) + 5)):
      for left, right in _rounds(columns):
        A, V = A.contiguous(), V.contiguous()
        A, V = _rotate(A, V, left, right)
    S = A.square().sum(-2).sqrt()
    S, order = S.sort(descending=True)
    places = order.unsqueeze(-2).expand(*lead, columns, columns)
    U = A.gather(-1, places) / (S == 0).where(1, S).unsqueeze(-2)
    Vt = V.gather(-1, places).transpose(-2, -1)
    if full_matrices and rows > columns:
      inner = T.eye(rows, dtype=A.dtype, device=self.device).expand(*lead, rows, rows)
      U = U.pad((None,) * len(lead) + ((0, rows - columns), (0, rows - columns))) + (
        (T.arange(rows) >= columns).where(inner, 0))
      return Q @ U, S, Vt
    return Q[..., :columns] @ U, S, Vt

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
    'shake_128', or (capacity in bits, bytes of the result)."""
    from tinygrad_cpp._methods.sha3 import keccak
    return keccak(self, cfg)

  def hash(self):
    """16 bytes that tell tensors of different bytes apart."""
    from tinygrad_cpp._methods.sha3 import content_hash
    return content_hash(self)


def _rounds(n):
  """Rounds of disjoint pairs in which each pair of columns meets once, as in a tournament."""
  players = list(range(n)) + ([None] if n % 2 else [])
  for _ in range(len(players) - 1):
    half = len(players) // 2
    pairs = [(a, b) for a, b in zip(players[:half], reversed(players[half:])) if None not in (a, b)]
    if pairs:
      yield [min(p) for p in pairs], [max(p) for p in pairs]
    players = [players[0], players[-1], *players[1:-1]]


def _rotate(A, V, left, right):
  """Rotates each pair of columns so that they stand at right angles."""
  T = _class()
  p, q = T(left, device=A.device), T(right, device=A.device)
  a, b = A[..., p], A[..., q]
  alpha, beta, gamma = a.square().sum(-2), b.square().sum(-2), (a * b).sum(-2)
  small = gamma.abs() <= 1e-30
  zeta = (beta - alpha) / (2 * small.where(1, gamma))
  t = (zeta >= 0).where(1, -1) / (zeta.abs() + (1 + zeta.square()).sqrt())
  t = small.where(0, t)
  c = (1 + t.square()).rsqrt()
  c, s = c.unsqueeze(-2), (c * t).unsqueeze(-2)
  columns = A.shape[-1]
  from_left, from_right = [-1] * columns, [-1] * columns
  for i, (x, y) in enumerate(zip(left, right)):
    from_left[x], from_right[y] = i, i
  first, second = T(from_left, device=A.device), T(from_right, device=A.device)

  def put(M):
    x, y = M[..., p], M[..., q]
    new_x, new_y = x * c - y * s, x * s + y * c
    kept = (first < 0) & (second < 0)
    moved = (first >= 0).where(new_x[..., first.maximum(0)], new_y[..., second.maximum(0)])
    return kept.where(M, moved)
  return put(A), put(V)
