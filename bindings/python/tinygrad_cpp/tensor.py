"""Tensor: tinygrad's class over the functions of the library.

The functions that need nothing but their arguments are native (`_functions.py` lists them); those
that tinygrad calls another way, or composes, are in `_methods`. This file is the class itself:
construction, operators, data in and out, gradients, devices.
"""
import os
import pickle
from typing import cast  # noqa: F401 (programs take it from here)

from tinygrad_cpp import _core
from tinygrad_cpp._functions import METHODS, STATICS
from tinygrad_cpp._methods.algebra import Algebra
from tinygrad_cpp._methods.arithmetic import Arithmetic
from tinygrad_cpp._methods.creation import Creation
from tinygrad_cpp._methods.indexing import Indexing
from tinygrad_cpp._methods.missing import REASONS, unsupported
from tinygrad_cpp._methods.movement import Movement
from tinygrad_cpp._methods.network import Network
from tinygrad_cpp.codegen import opt
from tinygrad_cpp.device import Device, device_name
from tinygrad_cpp.dtype import _to_np_dtype, dtypes
from tinygrad_cpp.errors import ArgumentError, DTypeError
from tinygrad_cpp.helpers import CONTEXT, Context
from tinygrad_cpp.uop import graph
from tinygrad_cpp.uop.ops import Variable


class _Disk:
  """tinygrad_cpp.disk, read when a file is first a tensor."""

  def __getattr__(self, name):
    import tinygrad_cpp.disk
    globals()["disk"] = tinygrad_cpp.disk
    return getattr(tinygrad_cpp.disk, name)


disk = _Disk()


_ALL = slice(None)


class TensorClass(type):
  """So that `Tensor.training` and `Tensor.no_grad` can be read and set, as older programs do, and the
  seed of random numbers read."""
  _seed_given = None

  @property
  def _seed(cls) -> int:
    given = cls._seed_given
    return int(_core.get_option("SEED")) if given is None else given

  @_seed.setter
  def _seed(cls, seed) -> None:
    type(cls)._seed_given = seed

  @property
  def training(cls) -> bool:
    return bool(CONTEXT["TRAINING"].value)

  @training.setter
  def training(cls, flag) -> None:
    CONTEXT["TRAINING"].set(int(flag))

  @property
  def no_grad(cls) -> bool:
    return bool(CONTEXT["NO_GRAD"].value)

  @no_grad.setter
  def no_grad(cls, flag) -> None:
    CONTEXT["NO_GRAD"].set(int(flag))


