"""Keccak on tensors: the sponge of SHA-3 (FIPS 202) over the last axis, all rows at once."""
import functools

from tinygrad_cpp.dtype import dtypes

# name → (capacity in bits, bytes of the result, suffix of the message)
_VARIANTS = {"sha3_224": (448, 28, 0x06), "sha3_256": (512, 32, 0x06), "sha3_384": (768, 48, 0x06),
             "sha3_512": (1024, 64, 0x06), "shake_128": (256, 16, 0x1f), "shake_256": (512, 32, 0x1f)}
_CHUNK = 1 << 12


def _class():
  from tinygrad_cpp.tensor import Tensor
  return Tensor


@functools.cache
def _constants():
  """Round constants and rotations of the 25 lanes, from their definitions."""
  def bit(t):
    r = 1
    for _ in range(t % 255):
      r <<= 1
      if r & 0x100:
        r ^= 0x171
    return r & 1
  rounds = [sum(bit(j + 7 * i) << ((1 << j) - 1) for j in range(7)) for i in range(24)]
  rotations, x, y = [0] * 25, 1, 0
  for t in range(24):
    rotations[x + 5 * y] = (t + 1) * (t + 2) // 2 % 64
    x, y = y, (2 * x + 3 * y) % 5
  return rounds, rotations


def _turned(lanes, by):
  """Each lane rotated left."""
  T = _class()
  up = T(by, dtype=dtypes.uint64, device=lanes.device)
  down = T([(64 - b) % 64 for b in by], dtype=dtypes.uint64, device=lanes.device)
  return (lanes << up) | (lanes >> down)


def _permute(state):
  """The 24 rounds on [rows, 25] lanes."""
  T = _class()
  rounds, rotations = _constants()
  ones = [1] * 5
  source = [0] * 25  # where a lane of the next state comes from (rho and pi)
  for x in range(5):
    for y in range(5):
      source[y + 5 * ((2 * x + 3 * y) % 5)] = x + 5 * y
  turned_by = [rotations[s] for s in source]
  for constant in rounds:
    state = state.contiguous()
    grid = state.reshape(-1, 5, 5)
    parity = grid[:, 0] ^ grid[:, 1] ^ grid[:, 2] ^ grid[:, 3] ^ grid[:, 4]
    mixed = parity.roll(1, 1) ^ _turned(parity.roll(-1, 1), ones)
    lanes = (grid ^ mixed.unsqueeze(1)).reshape(-1, 25)
    lanes = _turned(lanes[:, T(source, device=state.device)], turned_by).reshape(-1, 5, 5).contiguous()
    lanes = lanes ^ (~lanes.roll(-1, 2) & lanes.roll(-2, 2))
    first = T([constant] + [0] * 24, dtype=dtypes.uint64, device=state.device)
    state = lanes.reshape(-1, 25) ^ first
  return state


def keccak(x, cfg):
  """See Tensor.keccak."""
  if isinstance(cfg, str):
    if cfg not in _VARIANTS:
      raise ValueError(f"keccak: there is no variant {cfg!r}")
    capacity, size, suffix = _VARIANTS[cfg]
  else:
    (capacity, size), suffix = cfg, 0x06
  T, rate = _class(), (1600 - capacity) // 8
  rows = x.bitcast(dtypes.uint8).reshape(-1, x.shape[-1] * x.dtype.itemsize)
  missing = rate - rows.shape[1] % rate
  ending = [suffix] + [0] * (missing - 1)
  ending[-1] |= 0x80
  tail = T(ending, dtype=dtypes.uint8, device=x.device).reshape(1, -1).expand(rows.shape[0], missing)
  words = rows.cat(tail, dim=1).contiguous().bitcast(dtypes.uint64)
  blocks = words.reshape(rows.shape[0], -1, rate // 8)
  state = T.zeros(rows.shape[0], 25, dtype=dtypes.uint64, device=x.device)
  for i in range(blocks.shape[1]):
    state = _permute(state ^ blocks[:, i].pad((None, (0, 25 - rate // 8))))
  out = state.contiguous().bitcast(dtypes.uint8)
  while out.shape[1] < size:
    state = _permute(state)
    out = out.cat(state.contiguous().bitcast(dtypes.uint8), dim=1)
  return out.shrink_to(out.shape[0], size).reshape(*x.shape[:-1], size)


def content_hash(x):
  """A tree of hashes: chunks of 4 KiB, then their hashes, until one is left. The number of bytes goes
  in first, so that padding does not make different tensors alike."""
  data = x.contiguous().flatten().bitcast(dtypes.uint8)
  size = _class()(list(data.shape[0].to_bytes(8, "little")), dtype=dtypes.uint8, device=x.device)
  data = size.cat(data)
  while data.shape[0] > _CHUNK:
    rows = data.pad(((0, -data.shape[0] % _CHUNK),)).reshape(-1, _CHUNK)
    data = keccak(rows, "shake_128").realize().flatten()
  return keccak(data.unsqueeze(0), "shake_128").squeeze(0)
