"""Picking, putting, ordering and resampling elements."""
import math

from tinygrad_cpp.dtype import dtypes


def _class():
  from tinygrad_cpp.tensor import Tensor
  return Tensor


def _values_for(self, function, index, src):
  """What a scatter puts at the places of the index: the part of src that is as large."""
  if not isinstance(src, _class()):
    return _class().full(index.shape, src, dtype=self.dtype, device=self.device, buffer=False)
  if src.dtype != self.dtype:
    raise RuntimeError(f"{function}: src must have this dtype: {src.dtype} and {self.dtype}. Hint: src.cast.")
  if src.ndim != index.ndim or any(s < i for s, i in zip(src.shape, index.shape)):
    raise RuntimeError(f"{function}: src must reach as far as index: {src.shape} and {index.shape}")
  return src if src.shape == index.shape else src.shrink_to(*index.shape)


class Indexing:
  """Mixin: gather and scatter, masks, sorting, interpolation."""
  __slots__ = ()

  # ---- scatter

  def scatter(self, dim, index, src, reduce=None):
    """A copy with src[p] put at index[p] along an axis; 'add' and 'multiply' combine it with what is
    there."""
    if reduce not in (None, "add", "multiply"):
      raise TypeError(f"scatter: reduce is None, 'add' or 'multiply', not {reduce!r}")
    if reduce is not None and isinstance(src, _class()):
      raise TypeError("scatter: with reduce, src is a number. Hint: scatter_reduce takes a tensor.")
    src = _values_for(self, "scatter", index, src)
    if reduce == "multiply":
      return self.scatter_reduce(dim, index, src, "prod")
    return (self._scatter_add if reduce == "add" else self._scatter)(dim, index, src)

  def scatter_reduce(self, dim, index, src, reduce, include_self=True):
    """What src puts at each place reduced by 'sum', 'prod', 'mean', 'amax' or 'amin', together with
    what is there or without it."""
    names = {"sum": "Sum", "prod": "Prod", "mean": "Mean", "amax": "Max", "amin": "Min"}
    if reduce not in names:
      raise RuntimeError(f"scatter_reduce: there is no reduction {reduce!r}")
    return self._scatter_reduce(dim, index, _values_for(self, "scatter_reduce", index, src), names[reduce], include_self)

  def nonzero(self, size=None, fill_value=0):
    """The places of elements that are not 0, a row each: [number, axes]. With a size, so many rows,
    the rest filled."""
    T = _class()
    chosen = (self != 0).flatten()
    flat = T.arange(chosen.shape[0], device=self.device).masked_select(chosen, size=size, fill_value=-1)
    columns, step = [], 1
    for extent in reversed(self.shape):
      columns.append((flat // step) % extent)
      step *= extent
    if not columns:
      return T.zeros(flat.shape[0], 0, dtype=dtypes.int32, device=self.device)
    rows = T.stack(*reversed(columns), dim=1)
    return rows if size is None else (flat >= 0).unsqueeze(1).where(rows, int(fill_value))

  # ---- order

  def topk(self, k, dim=-1, largest=True, sorted_=True):
    """(the k largest or smallest along an axis, in order; their places)"""
    if not sorted_:
      raise NotImplementedError("topk: only in order (sorted_=True)")
    return self._topk(k, dim, largest)

  # ---- resampling

  def interpolate(self, size, mode="linear", align_corners=False):
    """The last axes in other sizes: 'linear' (of any number of axes), 'nearest' or 'nearest-exact'."""
    if mode not in ("linear", "nearest", "nearest-exact") or not 0 < len(size) <= self.ndim:
      raise ValueError(f"interpolate: size {size}, mode {mode!r} for {self.ndim} axes")
    if align_corners and mode != "linear":
      raise ValueError("interpolate: align_corners goes with 'linear' only")
    x = self
    for axis, new in zip(range(self.ndim - 1, -1, -1), reversed(size)):
      if mode == "linear":
        x = x._resample_linear(axis, new, align_corners)
      else:
        x = x._resample_nearest(axis, new, mode)
    return x if mode != "linear" or self.is_floating_point() else x.cast(self.dtype)

  def _resample_nearest(self, axis, new, mode):
    T, old = _class(), self.shape[axis]
    if mode == "nearest":
      places = (T.arange(new, device=self.device) * old) // new
    else:
      at = T.arange(new, dtype=dtypes.float32, device=self.device)
      places = ((at + 0.5) * (old / new)).floor().cast(dtypes.int32).minimum(old - 1)
    return self[(slice(None),) * axis + (places,)]

  def _resample_linear(self, axis, new, align_corners):
    # Result i lies at (i * step + first) / parts. Whole numbers say between which elements, so that
    # the compiler sees how they are walked, there and back; a border stands for the neighbour that
    # an end lacks.
    T, old = _class(), self.shape[axis]
    if align_corners:
      step, first, parts = old - 1, 0, max(new - 1, 1)
    else:
      step, first, parts = 2 * old, old - new, max(2 * new, 1)
    common = math.gcd(step, first, parts)
    step, first, parts = step // common, first // common, parts // common
    last = (first + (new - 1) * step) // parts
    ends = (int(first < 0), int(last + 1 >= old))
    whole = dtypes.int32 if new * step + parts < 2**31 else dtypes.int64
    at = T.arange(new, dtype=whole, device=self.device) * step + (first + ends[0] * parts)
    left, weight = at // parts, (at % parts).cast(dtypes.float32) / parts
    shape = [1] * self.ndim
    shape[axis] = new
    border = [None] * self.ndim
    border[axis] = ends
    is_float = self.is_floating_point()
    x = self.pad(tuple(border), mode="constant" if is_float else "replicate")
    low, high = (x[(slice(None),) * axis + (place,)] for place in (left, left + 1))
    if self.dtype == dtypes.uint8:  # rounded after every axis, with weights of 7 bits, as images are
      low, high = low.cast(dtypes.int32), high.cast(dtypes.int32)
      steps = (weight * 128 + 0.5).cast(dtypes.int32).reshape(shape)
      return (low + (((high - low) * steps + 64) >> 7)).cast(dtypes.uint8)
    if not is_float:
      return low.lerp(high, weight.reshape(shape))
    before, behind = left < ends[0], left >= old - 1 + ends[0]
    of_low = before.where(0.0, behind.where(1.0, 1 - weight))
    of_high = before.where(1.0, behind.where(0.0, weight))
    return low * of_low.reshape(shape) + high * of_high.reshape(shape)
