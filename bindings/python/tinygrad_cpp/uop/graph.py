"""The graph behind a tensor: what its value is made of, not yet computed.

  y = (Tensor([1., 2.]) + 1).relu()
  print(y.uop)                          # the whole graph, sources before users
  [u.op for u in y.uop.toposort()]      # [Ops.BUFFER, Ops.CONST, Ops.EXPAND, Ops.ADD, ...]
  Tensor(y.uop.replace(src=...))        # a tensor of another graph

Nodes are immutable pictures of the library's own: its text form (docs/ir.md), parsed. New ones are checked
by the library, which says their shape and dtype. Rewriting: patterns.py; kernels: kernel.py."""
import re
import weakref

from tinygrad_cpp._core import address_of as _address_of, dtypes_by_name as _by_name
from tinygrad_cpp.errors import ArgumentError
from tinygrad_cpp.uop.names import GroupOp, Ops, op_named

INDEX = "index"  # the dtype of sizes and places, which no tensor has

_LINE = re.compile(r"%(\d+) = (\w+)(?:\{(.*?)\})?((?: %\d+(?:, %\d+)*)?) : (\S+)(.*)")
_TYPE = re.compile(r"(\w+)(?:<(\d+)>)?(?:\[([^\]]*)\])?")


_MOVEMENT = GroupOp.Movement | {Ops.DETACH}
_nodes = weakref.WeakValueDictionary()    # one of each
_buffers = weakref.WeakValueDictionary()  # by _place_of