class Tensor(_core.Tensor, Creation, Movement, Indexing, Arithmetic, Network, Algebra,
             metaclass=TensorClass):
  """An array that is computed when somebody looks.

  Tensor(data, device=None, dtype=None): data is a number, bytes, a (nested) list, an object with the
  buffer protocol (NumPy arrays), a path (the file itself: tinygrad_cpp.disk), bytes (with a dtype
  these are the elements' own), or another tensor. Lists of integers become int32, of floats
  float32. `is_param=False` keeps optimisers away from it; `requires_grad` is
  accepted in the same sense."""
  __slots__ = ()
  __array_ufunc__ = None  # NumPy leaves operators with arrays on the left to this class
  __hash__ = _core.Tensor.__hash__

  def __init__(self, data=None, device=None, dtype=None, requires_grad=None, is_param=None, **_):
    if type(device) is str and ":" in device and disk.is_file(device) and not isinstance(data, os.PathLike):
      device = "CPU"
    device = device_name(device)
    if isinstance(data, Tensor):
      data = data if dtype is None else data.cast(dtype)
      _core.adopt(self, data if device is None else data.to(device))
    elif isinstance(data, os.PathLike):
      mapped = disk.of_file(data, dtype)
      if device is None:
        self.__class__ = type(mapped)
      _core.adopt(self, mapped if device is None else mapped.to(device))
    elif isinstance(data, graph.Node):
      _core.adopt(self, data.as_tensor(dtype))
    elif isinstance(data, bytes) and dtype is not None:
      _core.fill(self, data, None, device)
      _core.adopt(self, self.bitcast(dtype))
    elif data is None or isinstance(data, range):
      _core.fill(self, list(data or ()), dtype, device)
      self._is_weak = data is None and dtype is None
    elif isinstance(data, (list, tuple)) and data and isinstance(data[0], Tensor):
      _core.adopt(self, Tensor(Tensor.stack(*data), device, dtype))
    elif isinstance(data, (list, tuple)) and data and isinstance(data[0], bytes):
      _core.fill(self, [list(row) for row in data], dtype, device)
    elif isinstance(data, (list, tuple)) and data and hasattr(data[0], "__array__"):
      import numpy
      _core.fill(self, numpy.array(data), dtype, device)
    else:
      if isinstance(data, Variable) and not data.is_known:
        raise RuntimeError(f"Tensor: the variable {data} is unbound. Hint: bind() gives it a value.")
      _core.fill(self, data, dtype, device)
    wanted = requires_grad if is_param is None else is_param
    if wanted is not None:
      self.is_param_(wanted)

  # ---- what it looks like

  def __repr__(self):
    return f"<Tensor {self.dtype} {self.shape} on {self.device} with grad {self.grad!r}>"

  def __bool__(self):
    raise TypeError("__bool__ on Tensor is not defined: use item()")

  def __len__(self):
    if self.ndim == 0:
      raise TypeError("len() of a 0-d tensor")
    return self.shape[0]

  def __iter__(self):
    return (self[i] for i in range(len(self)))

  def __format__(self, spec):
    return format(self.item(), spec) if spec else repr(self)

  # ---- data out

  def _plain(self):
    """This tensor, or as float32 where Python has no such numbers."""
    return self if self._stored_dtype.fmt not in (None, "e") else self.cast(dtypes.float32)

  def data(self):
    """The elements as a memoryview of a copy, with shape and format."""
    view = memoryview(_core.read(self._plain()))
    shape = self._shape_now()
    fmt = self._plain()._stored_dtype.fmt
    return view.cast(fmt) if 0 in shape else view.cast(fmt, shape)

  def item(self):
    """The only element as a Python number."""
    if self.numel() != 1:
      raise ValueError(f"item: expected one element, got shape {self.shape}")
    plain = self._plain()
    return memoryview(_core.read(plain)).cast(plain._stored_dtype.fmt)[0]

  def tolist(self):
    """The elements as nested lists of Python numbers; of a scalar the number."""
    if self.ndim == 0:
      return self.item()
    shape = self._shape_now()
    return _empty_lists(shape) if 0 in shape else self.data().tolist()

  def _shape_now(self):
    """The shape with the values that variable sizes have now."""
    return tuple(size if isinstance(size, int) else size.val for size in self.shape)

  def numpy(self):
    """A NumPy array with a copy of the elements. np.asarray(memoryview(t)) and np.from_dlpack(t)
    share the memory instead."""
    import numpy
    plain = self if self._stored_dtype.fmt is not None else self.cast(dtypes.float32)
    flat = numpy.frombuffer(_core.read(plain), dtype=_to_np_dtype(plain._stored_dtype))
    return flat.reshape(self._shape_now())

  def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
    source = self.clone() if copy else self
    return _core.to_dlpack(source, max_version is not None and tuple(max_version) >= (1, 0))

  def __dlpack_device__(self):
    return 1, 0

  @staticmethod
  def from_dlpack(source):
    """A tensor on the memory of an object that has DLPack (NumPy, PyTorch, JAX arrays)."""
    try:
      return _core.from_dlpack(source.__dlpack__(max_version=(1, 0)))
    except TypeError:
      return _core.from_dlpack(source.__dlpack__())

  def __reduce_ex__(self, protocol):
    data = _core.read(self)
    return _restored, (pickle.PickleBuffer(data) if protocol >= 5 else bytes(data), self._stored_dtype, self._shape_now(), self.device,
                       self.is_param, self._is_weak)

  # ---- computing and storage

  def realize(self, *lst, do_update_stats=True):
    """Computes this and the others together, and keeps the values. Gives this."""
    return self._realize([self, *lst])

  def callify(self, *lst):
    """The pending work as one call: here the tensor itself, nothing needs to be rewritten."""
    return self

  def clone(self, device=None):
    """A copy in storage of its own, and of the gradient."""
    copy = self._clone() if device is None else self.to(device)._clone()
    if self.grad is not None:
      copy.grad = self.grad.clone(device)
    return copy

  def replace(self, x):
    """Makes this a name of what `x` is now."""
    if x.shape != self.shape:
      raise ValueError(f"replace: shapes {self.shape} and {x.shape} differ")
    return _core.replace(self, x)

  def _data(self, x):
    """What is no tensor as one of this dtype, where this lives; numbers live nowhere."""
    return Tensor(x, None if isinstance(x, (bool, int, float)) else self.device, self._stored_dtype)

  def assign(self, x):
    """Puts the values into the storage of this tensor; views and copies of it see them. RuntimeError
    for a tensor of another dtype, be it weakfloat for integers."""
    x = self._fitting(x) if isinstance(x, Tensor) else self._data(x)
    if x.dtype is not self._stored_dtype:
      raise DTypeError(f"assign dtype mismatch: the tensor is {self.dtype}, the value {x.dtype}. Hint: cast the value.")
    self._is_weak = False
    return self._assign(x)

  def _fitting(self, x):
    """The tensor as one of this dtype if it gives way, else itself."""
    if not x._is_weak:
      return x
    if x.is_floating_point() and not self.is_floating_point():
      raise RuntimeError(f"assign: weakfloat does not give way to {self.dtype}. Hint: cast the value.")
    return x.cast(self._stored_dtype)

  def _change(self, value):
    """What `self op= other` does."""
    if value.shape != self.shape:
      raise ValueError(f"an operation in place would change shape {self.shape} to {value.shape}")
    if self._is_weak:
      return _core.replace(self, value)
    if value.dtype is not self.dtype:
      value = value.cast(self.dtype)
    if self._has_storage():
      return self._assign(value)
    return _core.replace(self, value)

  def to(self, device):
    """The same values on another device, None for the default one; or all of them on each of several."""
    if device is None:
      device = Device.DEFAULT
    if type(device) is str and ":" in device and disk.is_file(device):
      return disk.to_file(self, device)
    name = device_name(device)
    return self if Device.canonicalize(device) == self.device else self._to(name)

  def to_(self, device):
    """Moves this tensor to another device, or to several."""
    there = self.to(device)
    if isinstance(there.device, tuple) and there is not self:
      return self._shard_(device_name(device))
    return _core.replace(self, there)

  def shard(self, devices, axis=None):
    """The same values on several devices: an equal part on each along the axis, or all on each."""
    return self._shard(device_name(devices), axis)

  def shard_(self, devices, axis=None):
    """shard in place."""
    return self._shard_(device_name(devices), axis)

  def shard_like(self, y):
    """Where another tensor lives, split as it is."""
    return self._shard_like(y)

  def __getitem__(self, items):
    """A part of it. What asks for all of it is this tensor itself."""
    kind = type(items)
    if (kind is slice and items == _ALL and self.ndim) or items is ... or (kind is tuple and not items):
      return self
    return self._index(items)

  def __setitem__(self, items, value):
    if not isinstance(value, (Tensor, int, float)) or isinstance(value, bool):
      value = self._data(value)
    if isinstance(value, Tensor) and value.dtype is not self.dtype:
      value = self._fitting(value).cast(self._stored_dtype)
    self._is_weak = False
    self._set(items, value)

  def __delitem__(self, items):
    raise TypeError("Tensor does not support deleting items")

  # ---- gradients

  @property
  def grad(self):
    """The gradient that backward has filled, or None."""
    if not self._has_grad():
      self._gradient_object = None
      return None
    fresh = self._grad()
    if self._gradient_object is None or not _core.same(fresh, self._gradient_object):
      self._gradient_object = fresh
    return self._gradient_object  # one object for as long as it is the same gradient

  @grad.setter
  def grad(self, value):
    if value is None:
      self._zero_grad()
    else:
      self._set_grad(value)

  def backward(self, gradient=None):
    """Adds d(this)/d(x) to the grad of every live float tensor x that this depends on. Gives this."""
    try:
      return self._backward(gradient, True)
    except ArgumentError:
      # Data that is no parameter collects gradients that nobody reads; those of earlier steps are
      # lost when the parameters that they were made of change.
      if not _forget_stale_gradients():
        raise
      return self._backward(gradient, True)

  def gradient(self, *targets, gradient=None, materialize_grads=True):
    """d(this)/d(target) of each target; can be differentiated again."""
    if gradient is not None and gradient.shape != self.shape and gradient.numel() == self.numel() == 1:
      gradient = gradient.reshape(self.shape)
    return self._gradient(list(targets), gradient)

  @property
  def is_param(self):
    """Whether optimisers change it: true until somebody says otherwise."""
    return self._is_param

  @is_param.setter
  def is_param(self, flag):
    self.is_param_(flag)

  def is_param_(self, is_param=True):
    """Marks it as a parameter, or as none."""
    self._is_param = bool(is_param)
    if self.is_floating_point():
      self._mark(bool(is_param))
    return self

  requires_grad = is_param
  requires_grad_ = is_param_

  def call(self, *lst, fxn, grad_fxn=None):
    """fxn(self, *lst), with the gradient that grad_fxn(gradient, *inputs) gives."""
    from tinygrad_cpp.function import call_with_gradient
    if grad_fxn is None:
      return fxn(self, *lst)
    return call_with_gradient(fxn, grad_fxn, (self, *lst))

  def custom_kernel(self, *lst, fxn, grad_fxn=None):
    """A kernel written as nodes (tinygrad_cpp.uop.kernel) on this and other tensors; gives all of them
    after it."""
    import tinygrad_cpp.uop.kernel as kernel
    return kernel.custom_kernel((self, *lst), fxn, grad_fxn)

  # ---- older spellings

  @staticmethod
  def train(mode=True):
    """`with Tensor.train():` switches training on."""
    return Context(TRAINING=int(mode))

  @staticmethod
  def test(mode=True):
    """`with Tensor.test():` switches training off."""
    return Context(TRAINING=int(not mode))

  @staticmethod
  def inference_mode(mode=True):
    """`with Tensor.inference_mode():` records no gradients."""
    return Context(NO_GRAD=int(mode))


