"""Variable: a size or a place in an index that changes from call to call, without new kernels.

  n = Variable("n", 1, 512)
  x[:, :n.bind(17)]
"""
from tinygrad_cpp import _core


class Variable(_core.Size):
  """A named whole number with bounds, or an expression of such numbers.

  `Variable("n", 1, 8)` has no value yet; `.bind(5)` gives one that has. Arithmetic with integers
  and among each other makes expressions. `vmin` and `vmax` are the bounds of all values."""
  __slots__ = ("_definition",)

  def __new__(cls, name: str = "", min: int = 0, max: int = 0, value=None):
    return super().__new__(cls)

  def __init__(self, name: str, min: int, max: int, value=None):
    self._definition = (name, min, max, value)
    self._bind(name, min, max, min if value is None else value)

  @staticmethod
  def variable(name: str, min: int, max: int) -> "Variable":
    """Another spelling of the constructor."""
    return Variable(name, min, max)

  @property
  def expr(self) -> str:
    """The name."""
    return self._definition[0]

  @property
  def is_bound(self) -> bool:
    """Whether it has a value."""
    return getattr(self, "_definition", (None,) * 4)[3] is not None

  def bind(self, value: int) -> "Variable":
    """The variable with a value. ValueError outside the bounds."""
    if isinstance(value, Variable):
      value = value.val
    return Variable(*self._definition[:3], value)

  def unbind(self):
    """(the variable without a value, the value)"""
    name, min, max, value = self._definition
    if value is None:
      raise ValueError(f"unbind: {name} is not bound")
    return Variable(name, min, max), value

  def __reduce__(self):
    return Variable, self._definition


UOp = Variable


def sint_value(x) -> int:
  """The number that a size is in this call."""
  return x.val if isinstance(x, _core.Size) else x


_core.register("size", Variable)
