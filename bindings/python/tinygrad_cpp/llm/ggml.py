"""Quantised elements as ggml stores them, made floats by operations on tensors, so that they fuse into
what reads the weights. A type is blocks of some elements in some bytes; each function takes the
blocks as uint8 [blocks, bytes] and gives float32 [blocks, elements].

The layouts are those of ggml-common.h (https://github.com/ggml-org/ggml); d is the scale of a block.
"""
from tinygrad_cpp.dtype import dtypes
from tinygrad_cpp.tensor import Tensor

NATIVE = {0: dtypes.float32, 1: dtypes.float16, 24: dtypes.int8, 25: dtypes.int16,
          26: dtypes.int32, 27: dtypes.int64, 28: dtypes.float64, 30: dtypes.bfloat16}
_IQ4_VALUES = [-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113]
_FP4_VALUES = [0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12]  # halves


def _half(blocks, begin):
  """The float16 at a byte of each block, as float32 [blocks, 1]."""
  return blocks[:, begin:begin + 2].bitcast(dtypes.float16).cast(dtypes.float32)


def _split(x, bits):
  """Bytes [..., n] as their parts of some bits [..., 8 / bits, n], low ones first."""
  shifts = Tensor(list(range(0, 8, bits)), x.device, dtypes.uint8).reshape(-1, 1)
  return (x.unsqueeze(-2) >> shifts) & ((1 << bits) - 1)


def _whole(x):
  """Small whole numbers without a sign as numbers that may be subtracted from."""
  return x.cast(dtypes.int32)


def _nibbles(blocks, begin, end):
  """The low halves of the bytes, then the high ones."""
  return _whole(_split(blocks[:, begin:end], 4).flatten(1))


def _fifth_bits(blocks, begin):
  """Four bytes as 32 bits, in order."""
  return _whole(_split(blocks[:, begin:begin + 4], 1).transpose(1, 2).flatten(1))


def _q4_0(b):
  return (_nibbles(b, 2, 18) - 8) * _half(b, 0)


def _q4_1(b):
  return _nibbles(b, 4, 20) * _half(b, 0) + _half(b, 2)


def _q5_0(b):
  return (_nibbles(b, 6, 22) + _fifth_bits(b, 2) * 16 - 16) * _half(b, 0)


def _q5_1(b):
  return (_nibbles(b, 8, 24) + _fifth_bits(b, 4) * 16) * _half(b, 0) + _half(b, 2)


def _q8_0(b):
  return b[:, 2:34].bitcast(dtypes.int8) * _half(b, 0)


def _pairs(x):
  """[blocks, 64] of 2 bits as [blocks, 16, 16]: half, place in the byte, sixteen."""
  return _whole(_split(x.reshape(-1, 2, 32), 2)).reshape(-1, 16, 16)


def _q2_k(b):
  scales, q = b[:, :16], _pairs(b[:, 16:80])
  d = _half(b, 80) * (scales & 15)
  least = _half(b, 82) * (scales >> 4)
  return (d.unsqueeze(-1) * q - least.unsqueeze(-1)).flatten(1)


def _q3_k(b):
  high = _whole(_split(b[:, :32], 1)).reshape(-1, 16, 16)
  q = _pairs(b[:, 32:96]) + high * 4 - 4
  low = _nibbles(b, 96, 104)
  scales = low + _whole(_split(b[:, 104:108], 2).flatten(1)) * 16 - 32
  return ((_half(b, 108) * scales).unsqueeze(-1) * q).flatten(1)


def _scales_of_six_bits(s):
  """(scales, minima) [blocks, 8] of twelve bytes."""
  a, b, c = s[:, :4], s[:, 4:8], s[:, 8:12]
  return ((a & 63).cat((c & 15) | ((a >> 6) << 4), dim=1),
          (b & 63).cat((c >> 4) | ((b >> 6) << 4), dim=1))


def _k_blocks(b, q):
  scales, minima = _scales_of_six_bits(b[:, 4:16])
  d, least = _half(b, 0) * scales, _half(b, 2) * minima
  return (d.unsqueeze(-1) * q - least.unsqueeze(-1)).flatten(1)


