"""Element types: `dtypes.float32`, groups of them, and the questions that programs ask."""
from tinygrad_cpp import _core

DType = _core.DType
_by_name = _core.dtypes_by_name

_FLOATS = ("fp8e4m3", "fp8e5m2", "fp8e4m3fnuz", "fp8e5m2fnuz", "float16", "bfloat16", "float32",
           "float64")
_UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
_SIGNED = ("int8", "int16", "int32", "int64")
_ALIASES = {"half": "float16", "float": "float32", "double": "float64", "char": "int8",
            "uchar": "uint8", "short": "int16", "ushort": "uint16", "int": "int32",
            "uint": "uint32", "long": "int64", "ulong": "uint64", "default_float": "float32",
            "default_int": "int32"}
# Largest and least finite values of floats; -inf and inf are what min and max answer.
_MANTISSA_EXPONENT = {"fp8e4m3": (4, 3), "fp8e5m2": (5, 2), "fp8e4m3fnuz": (4, 3),
                      "fp8e5m2fnuz": (5, 2), "float16": (5, 10), "bfloat16": (8, 7),
                      "float32": (8, 23), "float64": (11, 52)}


class dtypes:
  """The element types by name, as tinygrad spells them."""
  floats = tuple(_by_name[n] for n in _FLOATS)
  uints = tuple(_by_name[n] for n in _UNSIGNED)
  sints = tuple(_by_name[n] for n in _SIGNED)
  ints = uints + sints
  fp8s = floats[:4]
  all = (_by_name["bool"],) + ints + floats

  @staticmethod
  def is_float(x) -> bool:
    return to_dtype(x) in dtypes.floats

  @staticmethod
  def is_int(x) -> bool:
    return to_dtype(x) in dtypes.ints

  @staticmethod
  def is_unsigned(x) -> bool:
    return to_dtype(x) in dtypes.uints

  @staticmethod
  def is_bool(x) -> bool:
    return to_dtype(x) is _by_name["bool"]

  @staticmethod
  def fields() -> dict:
    """All names with their dtypes."""
    return {name: value for name, value in vars(dtypes).items() if isinstance(value, DType)}

  @staticmethod
  def from_py(x) -> DType:
    """The dtype that a Python number, or a list of them, becomes."""
    if isinstance(x, (list, tuple)):
      return max((dtypes.from_py(e) for e in x), default=dtypes.default_float)
    if isinstance(x, bool):
      return dtypes.bool
    return dtypes.default_float if isinstance(x, float) else dtypes.default_int

  @staticmethod
  def as_const(value, dtype):
    """The Python number that `value` is as this dtype."""
    if dtypes.is_float(dtype):
      return float(value)
    return bool(value) if dtypes.is_bool(dtype) else int(value)

  @staticmethod
  def min(dtype):
    """The least value: -inf for floats."""
    dtype = to_dtype(dtype)
    if dtypes.is_float(dtype):
      return -float("inf")
    if dtype in dtypes.sints:
      return -(1 << (dtype.itemsize * 8 - 1))
    return False if dtypes.is_bool(dtype) else 0

  @staticmethod
  def max(dtype):
    """The largest value: inf for floats."""
    dtype = to_dtype(dtype)
    if dtypes.is_float(dtype):
      return float("inf")
    if dtypes.is_bool(dtype):
      return True
    return (1 << (dtype.itemsize * 8 - (dtype in dtypes.sints))) - 1

  @staticmethod
  def finfo(dtype):
    """(bits of the exponent, bits of the mantissa)"""
    return _MANTISSA_EXPONENT[to_dtype(dtype).name]


for _dtype in dtypes.all:
  setattr(dtypes, _dtype.name, _dtype)
for _alias, _name in _ALIASES.items():
  setattr(dtypes, _alias, _by_name[_name])
  _by_name.setdefault(_alias, _by_name[_name])

DType.min = property(dtypes.min, doc="the least value: -inf for floats")
DType.max = property(dtypes.max, doc="the largest value: inf for floats")

DTypeLike = (str, DType)
PyConst = (float, int, bool)


def to_dtype(x) -> DType:
  """A dtype, or the dtype of a name."""
  if isinstance(x, DType):
    return x
  try:
    return _by_name[x]
  except (KeyError, TypeError):
    raise ValueError(f"there is no dtype {x!r}") from None


def least_upper_dtype(*ds) -> DType:
  """The dtype that all of them become together; tensors of them are promoted so."""
  from tinygrad_cpp.tensor import Tensor
  result = ds[0]
  for d in ds[1:]:
    result = (Tensor.empty(1, dtype=result) + Tensor.empty(1, dtype=d)).dtype
  return result
