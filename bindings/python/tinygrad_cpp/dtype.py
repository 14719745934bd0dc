"""Element types: `dtypes.float32`, groups of them, and the questions that programs ask."""
from tinygrad_cpp import _core
from tinygrad_cpp.errors import NoSuchDTypeError

DType = _core.DType
_by_name = _core.dtypes_by_name

_FLOATS = ("fp8e4m3", "fp8e5m2", "fp8e4m3fnuz", "fp8e5m2fnuz", "float16", "bfloat16", "float32",
           "float64")
_UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
_SIGNED = ("int8", "int16", "int32", "int64")
_ALIASES = {"half": "float16", "float": "float32", "double": "float64", "char": "int8",
            "uchar": "uint8", "short": "int16", "ushort": "uint16", "int": "int32",
            "uint": "uint32", "long": "int64", "ulong": "uint64"}
_LATER = {"default_float": "float32", "default_int": "int32"}
_EXPONENT_MANTISSA = {"fp8e4m3": (4, 3), "fp8e5m2": (5, 2), "fp8e4m3fnuz": (4, 3),
                      "fp8e5m2fnuz": (5, 2), "float16": (5, 10), "bfloat16": (8, 7),
                      "float32": (8, 23), "float64": (11, 52)}


_defaults = {name: _by_name[dtype] for name, dtype in _LATER.items()}


class DTypes(type):
  """What of dtypes changes: the dtypes of numbers in lists, and of tensors that name none."""

  @property
  def default_float(cls) -> DType:
    return _defaults["default_float"]

  @property
  def default_int(cls) -> DType:
    return _defaults["default_int"]


def set_default(name, dtype):
  """Of Context(DEFAULT_FLOAT=...) and DEFAULT_INT. ValueError for a dtype of another kind."""
  dtype = to_dtype(dtype)
  if not (dtypes.is_float if name == "default_float" else dtypes.is_int)(dtype) or dtype in dtypes.weaks:
    raise ValueError(f"{name.upper()}: {dtype} is none of the {name[8:]}s that are stored")
  _defaults[name] = dtype
  _core.set_default_dtypes(_defaults["default_float"], _defaults["default_int"])


class dtypes(metaclass=DTypes):
  """The element types by name, as tinygrad spells them."""
  floats = tuple(_by_name[n] for n in _FLOATS)
  uints = tuple(_by_name[n] for n in _UNSIGNED)
  sints = tuple(_by_name[n] for n in _SIGNED)
  ints = uints + sints
  fp8s = floats[:4]
  fp8_ocp, fp8_fnuz = fp8s[:2], fp8s[2:]
  int8s, int16s, int32s, int64s = (tuple(reversed(pair)) for pair in zip(sints, uints))
  weakint, weakfloat = weaks = _by_name["weakint"], _by_name["weakfloat"]
  all = (_by_name["bool"],) + ints + floats

  @staticmethod
  def is_float(x) -> bool:
    return to_dtype(x) in dtypes.floats or x is dtypes.weakfloat

  @staticmethod
  def is_int(x) -> bool:
    return to_dtype(x) in dtypes.ints or x is dtypes.weakint

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
    """The dtype of a Python number, weak but for truth values; of a list what a tensor of it has."""
    if isinstance(x, (list, tuple)):
      return strong_dtype(max((dtypes.from_py(e) for e in x), default=dtypes.default_float))
    if isinstance(x, (bool, InvalidType)):
      return dtypes.bool
    if isinstance(x, (int, float)):
      return dtypes.weakfloat if isinstance(x, float) else dtypes.weakint
    raise RuntimeError(f"from_py: a {type(x).__name__} has no dtype")

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
    if to_dtype(dtype).name not in _EXPONENT_MANTISSA:
      raise ValueError(f"finfo: {dtype} is not a floating point type")
    return _EXPONENT_MANTISSA[to_dtype(dtype).name]


class InvalidType:
  """What stands where there is no value; there is one, `Invalid`."""
  _one = None

  def __new__(cls):
    if cls._one is None:
      cls._one = object.__new__(cls)
    return cls._one

  def __repr__(self):
    return "Invalid"

  def __reduce__(self):
    return InvalidType, ()


Invalid = InvalidType()

for _dtype in dtypes.all:
  setattr(dtypes, _dtype.name, _dtype)
for _alias, _name in _ALIASES.items():
  setattr(dtypes, _alias, _by_name[_name])
  _by_name.setdefault(_alias, _by_name[_name])

DTYPES_DICT = {name: value for name, value in dtypes.fields().items() if value not in dtypes.weaks}
INVERSE_DTYPES_DICT = {value.name: name for name, value in DTYPES_DICT.items()}
for _alias, _name in _LATER.items():
  _by_name.setdefault(_alias, _by_name[_name])

DType.min = property(dtypes.min, doc="the least value: -inf for floats")
DType.max = property(dtypes.max, doc="the largest value: inf for floats")

DTypeLike = str | DType
PyConst = (float, int, bool)


def to_dtype(x) -> DType:
  """A dtype, or the dtype of a name."""
  if isinstance(x, DType):
    return x
  try:
    return _by_name[x.lower()]
  except (KeyError, AttributeError):
    raise NoSuchDTypeError(f"there is no dtype {x!r}") from None


def strong_dtype(dtype) -> DType:
  """What a value of a weak dtype is stored as."""
  return {dtypes.weakint: dtypes.default_int, dtypes.weakfloat: dtypes.default_float}.get(dtype, dtype)


def weak_dtype(dtype) -> DType:
  """The weak dtype of this kind of numbers; bool has none."""
  return dtypes.weakfloat if dtypes.is_float(dtype) else dtypes.weakint if dtypes.is_int(dtype) else dtype


def least_upper_dtype(*ds) -> DType:
  """The dtype that all of them become together."""
  from tinygrad_cpp.dtype_numbers import common_dtype
  return common_dtype(*ds)


def least_upper_float(dtype) -> DType:
  """The float that functions such as exp give for this dtype."""
  if dtype is dtypes.weakint:
    return dtypes.weakfloat
  return dtype if dtypes.is_float(dtype) else least_upper_dtype(dtype, dtypes.default_float)


def _to_np_dtype(dtype):
  """NumPy's type of the elements that numpy() gives: float32 where NumPy has no such floats."""
  import numpy
  if dtype is dtypes.bfloat16 or dtype in dtypes.fp8s:
    return numpy.float32
  return None if dtype.fmt is None else numpy.dtype(dtype.fmt).type


def __getattr__(name):
  if name.startswith("__"):
    raise AttributeError(name)
  import tinygrad_cpp.dtype_numbers as dtype_numbers  # read only by programs that use it
  try:
    return getattr(dtype_numbers, name)
  except AttributeError:
    raise AttributeError(f"module 'tinygrad_cpp.dtype' has no attribute {name!r}") from None