def _eight_rows(x):
  """[blocks, 128] nibbles as [blocks, 8, 32]."""
  return _whole(_split(x.reshape(-1, 4, 32), 4)).reshape(-1, 8, 32)


def _q4_k(b):
  return _k_blocks(b, _eight_rows(b[:, 16:144]))


def _q5_k(b):
  return _k_blocks(b, _eight_rows(b[:, 48:176]) + _whole(_split(b[:, 16:48], 1)) * 16)


def _q6_k(b):
  low = _whole(_split(b[:, :128].reshape(-1, 2, 64), 4)).reshape(-1, 256)
  high = _whole(_split(b[:, 128:192].reshape(-1, 2, 32), 2)).reshape(-1, 256)
  q = (low + high * 16 - 32).reshape(-1, 16, 16)
  scales = b[:, 192:208].bitcast(dtypes.int8)
  return ((_half(b, 208) * scales).unsqueeze(-1) * q).flatten(1)


def _iq4_nl(b):
  return Tensor(_IQ4_VALUES, b.device, dtypes.float32)[_nibbles(b, 2, 18)] * _half(b, 0)


def _iq4_xs(b):
  low = _whole(_split(b[:, 4:8], 4).transpose(1, 2).flatten(1))
  high = _whole(_split(b[:, 2:4], 2).transpose(1, 2).flatten(1))
  scales = (_half(b, 0) * (low + high * 16 - 32)).unsqueeze(-1)
  q = _whole(_split(b[:, 8:136].reshape(-1, 8, 16), 4)).reshape(-1, 8, 32)
  return (scales * Tensor(_IQ4_VALUES, b.device, dtypes.float32)[q]).flatten(1)


def _mxfp4(b):
  exponent = b[:, 0:1].cast(dtypes.uint32)
  # 2 ** (exponent - 128) by its bits; the two least are below the normal floats.
  bits = (exponent < 2).where(0x00200000 << exponent.minimum(1), (exponent.maximum(1) - 1) << 23)
  scale = bits.cast(dtypes.uint32).bitcast(dtypes.float32)
  return Tensor(_FP4_VALUES, b.device, dtypes.float32)[_nibbles(b, 1, 17)] * scale


def _q1_0(b):
  bits = _whole(_split(b[:, 2:18], 1).transpose(1, 2).flatten(1))
  return (bits * 2 - 1) * _half(b, 0)


# type → (name, elements of a block, bytes of a block, function)
QUANTISED = {2: ("Q4_0", 32, 18, _q4_0), 3: ("Q4_1", 32, 20, _q4_1), 6: ("Q5_0", 32, 22, _q5_0),
             7: ("Q5_1", 32, 24, _q5_1), 8: ("Q8_0", 32, 34, _q8_0),
             10: ("Q2_K", 256, 84, _q2_k), 11: ("Q3_K", 256, 110, _q3_k),
             12: ("Q4_K", 256, 144, _q4_k), 13: ("Q5_K", 256, 176, _q5_k),
             14: ("Q6_K", 256, 210, _q6_k), 20: ("IQ4_NL", 32, 18, _iq4_nl),
             23: ("IQ4_XS", 256, 136, _iq4_xs), 39: ("MXFP4", 32, 17, _mxfp4),
             41: ("Q1_0", 128, 18, _q1_0)}


def bytes_of(count, ggml_type):
  """How many bytes `count` elements of a type take. ValueError for a type that is not known, or a
  number of elements that is no whole number of blocks."""
  if ggml_type in NATIVE:
    return count * NATIVE[ggml_type].itemsize
  if ggml_type not in QUANTISED:
    raise ValueError(f"GGML type '{ggml_type}' is not supported!")
  name, elements, size, _ = QUANTISED[ggml_type]
  if count % elements:
    raise ValueError(f"{count} elements of {name} are no whole number of blocks of {elements}")
  return count // elements * size


def ggml_data_to_tensor(t, n, ggml_type):
  """The first `n` elements of a type in the bytes `t`: of the type itself if it is one of numbers,
  float32 if it is quantised."""
  t = t[:bytes_of(n, ggml_type)]
  if ggml_type in NATIVE:
    return t.contiguous().bitcast(NATIVE[ggml_type])
  _, _, size, function = QUANTISED[ggml_type]
  return function(t.reshape(-1, size)).flatten()
