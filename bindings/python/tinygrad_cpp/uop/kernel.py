"""Kernels written as nodes (Tensor.custom_kernel): ranges, elements of arrays at places, stores.

  def double(C, A):
    i = UOp.range(A.numel(), 0)
    return C.flatten()[i].store(A.flatten()[i] * 2.0).end(i).sink(arg=KernelInfo("double"))

  c = Tensor.custom_kernel(Tensor.empty(4), a, fxn=double)[0]

What the kernel says for each value of its ranges is said of all of them at once, in functions of tensors:
a range is an axis, an element at a place an index, a store a scatter. So it is fused and scheduled as
everything else, on every device; and every element is read as it was before the kernel, which is why
there is no `after` between its parts. The graphs of tensors: graph.py."""
import math

from tinygrad_cpp.dtype import dtypes
from tinygrad_cpp.uop.names import Ops, op_named

_BINARY = {"add": "__add__", "sub": "__sub__", "mul": "__mul__", "truediv": "__truediv__",
           "floordiv": "__floordiv__", "mod": "__mod__", "and": "__and__", "or": "__or__",
           "xor": "__xor__", "lshift": "__lshift__", "rshift": "__rshift__", "lt": "__lt__",
           "le": "__le__", "gt": "__gt__", "ge": "__ge__", "ne": "ne", "eq": "eq", "pow": "__pow__"}


class Expression:
  """A number of a kernel, for each value of its ranges."""
  src = ()

  def ranges(self):
    """The ranges that it depends on, in order of their numbers."""
    inner = {r for s in self.src if isinstance(s, Expression) for r in s.ranges()}
    return sorted(inner, key=lambda r: r.axis_id)

  def alu(self, op, *src):
    """An operation by its name in tinygrad, as of a tensor."""
    return Operation(lambda x, *others: x.alu(op_named(op), *others), self, *src)

  def cast(self, dtype):
    """The number as another dtype."""
    return Operation(lambda x: x.cast(dtype), self)

  def where(self, a, b):
    """One number or the other."""
    return Operation(lambda c, x, y: c.where(x, y), self, a, b)

  def maximum(self, other):
    """The larger of two."""
    return Operation(lambda a, b: a.maximum(b), self, other)

  def reduce(self, *ranges, arg=Ops.ADD):
    """Summed, multiplied or maximised over ranges, which end with that."""
    return Reduction(self, ranges, arg)

  def __getattr__(self, name):
    from tinygrad_cpp.tensor import Tensor
    if name.startswith("_") or not callable(getattr(Tensor, name, None)):
      raise AttributeError(name)
    return lambda *args: Operation(lambda x: getattr(x, name)(*args), self)


def _operators():
  def operator(name, swaps):
    def apply(self, other):
      pair = (other, self) if swaps else (self, other)
      return Operation(lambda a, b: getattr(a, name)(b), *pair)
    return apply
  for short, name in _BINARY.items():
    if short not in ("ne", "eq"):
      setattr(Expression, f"__{short}__", operator(name, False))
    if short in ("add", "sub", "mul", "truediv", "floordiv", "mod", "and", "or", "xor", "pow"):
      setattr(Expression, f"__r{short}__", operator(name, True))
    setattr(Expression, short, operator(name, False))
  Expression.__neg__ = lambda self: Operation(lambda x: -x, self)


class Operation(Expression):
  """A function of tensors of numbers of the kernel."""

  def __init__(self, function, *src):
    self.function, self.src = function, src


class Range(Expression):
  """Runs from 0 to its extent - 1."""

  def __init__(self, extent, axis_id):
    self.extent, self.axis_id = int(extent), axis_id

  def ranges(self):
    return [self]

  @property
  def vmax(self):
    return self.extent - 1


class Reduction(Expression):
  """A number over all values of some ranges."""

  def __init__(self, value, over, op):
    self.src, self.over, self.op = (value,), tuple(over), op_named(op)

  def all_ranges(self):
    return self.src[0].ranges()

  def ranges(self):
    return [r for r in self.all_ranges() if r not in self.over]


class Array:
  """An argument of the kernel, seen in some shape."""

  def __init__(self, slot, shape, dtype, device):
    self.slot, self.shape, self.dtype, self.device = slot, tuple(shape), dtype, device

  @property
  def base(self):
    return self

  @property
  def ndim(self):
    return len(self.shape)

  def numel(self):
    """Number of elements."""
    return math.prod(self.shape)

  def reshape(self, *shape):
    """The same elements, row-major, in another shape."""
    shape = shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape
    if math.prod(shape) != self.numel():
      raise ValueError(f"custom_kernel: {self.shape} cannot be seen as {tuple(shape)}")
    return Array(self.slot, shape, self.dtype, self.device)

  def flatten(self):
    """All elements in a row."""
    return self.reshape(self.numel())

  def __getitem__(self, places):
    places = places if isinstance(places, tuple) else (places,)
    if len(places) != self.ndim:
      raise ValueError(f"custom_kernel: {len(places)} places name no element of {self.shape}. Hint: flatten().")
    return Element(self, places)

  def after(self, *_):
    raise NotImplementedError("custom_kernel: a kernel reads what was there before it: there is no after")


class Element(Expression):
  """The element of an array at a place."""

  def __init__(self, array, places):
    self.array, self.src = array, places

  def load(self):
    """The number there."""
    return self

  def store(self, value):
    """The effect of putting a number there."""
    return Effects(((self, value),))

  set = store

  def is_whole_array(self):
    """Whether its ranges go through the array, each element once."""
    return len(set(map(id, self.src))) == len(self.src) and all(
      isinstance(p, Range) and p.extent == n for p, n in zip(self.src, self.array.shape))

  def flat(self):
    """The place in row-major order."""
    place, step = 0, 1
    for p, n in zip(reversed(self.src), reversed(self.array.shape)):
      place, step = p * step + place, step * n
    return place