def _forget_stale_gradients():
  """Drops gradients that were never computed, of all tensors that no optimiser holds."""
  stale = [t for t in _core.live_tensors() if not t._is_held and t._has_grad() and
           not t._grad().is_realized]
  for t in stale:
    t._zero_grad()
  return bool(stale)


def _restored(data, dtype, shape, device, is_param, is_weak=False):
  """Of pickle; the data are bytes, or a buffer that travelled beside the pickle."""
  with memoryview(data).cast("B") as view:
    stored = Tensor(view, device=device).bitcast(dtype) if view.nbytes else Tensor.empty(0, dtype=dtype)
  if isinstance(data, pickle.PickleBuffer):
    data.release()  # the unpickler holds it until it is done with all
  tensor = stored.reshape(shape).contiguous().realize()
  tensor._is_param, tensor._is_weak = is_param, is_weak
  return tensor


def _empty_lists(shape):
  """Nested lists of a shape in which an axis is 0."""
  return [_empty_lists(shape[1:]) for _ in range(shape[0])] if shape else []


def _describe(function, attribute):
  """Docstrings and signatures are read only when somebody asks."""
  import inspect

  from tinygrad_cpp._docs import DOCS
  signature, doc = DOCS.get(function.__name__, ("(*args, **kwargs)", ""))
  if attribute == "__doc__":
    return doc
  scope = {}
  exec(f"def f{signature}: pass", scope)
  return inspect.signature(scope["f"])