class Buffer:
  """Storage of a tensor: one object for each, whatever is written into it."""
  __slots__ = ("dtype", "size", "device", "_tensor", "__weakref__")

  def __init__(self, node, tensor):
    self.dtype, self.size, self.device, self._tensor = node.dtype, node.numel(), node.device, tensor

  @property
  def base(self):
    """The storage that it is a part of: itself."""
    return self

  def as_memoryview(self, *_, **__):
    """Its bytes: the memory itself where the host reaches it, else a copy."""
    return memoryview(self._tensor).cast("B")

  def numpy(self):
    """A NumPy array of the elements."""
    return self._tensor.numpy()

  def is_allocated(self):
    """Whether it has memory: an array of a schedule gets some when that runs."""
    return self._tensor is not None

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
    self.op, self.arg, self.src, self.type = op_named(op), arg, src, type_text
    dtype, _, extents = _TYPE.match(type_text).groups()
    self.dtype = _by_name.get(dtype, dtype)
    self.shape = tuple(int(e) for e in extents.split(",")) if extents else ()
    self.axis = self._device = None  # of the node that was asked for: how it is split, and where it lies
    self._tensor = self._buffer = None

  def placed(self, device, axis):
    """Takes note of where its value lies, and of the axis that is split between devices."""
    self._device, self.axis = device, axis

  def sized(self, shape):
    """Takes note of the sizes of its value, expressions of variables among them."""
    self.shape = tuple(shape)

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

  def numel(self):
    """Number of elements."""
    count = 1
    for n in self.shape:
      count *= n
    return count

  @property
  def val(self):
    """The number of a constant."""
    if self.op is not Ops.CONST:
      raise AttributeError(f"{self!r} is no constant")
    if self.arg in ("true", "false"):
      return self.arg == "true"
    return float(self.arg) if "float" in self.type or "fp8" in self.type else int(self.arg)

  @property
  def key(self):
    """What tells it from other nodes: its graph as text."""
    return str(self)

  @property
  def is_virtual(self):
    """Whether it is made of constants alone, which live nowhere and are never stored."""
    return self.device is None or bool(self._tensor is not None and self._tensor._is_weak)

  def has_buffer_identity(self):
    """Whether it is storage, or the same elements in another shape."""
    node = self
    while node.op is Ops.RESHAPE:
      node = node.src[0]
    return node.op is Ops.BUFFER

  @property
  def buf_uop(self):
    """The node of its storage."""
    self.buffer  # or it has none
    return self.base

  @property
  def bounds(self):
    """Where the part of each device begins and ends along the axis that is split."""
    if self.axis is None:
      raise RuntimeError("bounds: no axis is split between devices")
    size = self.shape[self.axis] // len(self.device)
    return tuple((k * size, (k + 1) * size) for k in range(len(self.device)))

  @property
  def shard_shape(self):
    """The shape of the part of each device; that of the whole where no axis is split."""
    return tuple(size // len(self.device) if axis == self.axis else size for axis, size in enumerate(self.shape))

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
    if base.op is not Ops.BUFFER:
      return None
    if base._buffer is None:
      tensor = base.as_tensor()
      base._buffer = _buffers.setdefault(_place_of(base, tensor), Buffer(base, tensor))
    return base._buffer

  @property
  def buffer(self):
    """The storage; of an array of a schedule what it will be. RuntimeError if there is none yet."""
    if self.op is Ops.PARAM:
      return Buffer(self, None)
    if self.realized is None:
      raise RuntimeError(f"{self!r} has no buffer: it is not computed")
    return self.realized

  @property
  def is_realized(self):
    """Whether it is storage, or a view of it."""
    return self.base.op is Ops.BUFFER

  # ---- arithmetic, by the tensor that it is the value of

  def as_tensor(self, dtype=None):
    """The tensor of this value: that which `uop` was asked of, or a new one. ArgumentError for a node
    that is no value of a tensor: an effect, a part of a kernel, a gradient of one's own below it."""
    if self._tensor is None:
      from tinygrad_cpp.tensor import Tensor
      self._tensor = Tensor._of_text(str(self))
    return self._tensor if dtype is None else self._tensor.cast(dtype)

  def alu(self, op, *src):
    """An operation by its name in tinygrad."""
    return self.as_tensor().alu(op, *(_value(s) for s in src)).uop

  # ---- graphs that are built

  def replace(self, op=None, src=None, arg=None, dtype=None):
    """The node with another operation, argument, dtype or other sources."""
    return node(self.op if op is None else op, self.arg if arg is None else arg,
                self.src if src is None else src, self._stated(dtype))

  def _stated(self, dtype):
    """The type as it has to be written for operations that state theirs; else none, it follows."""
    if self.op in _EFFECTS:
      return "void"
    if dtype is not None or self.op in _STATES_TYPE:
      extents = _TYPE.match(self.type).group(3)
      return self.type if dtype is None else getattr(dtype, "name", dtype) + (f"[{extents}]" if extents else "")
    return None

  def substitute(self, replacements):
    """The graph with nodes replaced by others."""
    done = {}
    for n in self.toposort():
      new = replacements.get(n)
      if new is None:
        src = tuple(done[s] for s in n.src)
        new = n if all(a is b for a, b in zip(src, n.src)) else n.replace(src=src)
      done[n] = new
    return done[self]

  def store(self, value):
    """The effect of writing a value to the storage that this is a view of."""
    if self.base.op in _VALUES:
      raise ArgumentError(f"store: the target is a value ({self.base.op.value}), no storage. "
                          "Hint: realize() the tensor before, or assign() to it.")
    value = value if isinstance(value, Node) else self.as_tensor().const_like(value).uop
    if value.dtype is not self.dtype:
      value = value.as_tensor().cast(self.dtype).uop
    if value.shape != self.shape:
      value = value.as_tensor().expand(self.shape).uop
    value = value.as_tensor().detach().uop  # what is stored is no part of a gradient
    return node(Ops.STORE, None, (self, value), "void" + self.type[self.type.find(" @"):] * ("@" in self.type))

  def after(self, *effects):
    """This view of storage as it is once the effects have happened. Tensors that named the storage as it
    was before cannot be read any more once they have; `t.uop = t.uop.after(...)` makes t name what is then."""
    effects = tuple(e for effect in effects for e in effect._effects())
    if self.op in _MOVEMENT:
      return self.replace(src=(self.src[0].after(*effects), *self.src[1:]))
    return node(Ops.AFTER, None, (self, *effects), None) if effects else self

  def _effects(self):
    """The stores that it waits for; itself if it is one."""
    if self.op in _EFFECTS:
      return (self,)
    n = self
    while n.op in _MOVEMENT:
      n = n.src[0]
    return n.src[1:] if n.op is Ops.AFTER else ()

  def sink(self, *others, arg=None):
    """A root of several values or effects."""
    return node(Ops.SINK, None, (self, *others), "void")

  def __reduce__(self):
    if any(n.op is Ops.BUFFER for n in self.toposort()):
      return _uop_of, (self.as_tensor(),)
    return _restored, (self.op.value, self.arg, self.src, self.type)

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
    type_text = "" if self.type is None else f" : {self.type}"
    return f"{self.op.value}{arg}{' ' if sources else ''}{', '.join(sources)}{type_text}"

  def __str__(self):
    numbers = {}
    lines = []
    for node in self.toposort():
      lines.append(f"%{len(numbers)} = {node._line([numbers[s] for s in node.src])}")
      numbers[node] = f"%{len(numbers)}"
    return "\n".join(lines)

  def __repr__(self):
    return f"<{self._line([s.op.value for s in self.src])}>"


def _value(x):
  return x.as_tensor() if isinstance(x, Node) else x


def _operator(name):
  def operator(self, *others):
    return getattr(self.as_tensor(), name)(*(_value(o) for o in others)).uop
  return operator


for _name in ("add", "radd", "sub", "rsub", "mul", "rmul", "truediv", "floordiv", "mod", "neg", "pow", "and",
              "or", "xor", "lshift", "rshift", "lt", "gt", "le", "ge", "getitem"):
  setattr(Node, f"__{_name}__", _operator(f"__{_name}__"))


_VALUES = GroupOp.ALU | {Ops.CONTIGUOUS, Ops.CAST, Ops.CONST, Ops.IOTA, Ops.REDUCE, Ops.GATHER, Ops.SCATTER}
_EFFECTS = {Ops.STORE, Ops.END, Ops.SINK, Ops.CALL, Ops.LINEAR}
_STATES_TYPE = {Ops.CONST, Ops.VAR, Ops.IOTA, Ops.BUFFER, Ops.PARAM, Ops.CAST, Ops.BITCAST, Ops.COPY, Ops.RANGE,
                Ops.LOAD, Ops.ALLOC}


def _place_of(base, tensor):
  """What tells storage from other storage: where it is, if the host reaches it."""
  if isinstance(base.device, str) and base.device.split(":")[0] in ("CPU", "INTERP") and base.numel():
    return base.device, _address_of(memoryview(tensor))[0]
  return base.arg


def _uop_of(tensor):
  return tensor.uop


def _restored(op, arg, src, type_text):
  return node(op, arg, tuple(src), type_text)


def node(op, arg, src, type_text=None):
  """The one node of an operation, its argument, sources and type; without a type, what the library says
  that it is. Throws what the library says of a graph that cannot be."""
  op, src = op_named(op), tuple(src)
  if type_text is None:
    from tinygrad_cpp.tensor import Tensor
    new = Node(op, arg, src, "void")
    new.type = None
    return parse(Tensor._of_text(str(new))._graph())
  key = (op, arg, src, type_text)
  found = _nodes.get(key)
  if found is None:
    found = _nodes[key] = Node(op, arg, src, type_text)
  return found


def _parsed(line, graph):
  match = _LINE.match(line)
  if match is None:
    raise ValueError(f"no node of a graph: {line!r}")
  _, op, arg, sources, type_text, rest = match.groups()
  return node(op, arg, (graph[int(s)] for s in re.findall(r"%(\d+)", sources)), type_text + rest)


def parse(text):
  """The node of the last line."""
  graph = []
  for line in text.splitlines():
    graph.append(_parsed(line, graph))
  return graph[-1]
