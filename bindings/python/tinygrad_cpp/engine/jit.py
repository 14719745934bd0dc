"""TinyJit: a function whose calls are recorded once and then replayed.

The first call runs the function, the second records it, later ones replay what was recorded on the
new tensors. Numbers, shapes and everything else of the host are as they were in the second call.
"""
import functools
import sys
import types

from tinygrad_cpp import _core
from tinygrad_cpp.errors import JitError
from tinygrad_cpp.helpers import CONTEXT

_LEAVES = (_core.Tensor, _core.Size, int, float)


def _flatten(value, leaves, collect):
  """The form of a value, with a mark where a leaf stood; the leaves go into the list."""
  if isinstance(value, collect):
    leaves.append(value)
    return _LEAF
  if isinstance(value, (list, tuple)):
    return type(value), tuple(_flatten(v, leaves, collect) for v in value)
  if isinstance(value, dict):
    return dict, tuple((k, _flatten(v, leaves, collect)) for k, v in value.items())
  return _Other(value)


def _rebuild(form, leaves):
  """The value of a form, with the next leaves."""
  if form is _LEAF:
    return next(leaves)
  if isinstance(form, _Other):
    return form.value
  kind, parts = form
  if kind is dict:
    return {k: _rebuild(v, leaves) for k, v in parts}
  if hasattr(kind, "_fields"):
    return kind(*(_rebuild(v, leaves) for v in parts))
  return kind(_rebuild(v, leaves) for v in parts)


class _Leaf:
  """Stands where a leaf was."""


_LEAF = _Leaf()


class _Other:
  """A value that is the same in every call, or the call is another one."""

  def __init__(self, value):
    self.value = value

  def __eq__(self, other):
    return isinstance(other, _Other) and _is_same(self.value, other.value, set())

  __hash__ = None


def _is_same(a, b, compared):
  """Whether two values are one object, equal, or objects of a class that consist of the same values."""
  if a is b or (id(a), id(b)) in compared:
    return True
  if type(a) is not type(b):
    return False
  compared.add((id(a), id(b)))
  if isinstance(a, (list, tuple)):
    return len(a) == len(b) and all(_is_same(x, y, compared) for x, y in zip(a, b))
  if isinstance(a, dict):
    return a.keys() == b.keys() and all(_is_same(a[k], b[k], compared) for k in a)
  if isinstance(a, _core.Tensor):
    return False
  try:
    if bool(a == b):
      return True
  except (TypeError, ValueError):
    return False
  parts = getattr(a, "__dict__", None)
  return bool(parts) and _is_same(parts, b.__dict__, compared)


def _is_named(fxn):
  """Whether pickle finds the function by its name."""
  found = sys.modules.get(getattr(fxn, "__module__", None))
  for part in getattr(fxn, "__qualname__", "<").split("."):
    found = getattr(found, part, None)
  return found is fxn or not isinstance(fxn, types.FunctionType)


def _restored(fxn, parts):
  return TinyJit(fxn if parts is None else types.FunctionType(*parts))


class TinyJit(_core.Jit):
  """Captures a function, also as a decorator, also of methods.

  Arguments: tensors, numbers, bound variables, lists, tuples and dicts of those; other objects have
  to be the same in every call, or made of the same parts. Results: tensors in any such form, or None; they are computed."""

  def __new__(cls, fxn=None, **options):
    return super().__new__(cls)

  def __init__(self, fxn, captured=None, prune=False, optimize=False):
    if fxn is None:
      raise TypeError("TinyJit: expected a function")
    self.fxn = fxn
    self._form = None      # of the arguments of the call that runs; None: leaves by position
    self._result = None    # form of the recorded results
    self._recorded = None  # form of the recorded arguments
    self._bound = None     # a TinyJit for each object whose method is captured
    functools.update_wrapper(self, fxn, updated=())

  def __reduce__(self):
    """Of pickle: the function, by its name or with its code; the copy captures in its own first calls."""
    from tinygrad_cpp.uop.patterns import deconstruct_function
    return _restored, (self.fxn if _is_named(self.fxn) else None,
                       None if _is_named(self.fxn) else deconstruct_function(self.fxn))

  def __get__(self, obj, owner=None):
    if obj is None:
      return self
    return functools.partial(self.__call__, obj)

  @property
  def captured(self) -> bool:
    """Whether calls are replayed."""
    return self.stats()["captured"]

  @property
  def cnt(self) -> int:
    """0 before the first call, 1 before the recording one, then 2."""
    return 2 if self.captured else 0 if self._recorded is None else 1

  def reset(self):
    """Forgets the recording: the next call is a first one."""
    self._result = self._recorded = None
    super().reset()

  def _run(self, leaves):
    """Called by the library where the function itself has to run; gives the list of tensors."""
    iterator = iter(leaves)
    if self._form is None:
      args, kwargs = leaves, {}
    else:
      args, kwargs = _rebuild(self._form, iterator)
    tensors = []
    self._result = _flatten(self.fxn(*args, **kwargs), tensors, _core.Tensor)
    return tensors

  def _call_any(self, args, kwargs):
    """A call that is not made of leaves alone, or whose results are not known to be one tensor."""
    if not CONTEXT["JIT"].value:  # JIT=0 records nothing
      return self.fxn(*args, **kwargs)
    leaves = []
    form = _flatten((args, dict(sorted(kwargs.items()))), leaves, _LEAVES)
    if self.captured and form != self._recorded:
      raise JitError("TinyJit: the arguments have another form than those of the recorded call")
    self._recorded = form
    self._form = form
    try:
      tensors = self._call_leaves(tuple(leaves))
    finally:
      self._form = None
    if not tensors and self.captured and not self.stats()["kernels"]:
      self.reset()
      raise JitError("TinyJit: the function computed nothing. Hint: realize() what it is to compute.")
    plain = not kwargs and len(leaves) == len(args) and all(isinstance(a, _LEAVES) for a in args)
    self._plain_results = plain and self._result is _LEAF and self.captured
    return _rebuild(self._result, iter(tensors))