def _install_functions():
  """Puts the library's functions into the class, where Python has none of the name."""
  written = {name for base in Tensor.__mro__[:-1] for name in vars(base)}
  for rows, static in ((METHODS, False), (STATICS, True)):
    for row in rows:
      name = row[0]
      if name in written:
        raise AssertionError(f"Tensor.{name} is written in Python and listed as native")
      plain = static and name not in ("stack", "cat", "meshgrid", "usum", "uprod")
      function = _core.Function(*row)
      setattr(Tensor, name, staticmethod(function) if plain else function)
      function.describe = _describe  # later, because staticmethod asks for the docstring


def _install_operators():
  names = {"add": "add", "sub": "sub", "mul": "mul", "truediv": "_div", "floordiv": "_floordiv",
           "mod": "mod", "pow": "pow", "matmul": "_matmul", "and": "bitwise_and",
           "or": "bitwise_or", "xor": "bitwise_xor", "lshift": "lshift", "rshift": "rshift"}
  for python, own in names.items():
    function = getattr(Tensor, own)
    setattr(Tensor, f"__{python}__", function)
    setattr(Tensor, f"__r{python}__", _reflected(function))
    setattr(Tensor, f"__i{python}__", _in_place(function))
  for python, own in {"eq": "eq", "ne": "ne", "lt": "_lt", "le": "_le", "gt": "_gt",
                      "ge": "_ge", "neg": "neg", "invert": "bitwise_not", "abs": "abs"}.items():
    setattr(Tensor, f"__{python}__", getattr(Tensor, own))


def _reflected(function):
  def operator(self, other):
    return function(self, other, True)
  return operator


def _in_place(function):
  def operator(self, other):
    return self._change(function(self, other))
  return operator


def _to_index(item, subject):
  """A list, a tuple or an array between the brackets of a tensor as one that lives where it does;
  integers of NumPy as integers."""
  if hasattr(item, "__index__") and not hasattr(item, "__len__"):
    return item.__index__()
  if isinstance(item, (list, tuple)) or hasattr(item, "__len__"):
    tensor = Tensor(item, device=None if subject is None else subject.device)
    if tensor.numel() == 0:
      return tensor.cast(dtypes.int32)
    return tensor
  raise IndexError(f"{item!r} is no index")


_core.register("tensor", Tensor)
_core.register("index", _to_index)
_install_functions()
_install_operators()
Tensor._reshape, Tensor._expand = Tensor.reshape, Tensor.expand
for _name in ("reshape", "view"):
  getattr(Tensor, _name).slow = Tensor._reshape_any
Tensor.contiguous.slow = opt.contiguous
Tensor.expand.slow = Tensor._expand_any
Tensor.pad_to.slow, Tensor.shrink_to.slow = Tensor._pad_to_any, Tensor._shrink_to_any
Tensor.cast.slow = Tensor._cast_weak
for _name in REASONS:
  setattr(Tensor, _name, unsupported(_name))
