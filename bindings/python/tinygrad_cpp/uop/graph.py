"""The graph behind a tensor, for looking at: what its value is made of, not yet computed.

  y = (Tensor([1., 2.]) + 1).relu()
  print(y.uop)                          # the whole graph, sources before users
  [u.op for u in y.uop.toposort()]      # ["buffer", "const", "expand", "add", ...]

Nodes are read-only pictures of the library's own: its text form (docs/ir.md), parsed."""
import re
import weakref

from tinygrad_cpp._core import dtypes_by_name as _by_name

_LINE = re.compile(r"%(\d+) = (\w+)(?:\{(.*?)\})?((?: %\d+(?:, %\d+)*)?) : (\S+)(.*)")
_TYPE = re.compile(r"(\w+)(?:<(\d+)>)?(?:\[([^\]]*)\])?")


_MOVEMENT = {"reshape", "permute", "expand", "pad", "shrink", "flip", "shear", "offset", "limit"}
_nodes = weakref.WeakValueDictionary()    # one of each
_buffers = weakref.WeakValueDictionary()  # by the node's argument, which names the storage


class Buffer:
  """Storage of a tensor: one object for each."""
  __slots__ = ("dtype", "size", "__weakref__")

  def __init__(self, dtype, size):
    self.dtype, self.size = dtype, size

  def is_allocated(self):
    """Whether it has memory."""
    return True

  @property
  def nbytes(self):
    """Bytes of all elements."""
    return self.size * self.dtype.itemsize


class Node:
  """One operation: its name, its argument as text, its sources, the dtype and shape of its value.
  Equal operations on equal sources are one object for as long as somebody holds it."""
  __slots__ = ("op", "arg", "src", "dtype", "shape", "type", "axis", "_device", "_tensor", "_buffer",
               "__weakref__")

  def __init__(self, op, arg, src, type_text):
    self.op, self.arg, self.src, self.type = op, arg, src, type_text
    self.dtype, _, extents = _TYPE.match(type_text).groups()
    self.shape = tuple(int(e) for e in extents.split(",")) if extents else ()
    self.axis = self._device = None  # of the node that was asked for: how it is split, and where it lies
    self._tensor = self._buffer = None

  def placed(self, device, axis):
    """Takes note of where its value lies, and of the axis that is split between devices."""
    self._device, self.axis = device, axis

  def toposort(self):
    """All nodes that it is made of, sources before users, itself last; each once."""
    order, seen, stack = [], set(), [(self, False)]
    while stack:
      node, is_done = stack.pop()
      if is_done:
        order.append(node)
      elif id(node) not in seen:
        seen.add(id(node))
        stack.append((node, True))
        stack.extend((s, False) for s in reversed(node.src))
    return order

  def walk(self):
    """The same, one by one."""
    yield from self.toposort()

  @property
  def ndim(self):
    return len(self.shape)

  @property
  def bounds(self):
    """Where the part of each device begins and ends along the axis that is split."""
    if self.axis is None:
      raise RuntimeError("bounds: no axis is split between devices")
    size = self.shape[self.axis] // len(self.device)
    return tuple((k * size, (k + 1) * size) for k in range(len(self.device)))

  @property
  def device(self):
    """Where the value lives, a tuple for several; None for constants, which live nowhere."""
    if self._device is not None:
      return self._device
    return self.type.rpartition("@")[2] if "@" in self.type else None

  @property
  def base(self):
    """What it is a view of; itself if it is none."""
    node = self
    while node.op in _MOVEMENT:
      node = node.src[0]
    return node

  @property
  def realized(self):
    """The storage of its base; None if that is to be computed."""
    base = self.base
    if base.op != "buffer":
      return None
    if base._buffer is None:
      size = 1
      for n in base.shape:
        size *= n
      base._buffer = _buffers.setdefault(base.arg, Buffer(_by_name[base.dtype], size))
    return base._buffer

  @property
  def buffer(self):
    """The storage. RuntimeError if there is none yet."""
    if self.realized is None:
      raise RuntimeError(f"{self!r} has no buffer: it is not computed")
    return self.realized

  @property
  def is_realized(self):
    """Whether it is storage, or a view of it."""
    return self.base.op == "buffer"

  # ---- arithmetic, by the tensor that it is the value of

  def as_tensor(self, dtype=None):
    """The tensor of this value. ValueError for a node below the one that was asked for."""
    if self._tensor is None:
      raise ValueError(f"{self!r} is a part of a graph: only the node that `uop` gives is a tensor")
    return self._tensor if dtype is None else self._tensor.cast(dtype)

  def alu(self, op, *src):
    """An operation by its name in tinygrad."""
    return self.as_tensor().alu(op, *(_value(s) for s in src)).uop

  def __getattr__(self, name):
    if name.startswith("_"):
      raise AttributeError(name)
    function = getattr(type(self.as_tensor()), name, None)
    if function is None or not callable(function):
      raise AttributeError(f"a node has no {name!r}")

    def method(*args, **kwargs):
      result = function(self.as_tensor(), *(_value(a) for a in args), **kwargs)
      return getattr(result, "uop", result)
    return method

  def _line(self, sources):
    arg = "" if self.arg is None else f"{{{self.arg}}}"
    return f"{self.op}{arg}{' ' if sources else ''}{', '.join(sources)} : {self.type}"

  def __str__(self):
    numbers = {}
    lines = []
    for node in self.toposort():
      lines.append(f"%{len(numbers)} = {node._line([numbers[s] for s in node.src])}")
      numbers[node] = f"%{len(numbers)}"
    return "\n".join(lines)

  def __repr__(self):
    return f"<{self._line([s.op for s in self.src])}>"


def _value(x):
  return x.as_tensor() if isinstance(x, Node) else x


def _operator(name):
  def operator(self, *others):
    return getattr(self.as_tensor(), name)(*(_value(o) for o in others)).uop
  return operator


for _name in ("add", "radd", "sub", "rsub", "mul", "rmul", "truediv", "floordiv", "mod", "neg", "pow", "and",
              "or", "xor", "lshift", "rshift", "lt", "gt", "le", "ge", "getitem"):
  setattr(Node, f"__{_name}__", _operator(f"__{_name}__"))


def _node(line, graph):
  match = _LINE.match(line)
  if match is None:
    raise ValueError(f"no node of a graph: {line!r}")
  _, op, arg, sources, type_text, rest = match.groups()
  src = tuple(graph[int(s)] for s in re.findall(r"%(\d+)", sources))
  key = (op, arg, src, type_text + rest)
  node = _nodes.get(key)
  if node is None:
    node = _nodes[key] = Node(op, arg, src, type_text + rest)
  return node


def parse(text):
  """The node of the last line."""
  graph = []
  for line in text.splitlines():
    graph.append(_node(line, graph))
  return graph[-1]
