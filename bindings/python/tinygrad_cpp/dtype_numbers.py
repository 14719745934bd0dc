"""Numbers of each dtype on the host: how they promote, and what a Python number is when it is stored
as one (`truncate`), bit by bit for the floats that Python does not have. `tinygrad_cpp.dtype` has all
of these names, and reads this file when one is asked for.

  truncate[dtypes.bfloat16](1.001)   # 1.0
  fp8_to_float(float_to_fp8(3.1, dtypes.fp8e4m3), dtypes.fp8e4m3)   # 3.0
"""
import bisect
import ctypes
import enum
import functools
import math
import struct

from tinygrad_cpp.dtype import DTYPES_DICT, InvalidType, dtypes, strong_dtype

# Types of tinygrad's signatures, for annotations.
PyConst = float | int | bool
ConstType = PyConst | InvalidType


class AddrSpace(enum.IntEnum):
  """Where a kernel's memory is, by tinygrad's names."""
  GLOBAL = 1
  LOCAL = 2
  REG = 3
  ALU = 4

  def __repr__(self):
    return f"AddrSpace.{self.name}"

  __str__ = __repr__


# ---- promotion: each dtype and those right above it

_ABOVE = {
  "bool": "weakint", "weakint": "int8 uint8", "int8": "int16", "int16": "int32", "int32": "int64",
  "uint8": "int16 uint16", "uint16": "int32 uint32", "uint32": "int64 uint64", "int64": "weakfloat",
  "uint64": "weakfloat", "weakfloat": "fp8e4m3 fp8e5m2 fp8e4m3fnuz fp8e5m2fnuz",
  "fp8e4m3": "float16 bfloat16", "fp8e5m2": "float16 bfloat16", "fp8e4m3fnuz": "float16 bfloat16",
  "fp8e5m2fnuz": "float16 bfloat16", "float16": "float32", "bfloat16": "float32",
  "float32": "float64", "float64": ""}
promo_lattice = {getattr(dtypes, name): [getattr(dtypes, a) for a in above.split()]
                 for name, above in _ABOVE.items()}


@functools.cache
def _all_above(dtype):
  return {dtype}.union(*(_all_above(a) for a in promo_lattice[dtype]))


@functools.cache
def common_dtype(*ds):
  """The least dtype that is above all of them."""
  return min(set.intersection(*(_all_above(d) for d in ds)))


def _exact_integers(dtype):
  """Bits of the largest integers that are all exact: of a float those of its mantissa."""
  if dtypes.is_float(dtype):
    return dtypes.finfo(dtype)[1] + 1
  return dtype.bitsize - (dtype in dtypes.sints)


def can_lossless_cast(dt0, dt1):
  """Whether every value of the first dtype is one of the second."""
  if dt0 == dt1 or dt0 == dtypes.bool:
    return True
  if dt1 == dtypes.weakint:
    return dt0 in dtypes.ints
  if dt0 in dtypes.weaks or dt1 in dtypes.weaks or dt1 == dtypes.bool:
    return False
  if dtypes.is_float(dt0):
    wide = dt1 in (dtypes.float16, dtypes.float32, dtypes.float64)
    return wide and all(a <= b for a, b in zip(dtypes.finfo(dt0), dtypes.finfo(dt1)))
  if dt1 in dtypes.uints and dt0 in dtypes.sints or dt1 == dtypes.bfloat16 or dt1 in dtypes.fp8s:
    return False
  return _exact_integers(dt0) <= _exact_integers(dt1)


def sum_acc_dtype(dtype):
  """The dtype in which sums of this one are computed."""
  if dtypes.is_unsigned(dtype):
    return common_dtype(dtype, dtypes.uint32)
  if dtypes.is_int(dtype) or dtypes.is_bool(dtype):
    return common_dtype(dtype, dtypes.int32)
  return common_dtype(dtype, dtypes.float32)


# ---- floats that Python does not have

def float_to_fp16(x):
  """The nearest float16; infinite beyond the largest."""
  try:
    return struct.unpack("e", struct.pack("e", float(x)))[0]
  except OverflowError:
    return math.copysign(math.inf, x)


def float_to_bf16(x):
  """The nearest bfloat16, ties to even."""
  if not math.isfinite(x):
    return x
  bits = struct.unpack("I", struct.pack("f", ctypes.c_float(x).value))[0]
  rounded = bits + 0x7FFF + ((bits >> 16) & 1) & 0xFFFF0000
  return struct.unpack("f", struct.pack("I", rounded))[0]


_BIAS = {"fp8e4m3": 7, "fp8e5m2": 15, "fp8e4m3fnuz": 8, "fp8e5m2fnuz": 16}


