"""Files as tensors: `Tensor(path)`, `Tensor.empty(..., device="disk:file")`, `t.to("disk:file")`.

  weights = Tensor(pathlib.Path("model.bin"))       # nothing is read
  first = weights[:4096].bitcast(dtypes.float32).to("CPU")
  Tensor.arange(10).to("disk:numbers.bin")          # written

The file is mapped into memory: a slice reads its own pages only, and what is assigned to a tensor or
to a slice of it is in the file when the call returns. `shm:name` is shared memory of that name. The
tensor itself computes on the CPU, in that memory. Rows that follow each other, bitcast and reshape are on
disk too; results of anything else are on the CPU.
"""
import functools
import mmap
import os

from tinygrad_cpp import _core
from tinygrad_cpp.dtype import dtypes, to_dtype
from tinygrad_cpp.tensor import Tensor

_SHARED_MEMORY = "/dev/shm"


def _path(device):
  """The file behind a device's name."""
  kind, _, name = device.partition(":")
  if kind.upper() != "SHM":
    return name
  if not name or "/" in name or name in (".", ".."):
    raise ValueError(f"shm: a name is one part of a path, not {name!r}")
  return os.path.join(_SHARED_MEMORY, name)


def _mapped(path, size):
  """The first bytes of a file, which grows if it is shorter; a copy on write if it cannot be
  written."""
  try:
    descriptor, access = os.open(path, os.O_RDWR | os.O_CREAT, 0o644), mmap.ACCESS_WRITE
  except PermissionError:
    descriptor, access = os.open(path, os.O_RDONLY), mmap.ACCESS_COPY
  try:
    if os.fstat(descriptor).st_size < size:
      if access is mmap.ACCESS_COPY:
        raise PermissionError(f"{path}: {size} bytes are wanted of a shorter file that cannot be written")
      os.truncate(descriptor, size)
    return mmap.mmap(descriptor, size, access=access)
  finally:
    os.close(descriptor)


class DiskTensor(Tensor):
  """A tensor whose storage is a file, or a part of one. There is a class for each file, because
  objects of Tensor have no room for its name."""
  __slots__ = ()
  device = ""  # DISK: or SHM: and the file

  def _part(self, offset, shape, dtype):
    """Elements from a byte on, as storage of its own in the same memory."""
    if 0 in shape:
      return _on_file(Tensor._empty(*shape, dtype=dtype, device="CPU"), self.device)
    memory = memoryview(self)
    address, _ = _core.address_of(memory)
    size = dtype.itemsize
    for n in shape:
      size *= n
    return _on_file(_core.wrap(address + offset, size, dtype, tuple(shape), memory), self.device)

  def __getitem__(self, items):
    """Rows that follow each other are on disk too; any other choice is computed in memory."""
    if isinstance(items, slice) and items.step in (None, 1) and self.ndim:
      begin, end, _ = items.indices(self.shape[0])
      shape = (max(end - begin, 0), *self.shape[1:])
    elif isinstance(items, int) and self.ndim and -self.shape[0] <= items < self.shape[0]:
      begin, shape = items % self.shape[0], self.shape[1:]
    else:
      return super().__getitem__(items)
    row = self.nbytes() // self.shape[0] if self.shape[0] else 0
    return self._part(begin * row, shape, self.dtype)

  def shrink(self, arg):
    """The same of a window."""
    first, *rest = arg
    whole = all(a is None or tuple(a) == (0, n) for a, n in zip(rest, self.shape[1:]))
    if not whole or first is None or not 0 <= first[0] <= first[1] <= self.shape[0]:
      return super().shrink(arg)
    return self[first[0]:first[1]]

  def bitcast(self, dtype):
    """The same bytes as elements of another dtype."""
    dtype = to_dtype(dtype)
    return self._part(0, Tensor.bitcast(self, dtype).shape, dtype)

  def to(self, device):
    """A copy on a device, None for the default one; or in another file."""
    if device == self.device:
      return self
    return to_file(self, device) if is_file(device) else self._in_memory()._to(_computing(device))

  def clone(self, device=None):
    """A copy in memory."""
    return self.to(device)

  def _in_memory(self):
    """A copy of the CPU."""
    tensor = Tensor.__new__(Tensor)
    _core.adopt(tensor, self)
    return tensor._clone()

  def assign(self, x):
    """Writes into the file."""
    if isinstance(x, DiskTensor):
      x = x._in_memory()
    elif isinstance(x, Tensor):
      x = x.to("CPU")
    else:
      x = Tensor(x, "CPU", self.dtype)
    return super().assign(x).realize()

  def __setitem__(self, items, value):
    super().__setitem__(items, value.to("CPU") if isinstance(value, Tensor) else value)
    self.realize()

  def __reduce_ex__(self, protocol):
    return Tensor.__reduce_ex__(self._in_memory(), protocol)


def _reshaping(name):
  function = getattr(Tensor, name)

  def method(self, *args, **kwargs):
    return self._part(0, function(self, *args, **kwargs).shape, self.dtype)
  method.__name__, method.__doc__ = name, function.__doc__
  return method


for _name in ("reshape", "view", "flatten"):
  setattr(DiskTensor, _name, _reshaping(_name))


@functools.lru_cache(maxsize=256)
def class_of(device):
  """The class of the tensors on a file."""
  return type("DiskTensor", (DiskTensor,), {"__slots__": (), "device": device})


def _on_file(tensor, device):
  """A tensor on mapped memory as one of that device."""
  result = Tensor.__new__(class_of(device))
  _core.adopt(result, tensor)
  result._is_param = False
  return result


def _computing(device):
  from tinygrad_cpp.device import Device, device_name
  return Device.DEFAULT if device is None else device_name(device)


def is_file(device):
  """Whether a device's name is one of a file."""
  return isinstance(device, str) and device[:5].upper().startswith(("DISK:", "SHM:"))


def empty(shape, dtype, device):
  """A tensor of this shape on the first bytes of a file, which is made or grows if it must."""
  kind, _, name = device.partition(":")
  dtype = to_dtype(dtype or dtypes.default_float)
  size = dtype.itemsize
  for n in shape:
    size *= n
  device = f"{kind.upper()}:{name}"
  if size == 0:
    return _on_file(Tensor._empty(*shape, dtype=dtype, device="CPU"), device)
  memory = memoryview(_mapped(_path(device), size))
  address, _ = _core.address_of(memory)
  return _on_file(_core.wrap(address, size, dtype, tuple(shape), memory), device)


def of_file(path, dtype):
  """A whole file as a tensor of one axis. FileNotFoundError if it is not there."""
  size = os.stat(path).st_size
  bytes_ = empty((size,), dtypes.uint8, f"DISK:{os.fspath(path)}")
  return bytes_ if dtype is None else bytes_.bitcast(dtype)


def to_file(tensor, device):
  """The tensor, written to a file."""
  return empty(tensor.shape, tensor.dtype, device).assign(tensor)
