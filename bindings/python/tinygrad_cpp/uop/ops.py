"""Variable: a size or a place in an index that changes from call to call, without new kernels.

  n = Variable("n", 1, 512)
  x[:, :n.bind(17)]
"""
from tinygrad_cpp import _core
from tinygrad_cpp.uop.names import AxisType, GroupOp, KernelInfo, Ops  # noqa: F401


class Variable(_core.Size):
  """A named whole number with bounds, or an expression of such numbers.

  `Variable("n", 1, 8)` has no value yet; `.bind(5)` gives one that has. Arithmetic with integers
  and among each other makes expressions; the bounds say how wide they are, not a dtype. `vmin` and `vmax` are the bounds of all values."""
  __slots__ = ("_definition",)

  def __new__(cls, name: str = "", min: int = 0, max: int = 0, value=None, dtype=None, src=(), arg=None):
    if isinstance(name, Ops):  # UOp(Ops.ADD, src=(a, b))
      from tinygrad_cpp.uop import graph
      return graph.node(name, arg, src, dtype if dtype is None else getattr(dtype, "name", dtype))
    return super().__new__(cls)

  def __init__(self, name: str, min: int, max: int, value=None, dtype=None):
    self._definition = (name, min, max, value)
    self._bind(name, min, max, min if value is None else value)

  @staticmethod
  def variable(name: str, min: int, max: int, dtype=None) -> "Variable":
    """Another spelling of the constructor."""
    return Variable(name, min, max, dtype=dtype)

  @staticmethod
  def const(value, dtype=None):
    """A number as a node of a graph: it gives way to what it meets, unless a dtype is named."""
    from tinygrad_cpp.tensor import Tensor
    return Tensor.const(value, dtype).uop

  @staticmethod
  def sink(*sources, arg=None):
    """A root of several values, or of the effects of a kernel."""
    from tinygrad_cpp.uop import graph, kernel
    if any(isinstance(s, kernel.Effects) for s in sources):
      return kernel.sink(sources, arg)
    return graph.node(Ops.SINK, None, sources, "void")

  @staticmethod
  def group(*sources):
    """Several effects of a kernel as one."""
    from tinygrad_cpp.uop import kernel
    return kernel.group(sources)

  @staticmethod
  def range(extent, axis_id=0, axis_type=None, **_):
    """A number of a kernel that runs from 0 to extent - 1."""
    from tinygrad_cpp.uop import kernel
    return kernel.Range(extent, axis_id)

  @staticmethod
  def stack(*sources):
    """Numbers and nodes side by side, as a node."""
    from tinygrad_cpp.tensor import Tensor
    return Tensor.stack(*(s.as_tensor() if hasattr(s, "as_tensor") else Tensor(s) for s in sources)).uop

  def cast(self, dtype):
    """The value as a node of this dtype."""
    from tinygrad_cpp.tensor import Tensor
    return Tensor(self).cast(dtype).uop

  @staticmethod
  def allreduce(node, op, device):
    """The parts on several devices reduced element by element: each device has the result as its part."""
    x, count = node.as_tensor(), len(node.device)
    if node.axis is None:
      raise ValueError("allreduce: no axis is split between devices")
    shape = (*x.shape[:node.axis], count, x.shape[node.axis] // count, *x.shape[node.axis + 1:])
    reduction = {Ops.ADD: "sum", Ops.MUL: "prod", Ops.MAX: "max"}[op]
    parts = [1] * x.ndim
    parts[node.axis] = count
    reduced = getattr(x.reshape(shape), reduction)(node.axis).to(device[0])
    return reduced.repeat(parts).shard(device, node.axis).uop

  @property
  def is_known(self) -> bool:
    """Whether it has a value; expressions are made of variables that have one."""
    return not hasattr(self, "_definition") or self.is_bound

  def _compared(self, other, name, sign=1):
    """self < other, and so on, by the bounds of what is between them; a Condition if they leave it
    open."""
    if not isinstance(other, (int, _core.Size)):
      return NotImplemented
    difference = (self - other) * sign
    low, high = (difference.vmin, difference.vmax) if isinstance(difference, _core.Size) else (difference,) * 2
    if high < 0 or low >= 0:
      return high < 0
    return Condition(f"({self!r} {name} {other!r})", self, other, name)

  def __lt__(self, other):
    return self._compared(other, "<")

  def __gt__(self, other):
    return self._compared(other, ">", -1)

  def __ge__(self, other):
    return _negated(self._compared(other, ">="))

  def __le__(self, other):
    return _negated(self._compared(other, "<=", -1))

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


class Condition:
  """A comparison that some values of its variables make true and others false. `resolve` decides
  for both; what it is in this call says `value`."""
  vmin, vmax = False, True

  def __init__(self, text, left, right, name, negated=False):
    self.text, self.left, self.right, self.name, self.negated = text, left, right, name, negated

  @property
  def value(self) -> bool:
    """Whether it holds for the values of this call."""
    left, right = sint_value(self.left), sint_value(self.right)
    return {"<": left < right, ">": left > right, "<=": left <= right, ">=": left >= right}[self.name]

  def __bool__(self):
    raise ValueError(f"{self.text} depends on the values of its variables: resolve() decides for all of them")

  def __repr__(self):
    return self.text


def _negated(x):
  """Of a comparison that was decided as its opposite."""
  return not x if isinstance(x, bool) else x


def resolve(x, default=True) -> bool:
  """Whether a condition holds for all values of its variables; the default if for some only."""
  return default if isinstance(x, Condition) else bool(x)


def smax(*sizes):
  """The largest: one that the bounds show to be, else the one of this call."""
  return _extreme(sizes, lambda a, b: resolve(b - a <= 0, False), max)


def smin(*sizes):
  """The smallest, in the same way."""
  return _extreme(sizes, lambda a, b: resolve(a - b <= 0, False), min)


def _extreme(sizes, is_ahead, of_values):
  sizes = sizes[0] if len(sizes) == 1 and isinstance(sizes[0], (tuple, list)) else sizes
  for candidate in sizes:
    if all(is_ahead(candidate, other) for other in sizes if other is not candidate):
      return candidate
  return of_values(sizes, key=sint_value)


def sym_infer(x, var_vals=None) -> int:
  """The value of a size, with these values of its variables (by name) instead of its own."""
  if not isinstance(x, _core.Size):
    return x
  if not var_vals:
    return x.val
  import re
  names = {getattr(k, "expr", k): sint_value(v) for k, v in var_vals.items()}
  text = repr(x).replace("/", "//")  # quotients of sizes are whole
  unknown = set(re.findall(r"[A-Za-z_]\w*", text)) - set(names)
  if unknown:
    raise KeyError(f"sym_infer: no value is given for {', '.join(sorted(unknown))}")
  import ast
  return _evaluated(ast.parse(text, mode="eval").body, names)


def _evaluated(node, names):
  """The value of a parsed expression of whole numbers."""
  import ast
  import operator
  if isinstance(node, ast.Constant):
    return node.value
  if isinstance(node, ast.Name):
    return names[node.id]
  if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
    return -_evaluated(node.operand, names)
  operations = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
                ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod}
  if isinstance(node, ast.BinOp) and type(node.op) in operations:
    return operations[type(node.op)](_evaluated(node.left, names), _evaluated(node.right, names))
  raise ValueError("sym_infer: an expression that is no sum, product, quotient or remainder")


def sint_value(x) -> int:
  """The number that a size is in this call."""
  return x.val if isinstance(x, _core.Size) else x


# Types of tinygrad's signatures, for annotations.
sint = int | UOp
ConstLike = float | int | bool | UOp | tuple


def __getattr__(name):
  if name in ("UPat", "PatternMatcher", "graph_rewrite", "deconstruct_function"):  # read only by programs that use them
    import tinygrad_cpp.uop.patterns as patterns
    return getattr(patterns, name)
  raise AttributeError(f"module 'tinygrad_cpp.uop.ops' has no attribute {name!r}")


_core.register("size", Variable)
