"""Picking, putting and ordering elements."""


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
  """Mixin: scatter, sorting."""
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

  # ---- order

  def topk(self, k, dim=-1, largest=True, sorted_=True):
    """(the k largest or smallest along an axis, in order; their places)"""
    if not sorted_:
      raise NotImplementedError("topk: only in order (sorted_=True)")
    return self._topk(k, dim, largest)