def _magnitude(code, dtype):
  """The value of a code without sign: a number, inf or nan."""
  exponent_bits, mantissa_bits = dtypes.finfo(dtype)
  exponent, mantissa = code >> mantissa_bits, code & ((1 << mantissa_bits) - 1)
  if dtype in dtypes.fp8_ocp and exponent == (1 << exponent_bits) - 1:
    if dtype is dtypes.fp8e5m2:
      return math.nan if mantissa else math.inf
    if mantissa == (1 << mantissa_bits) - 1:
      return math.nan
  lead = 1 if exponent else 0
  return math.ldexp(mantissa + (lead << mantissa_bits), max(exponent, 1) - _BIAS[dtype.name] - mantissa_bits)


@functools.cache
def _finite(dtype):
  """The finite values without sign by their codes, in order."""
  return [x for x in (_magnitude(code, dtype) for code in range(128)) if math.isfinite(x)]


def _check_fp8(dtype):
  assert dtype in dtypes.fp8s, f"only for fp8s, not for {dtype}"


def fp8_to_float(x, dtype):
  """The value of a byte."""
  _check_fp8(dtype)
  if dtype in dtypes.fp8_fnuz and x == 0x80:
    return math.nan
  return math.copysign(_magnitude(x & 0x7F, dtype), -1 if x & 0x80 else 1)


def float_to_fp8(x, dtype):
  """The byte of the nearest value, ties to even; the largest finite one for all that are larger."""
  _check_fp8(dtype)
  sign = 0x80 if math.copysign(1, x) < 0 else 0
  if not math.isfinite(x):
    if dtype in dtypes.fp8_fnuz:
      return 0x80
    return sign | (0x7C if dtype is dtypes.fp8e5m2 and math.isinf(x) else 0x7F)
  values, size = _finite(dtype), abs(x)
  above = bisect.bisect_left(values, size)
  if above == len(values):
    code = above - 1
  elif values[above] == size:
    code = above
  else:
    below, distance = above - 1, (size - values[above - 1]) - (values[above] - size)
    code = below if distance < 0 or distance == 0 and below % 2 == 0 else above
  return code if code == 0 and dtype in dtypes.fp8_fnuz else sign | code


truncate = {dtypes.bool: bool, dtypes.float16: float_to_fp16,
            dtypes.bfloat16: lambda x: float_to_bf16(float(x))}
for _fp8 in dtypes.fp8s:
  truncate[_fp8] = lambda x, dtype=_fp8: fp8_to_float(float_to_fp8(x, dtype), dtype)
for _dtype in dtypes.ints:
  truncate[_dtype] = lambda x, c=getattr(ctypes, "c_" + _dtype.name): c(x).value
truncate[dtypes.float32] = lambda x: ctypes.c_float(x).value
truncate[dtypes.float64] = float


# ---- as they are stored

def storage_fmt_for_dtype(dtype):
  """The struct module's letter of what is stored."""
  return "H" if dtype is dtypes.bfloat16 else "B" if dtype in dtypes.fp8s else dtype.fmt


def to_storage_scalar(x, dtype):
  """A number as what storage_fmt_for_dtype packs."""
  if dtype is dtypes.float16:
    return float_to_fp16(x)
  if dtype is dtypes.bfloat16:
    return struct.unpack("I", struct.pack("f", float_to_bf16(x)))[0] >> 16
  return float_to_fp8(float(x), dtype) if dtype in dtypes.fp8s else x


def from_storage_scalar(x, dtype):
  """The number of what storage_fmt_for_dtype unpacks."""
  if dtype is dtypes.bfloat16:
    return struct.unpack("f", struct.pack("I", (x & 0xFFFF) << 16))[0]
  return fp8_to_float(int(x), dtype) if dtype in dtypes.fp8s else x


def bitcast(x, in_dtype, out_dtype):
  """The number that the bits of x are in another dtype of the same size."""
  assert in_dtype.itemsize == out_dtype.itemsize, "bitcast: sizes differ"
  packed = struct.pack(storage_fmt_for_dtype(in_dtype), to_storage_scalar(x, in_dtype))
  return from_storage_scalar(struct.unpack(storage_fmt_for_dtype(out_dtype), packed)[0], out_dtype)


# ---- other packages' dtypes

def _from_np_dtype(dtype):
  import numpy
  return DTYPES_DICT[numpy.dtype(dtype).name]


def _to_torch_dtype(dtype):
  import torch
  dtype = strong_dtype(dtype)
  return torch.uint8 if dtype in dtypes.fp8s else getattr(torch, dtype.name, None)


def _from_torch_dtype(dtype):
  return next(d for d in DTYPES_DICT.values() if d not in dtypes.fp8s and _to_torch_dtype(d) == dtype)
