"""Shapes: views, joins and pieces in tinygrad's spellings."""
from tinygrad_cpp import _core
from tinygrad_cpp.dtype import dtypes, least_upper_dtype
from tinygrad_cpp.helpers import all_int, argfix, make_tuple, prod
from tinygrad_cpp.uop import graph


def _same_sizes(self, sizes):
  """Sizes where None stands for that of the axis."""
  return tuple(self.shape[i] if s is None else s for i, s in enumerate(argfix(*sizes)))


def _kept(sizes):
  """Sizes where -1, which keeps that of the axis, stands for None."""
  return tuple(-1 if s is None else s for s in argfix(*sizes))


class Movement:
  """Mixin: everything that changes the shape and no value."""
  __slots__ = ()

  def numel(self):
    """Number of elements, an expression if a size is one."""
    return prod(self.shape)

  def max_numel(self):
    """Number of elements when variable sizes are the largest."""
    return prod(self.max_shape)

  @property
  def T(self):
    """The first two axes swapped."""
    return self.transpose()

  @property
  def uop(self):
    """The operation that its value comes from, with all below it: see tinygrad_cpp.uop.graph."""
    node = graph.parse(self._graph())
    if node._tensor is None:
      node._tensor = self
    if isinstance(self.device, tuple):
      axis = self._shard_axis()
      node.placed(self.device, None if axis < 0 else axis)
    if not all_int(self.shape):
      node.sized(self.shape)
    return node

  @uop.setter
  def uop(self, node):
    _core.replace(self, node.as_tensor())

  def _pool(self, k_, stride=1, dilation=1):
    """Windows of the last axes, one for each number of `k_`: [..., windows of each axis, kernel]."""
    axes = range(self.ndim - len(k_), self.ndim)
    x = self
    for axis, k, step, far in zip(axes, k_, make_tuple(stride, len(k_)), make_tuple(dilation, len(k_))):
      x = x.unfold(axis, far * (k - 1) + 1, step)
      x = x[..., ::far] if far != 1 else x
    return x

  def schedule_linear(self, *lst):
    """The kernels that realize would run, as nodes; run_linear (engine.realize) runs them."""
    import tinygrad_cpp.uop.schedule as schedule
    return schedule.linear_of((self, *lst), self._kernels([self, *lst]))

  def linear_with_vars(self, *lst):
    """(the same, the values of its variables by name)"""
    import tinygrad_cpp.uop.schedule as schedule
    return self.schedule_linear(*lst), schedule.variables_of((self, *lst))

  def size(self, dim=None):
    """The shape, or the size of one axis."""
    return self.shape if dim is None else self.shape[dim]

  def _resolve(self, dim, more=0):
    """The axis counted from the front. IndexError if there is none."""
    ndim = self.ndim + more
    if not -max(ndim, 1) <= dim < max(ndim, 1):
      raise IndexError(f"dim {dim} is outside [{-max(ndim, 1)}, {max(ndim, 1) - 1}]")
    return dim + ndim if dim < 0 else dim

  def _reshape_any(self, *sizes, **named):
    return self._reshape(_same_sizes(self, sizes or (named["shape"],)))

  def _expand_any(self, *sizes, **named):
    return self._expand(_same_sizes(self, sizes or (named["shape"],)))

  def shrink(self, arg):
    """A window: (begin, end) of each axis, None for all of it."""
    ranges = tuple((0, s) if a is None else a for a, s in zip(arg, self.shape, strict=True))
    if all(isinstance(end, int) for pair in ranges for end in pair):
      return self._shrink(ranges)
    return self[tuple(slice(None) if a is None else slice(*a) for a in arg)]

  def flip(self, axis, *more):
    """The elements along the axes in reverse; flip(()) changes nothing."""
    axes = argfix(axis, *more)
    return self._flip(axes) if axes else self

  def _shrink_to_any(self, *shape):
    return self._shrink_to(_kept(shape))

  def _pad_to_any(self, *shape, value=0):
    return self._pad_to(_kept(shape), value=value)

  def _pad_pairs(self, padding):
    """Pairs for each axis, of a flat list (last axis first) or of pairs."""
    if not any(isinstance(p, (tuple, list)) for p in padding) and not (
        padding and all(p is None for p in padding)):
      if len(padding) % 2 or len(padding) > 2 * self.ndim:
        raise ValueError(f"pad: {len(padding)} numbers do not fit {self.ndim} axes")
      pairs = [tuple(padding[i:i + 2]) for i in range(0, len(padding), 2)][::-1]
      return [(0, 0)] * (self.ndim - len(pairs)) + pairs
    if len(padding) != self.ndim:
      raise ValueError(f"pad: {len(padding)} pairs do not fit {self.ndim} axes")
    return [(0, 0) if p is None else tuple(p) for p in padding]

  def pad(self, padding, mode="constant", value=0.0):
    """A border: of a value, or continued ('reflect', 'replicate', 'circular'). The padding is a
    pair for each axis, or numbers from the last axis on; negative ones crop."""
    if mode not in ("constant", "reflect", "replicate", "circular"):
      raise NotImplementedError(f"pad: there is no mode {mode!r}")
    pairs = self._pad_pairs(tuple(padding))
    if mode == "constant" and not all(isinstance(n, int) for pair in pairs for n in pair):
      return self._for_value(value)._pad_by_sizes(pairs, value)
    if mode == "constant":
      return self._for_value(value)._pad(pairs, value)
    return self._pad(pairs, mode=("reflect", "replicate", "circular").index(mode))

  def _pad_by_sizes(self, pairs, value):
    """pad where a border is a variable: each place of the result asks whether it has an element."""
    x = self
    for axis, (before, after) in enumerate(pairs):
      if isinstance(before, int) and isinstance(after, int) and isinstance(x.shape[axis], int):
        border = [(0, 0)] * x.ndim
        border[axis] = (before, after)
        x = x._pad(border, value) if before or after else x
        continue
      n = x.shape[axis]
      total = before + n + after
      place = type(self).arange(total) - before
      inside = (place >= 0) & (place < n)
      index = [slice(None)] * x.ndim
      index[axis] = inside.where(place, 0)
      shape = [total if a == axis else 1 for a in range(x.ndim)]
      x = inside.reshape(shape).where(x[tuple(index)], value)
    return x

  def tril(self, diagonal=0):
    """The elements up to a diagonal of the last two axes, 0 above it."""
    return self._tril(diagonal) if self._is_plain(diagonal) else self._triangle(diagonal, True)

  def triu(self, diagonal=0):
    """The elements from a diagonal of the last two axes on, 0 below it."""
    return self._triu(diagonal) if self._is_plain(diagonal) else self._triangle(diagonal, False)

  def _is_plain(self, diagonal):
    return isinstance(diagonal, int) and all(isinstance(n, int) for n in self.shape[-2:])

  def _triangle(self, diagonal, lower):
    rows, columns = (type(self).arange(n) for n in self.shape[-2:])
    above = columns.unsqueeze(0) - rows.unsqueeze(1) - diagonal
    return (above <= 0 if lower else above >= 0).where(self, 0)

  def _for_value(self, value):
    """This tensor in the dtype in which it meets a number."""
    if not isinstance(value, (bool, int, float)):
      return self
    meets = least_upper_dtype(self.dtype, dtypes.from_py(value))
    return self if meets is self.dtype else self.cast(meets)

  def split(self, sizes, dim=0):
    """Pieces along an axis: of one size, or of the listed ones."""
    dim = self._resolve(dim)
    n = self.shape[dim]
    if isinstance(sizes, int):
      if sizes < 1:
        raise ValueError(f"split: pieces of {sizes}")
      sizes = [min(sizes, n - i) for i in range(0, max(n, 1), sizes)]
    if sum(sizes) != n:
      raise ValueError(f"split: {list(sizes)} do not add up to {n}")
    pieces, begin = [], 0
    for size in sizes:
      window = [None] * self.ndim
      window[dim] = (begin, begin + size)
      pieces.append(self.shrink(tuple(window)))
      begin += size
    return tuple(pieces)

  def roll(self, shifts, dims=None):
    """Shifted circularly along axes; without axes, the flattened tensor."""
    shifts = (shifts,) if isinstance(shifts, int) else tuple(shifts)
    if dims is None:
      return self.flatten().roll(shifts, 0).reshape(self.shape)
    dims = (dims,) if isinstance(dims, int) else tuple(dims)
    if len(shifts) != len(dims):
      raise RuntimeError(f"roll: {len(shifts)} shifts for {len(dims)} axes")
    result = self
    for shift, dim in zip(shifts, dims):
      result = result._roll(shift, dim)
    return result

  def diagonal(self, offset=0, dim1=0, dim2=1):
    """The diagonal of two axes, `offset` above (below if negative), as a new last axis."""
    dim1, dim2 = self._resolve(dim1), self._resolve(dim2)
    if dim1 == dim2:
      raise RuntimeError("diagonal: the axes are the same")
    x = self.permute([i for i in range(self.ndim) if i not in (dim1, dim2)] + [dim1, dim2])
    rows, columns = x.shape[-2:]
    x = x.shrink((None,) * (x.ndim - 2) + (
      (min(max(-offset, 0), rows), rows), (min(max(offset, 0), columns), columns)))
    n = min(x.shape[-2:])
    x = x.shrink_to(*x.shape[:-2], n, n)
    lead = x.shape[:-2]
    if n == 0:
      return x.reshape(*lead, 0)
    rows = x.flatten(-2).pad((None,) * len(lead) + ((0, n),)).reshape(*lead, n, n + 1)
    return rows[..., 0]

  def rearrange(self, formula, **sizes):
    """einops' rearrange: 'b (h w) c -> b c h w', with the sizes that cannot be inferred."""
    return self._rearrange(formula.replace("…", "...") + "".join(f", {name}={size}" for name, size in sizes.items()))
