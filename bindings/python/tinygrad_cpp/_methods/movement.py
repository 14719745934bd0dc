"""Shapes: views, joins and pieces in tinygrad's spellings."""
from tinygrad_cpp.helpers import argfix, prod
from tinygrad_cpp.uop import graph


def _class():
  from tinygrad_cpp.tensor import Tensor
  return Tensor


def _same_sizes(self, sizes):
  """Sizes where None stands for that of the axis."""
  return tuple(self.shape[i] if s is None else s for i, s in enumerate(argfix(*sizes)))


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
    """The first two axes exchanged."""
    return self.transpose()

  @property
  def uop(self):
    """The operation that its value comes from, with all below it: see tinygrad_cpp.uop.graph."""
    return graph.parse(self._graph())

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

  def shrink_to(self, *shape):
    """The beginning of each axis."""
    sizes = argfix(*shape)
    return self.shrink(tuple(None if s is None else (0, s) for s in sizes))

  def _pad_pairs(self, padding):
    """Pairs for each axis, of a flat list (last axis first) or of pairs."""
    if all(isinstance(p, (int, type(None))) for p in padding) and not (
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
    if mode == "constant":
      return self._pad(pairs, value)
    return self._pad(pairs, mode=("reflect", "replicate", "circular").index(mode))

  def pad_to(self, *shape, value=0):
    """A border at the ends of the axes up to these sizes."""
    sizes = argfix(*shape)
    return self.pad(tuple((0, 0 if n is None else n - s) for n, s in zip(sizes, self.shape,
                                                                        strict=True)), value=value)

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

  def repeat_interleave(self, repeats, dim=None):
    """Each element several times; without an axis, of the flattened tensor."""
    x, dim = (self.flatten(), 0) if dim is None else (self, self._resolve(dim))
    shape = x.shape
    x = x.unsqueeze(dim + 1).expand(*shape[:dim + 1], repeats, *shape[dim + 1:])
    return x.reshape(*shape[:dim], shape[dim] * repeats, *shape[dim + 1:])

  def unfold(self, dim, size, step):
    """Windows of `size` along an axis, `step` apart, as a new last axis."""
    dim = self._resolve(dim)
    n = self.shape[dim]
    if size > n or size < 0 or step < 1:
      raise RuntimeError(f"unfold: windows of {size}, {step} apart, of an axis of {n}")
    T = _class()
    count = (n - size) // step + 1
    places = (T.arange(count, device=self.device).unsqueeze(1) * step +
              T.arange(size, device=self.device).unsqueeze(0))
    picked = self[(slice(None),) * dim + (places,)]
    order = [i for i in range(picked.ndim) if i != dim + 1] + [dim + 1]
    return picked.permute(order)

  def diag(self):
    """A vector on the diagonal of a matrix."""
    if self.ndim != 1:
      raise ValueError(f"diag: expected a vector, got {self.shape}")
    n = self.shape[0]
    return self.unsqueeze(-1).pad((None, (0, n))).flatten().shrink(((0, n * n),)).reshape(n, n)

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
    from tinygrad_cpp._methods.formula import rearrange
    return rearrange(self, formula, sizes)