class Effects:
  """Stores, in order."""
  op = Ops.SINK

  def __init__(self, stores, arg=None):
    self.stores, self.arg = tuple(stores), arg

  def end(self, *_):
    """The ranges end here."""
    return self

  def sink(self, *others, arg=None):
    """The whole kernel."""
    return sink((self, *others), arg)

  def simplify(self):
    """The same: expressions are simplified as those of tensors are."""
    return self


_operators()


def group(effects):
  """Several effects as one."""
  if not all(isinstance(e, Effects) for e in effects):
    raise NotImplementedError("custom_kernel: a kernel is made of stores to elements of its arguments")
  return Effects(s for e in effects for s in e.stores)


def sink(effects, arg=None):
  """A kernel of these effects."""
  whole = group(effects)
  whole.arg = arg
  return whole


class _Evaluation:
  """What expressions are with arrays of tensors: an axis for each range."""

  def __init__(self, arrays):
    self.arrays, self.known = arrays, {}

  def along(self, tensor, own, ranges):
    """A tensor whose axes are the ranges `own` as one whose axes are `ranges`."""
    order = [own.index(r) for r in ranges if r in own]
    return tensor.permute(order).reshape([r.extent if r in own else 1 for r in ranges])

  def value(self, x, ranges):
    """Of shape [extent or 1, ...], an axis for each range; numbers stay numbers."""
    from tinygrad_cpp.tensor import Tensor
    if not isinstance(x, Expression):
      return x
    if isinstance(x, Range):
      return self.along(Tensor.arange(x.extent), [x], ranges)
    if isinstance(x, Element):
      return self.element(x, ranges)
    if isinstance(x, Reduction):
      inner = [*ranges, *(r for r in x.all_ranges() if r not in ranges)]
      value = self.value(x.src[0], inner)
      value = value.expand([r.extent if r in x.over else n for r, n in zip(inner, value.shape)])
      axes = [inner.index(r) for r in x.over]
      reduced = getattr(value, {Ops.ADD: "sum", Ops.MUL: "prod", Ops.MAX: "max"}[x.op])(axes, keepdim=True)
      return reduced.reshape([reduced.shape[k] for k in range(len(ranges))]).cast(value.dtype)
    values = [self.value(s, ranges) for s in x.src]
    if not isinstance(values[0], Tensor):
      values[0] = Tensor(values[0])
    return x.function(*values)

  def element(self, x, ranges):
    array = self.arrays[x.array.slot]
    if x.is_whole_array():
      return self.along(array.reshape(x.array.shape), list(x.src), ranges)
    return array.flatten()[self.places(x, ranges)]

  def places(self, x, ranges):
    from tinygrad_cpp.tensor import Tensor
    flat = self.value(x.flat(), ranges)
    if isinstance(flat, Tensor):
      return flat.cast(dtypes.int32)
    return Tensor.full((1,) * len(ranges), flat, dtype=dtypes.int32)

  def stored(self, x, value):
    """The array with the value at the places that the element goes through."""
    array = self.arrays[x.array.slot]
    ranges = x.ranges()
    if isinstance(value, Expression) and any(r not in ranges for r in value.ranges()):
      raise NotImplementedError("custom_kernel: a value that depends on a range which its place does not")
    shape = [r.extent for r in ranges]
    new = self.value(value, ranges)
    new = (array.const_like(new).flatten()[0] if not hasattr(new, "expand") else new.cast(array.dtype)).expand(shape)
    if x.is_whole_array():
      order = [ranges.index(r) for r in x.src]
      return new.permute(order).reshape(array.shape)
    places = self.places(x, ranges).expand(shape).reshape(-1)
    return array.flatten().scatter(0, places, new.reshape(-1)).reshape(array.shape)


def run(fxn, tensors):
  """{place of an argument: what it is after the kernel} of those that the kernel writes."""
  if any(isinstance(t.device, tuple) for t in tensors):
    raise NotImplementedError("custom_kernel: arguments on one device, not split between several")
  kernel = fxn(*(Array(k, t.shape, t.dtype, t.device) for k, t in enumerate(tensors)))
  if not isinstance(kernel, Effects):
    raise NotImplementedError("custom_kernel: a kernel is a sink of stores to elements of its arguments")
  before, after = _Evaluation(list(tensors)), {}
  for element, value in kernel.stores:
    slot = element.array.slot
    before.arrays[slot] = after.get(slot, tensors[slot])
    after[slot] = before.stored(element, value)
    before.arrays[slot] = tensors[slot]
  return after


def custom_kernel(tensors, fxn, grad_fxn=None):
  """The arguments after a kernel. Without a gradient it writes into their storage; with one the results
  are new values, differentiated by grad_fxn(gradient of each that has one..., call)."""
  if grad_fxn is None:
    after = run(fxn, tensors)
    return [t.assign(after[k]) if k in after else t for k, t in enumerate(tensors)]
  return _differentiable(tensors, fxn, grad_fxn)


def _differentiable(tensors, fxn, grad_fxn):
  from tinygrad_cpp.function import results_with_gradient
  after = run(fxn, tensors)
  written = sorted(after)
  results = results_with_gradient(lambda *_: [after[k] for k in written], grad_fxn, tensors)
  made = dict(zip(written, results))
  return [made[k].reshape(t.shape).cast(t.dtype) if k in made else t for k, t in enumerate(tensors)]
