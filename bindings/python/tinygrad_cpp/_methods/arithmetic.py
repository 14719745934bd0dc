"""Elementwise functions and products that tinygrad calls another way than the library."""
from tinygrad_cpp.dtype import dtypes, strong_dtype, to_dtype

# Raw operations by tinygrad's names, for Tensor.alu.
_OPERATIONS = {"ADD": "add", "SUB": "sub", "MUL": "mul", "FDIV": "_div", "MAX": "maximum",
               "MOD": "fmod", "XOR": "bitwise_xor", "OR": "bitwise_or", "AND": "bitwise_and",
               "SHL": "lshift", "SHR": "rshift", "CMPLT": "_lt", "CMPNE": "ne", "CMPEQ": "eq",
               "POW": "pow", "EXP2": "exp2", "LOG2": "log2", "SIN": "sin", "SQRT": "sqrt",
               "RECIPROCAL": "reciprocal", "RECIP": "reciprocal", "NEG": "neg", "TRUNC": "trunc",
               "THREEFRY": "threefry", "WHERE": "where"}


def _class():
  from tinygrad_cpp.tensor import Tensor
  return Tensor


class Arithmetic:
  """Mixin: arithmetic, casts, products."""
  __slots__ = ()

  def div(self, x, reverse=False, rounding_mode=None):
    """True division; 'trunc' rounds the quotient towards 0, 'floor' down."""
    if rounding_mode is None:
      return self._div(x, reverse)
    if rounding_mode not in ("trunc", "floor"):
      raise RuntimeError(f"div: rounding_mode is None, 'trunc' or 'floor', not {rounding_mode!r}")
    a, b = (self.ufix(x), self) if reverse else (self, x)
    return a._div_rounded(b, 1 if rounding_mode == "trunc" else 2)

  def clamp(self, min_=None, max_=None):
    """Limited to [min_, max_]; a bound may be None or a tensor."""
    if min_ is None and max_ is None:
      raise RuntimeError("clamp: at least one of min_ and max_ is given")
    if max_ is None:
      return self._clamp_min(min_)
    return self._clamp_max(max_) if min_ is None else self._clip(min_, max_)

  def clip(self, min_=None, max_=None):
    """Another name of clamp."""
    return self.clamp(min_, max_)

  def gelu(self, approximate="tanh"):
    """x times the normal distribution's share below x, by tanh or exactly ('none')."""
    if approximate not in ("tanh", "none"):
      raise RuntimeError(f"gelu: approximate is 'tanh' or 'none', not {approximate!r}")
    return self._gelu(0 if approximate == "tanh" else 1)

  def ufix(self, x):
    """A number as a constant that fits this tensor; a tensor stays."""
    T = _class()
    if isinstance(x, T):
      return x
    wide = isinstance(x, float) and not self.is_floating_point()
    return T(x, dtype=dtypes.default_float if wide else self._stored_dtype)

  def alu(self, op, *src):
    """A raw operation by its name in tinygrad ('ADD', 'MUL', 'WHERE', ...)."""
    name = getattr(op, "name", str(op).rsplit(".", 1)[-1]).upper()
    if name not in _OPERATIONS:
      raise NotImplementedError(f"alu: there is no operation {name}")
    return getattr(self, _OPERATIONS[name])(*src)

  # ---- dtypes

  def _cast_weak(self, dtype):
    """cast to dtypes.weakint or weakfloat: the kind of number that it is, without a width."""
    dtype = to_dtype(dtype)
    if dtype not in dtypes.weaks:
      raise TypeError(f"cast: expected a dtype, got {dtype!r}")
    kept = self.is_floating_point() if dtype is dtypes.weakfloat else dtypes.is_int(self._stored_dtype)
    result = self.view(self.shape) if kept and self._is_weak else self.cast(strong_dtype(dtype))
    result._is_weak = True
    return result

  def float(self):
    """As float32."""
    return self.cast(dtypes.float32)

  def half(self):
    """As float16."""
    return self.cast(dtypes.float16)

  def bfloat16(self):
    """As bfloat16."""
    return self.cast(dtypes.bfloat16)

  def double(self):
    """As float64."""
    return self.cast(dtypes.float64)

  def int(self):
    """As int32."""
    return self.cast(dtypes.int32)

  def long(self):
    """As int64."""
    return self.cast(dtypes.int64)

  def short(self):
    """As int16."""
    return self.cast(dtypes.int16)

  def bool(self):
    """As bool: is not 0."""
    return self.cast(dtypes.bool)

  # ---- products

  def matmul(self, x, reverse=False, dtype=None):
    """Matrix product of the last two axes; `dtype` is that of the accumulation and the result."""
    if dtype is not None:
      return self.cast(dtype)._matmul(x.cast(dtype), reverse)
    return self._matmul(x, reverse)

  def dot(self, w, dtype=None):
    """Another name of matmul."""
    return self.matmul(w, dtype=dtype)

  def image_dot(self, w, dtype=None):
    """matmul: memory layouts are the compiler's business here."""
    return self.matmul(w, dtype=dtype)

  def linear(self, weight, bias=None, dtype=None):
    """x @ weight + bias; a weight of one axis multiplies elementwise."""
    if dtype is not None:
      return self.cast(dtype).linear(weight.cast(dtype), None if bias is None else bias.cast(dtype))
    return self._linear(weight, bias)
