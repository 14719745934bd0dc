"""Making tensors: what the library's functions are called in tinygrad, and what is made of them."""
import math

from tinygrad_cpp import _core
from tinygrad_cpp.device import device_name
from tinygrad_cpp.dtype import dtypes, to_dtype
from tinygrad_cpp.helpers import all_int, argfix


def _class():
  from tinygrad_cpp.tensor import Tensor
  return Tensor


def _arange_of_sizes(start, stop, step, dtype, device):
  """arange where start, stop or step is a variable: as many numbers of the most that it can be."""
  count = (stop - start + step - 1) // step
  T = _class()
  most = getattr(count, "vmax", count)
  numbers = T._arange(most, 0, 1, dtype=dtype or dtypes.default_int, device=device_name(device))
  return numbers[:count] * T(step).cast(numbers.dtype) + T(start).cast(numbers.dtype)


class Creation:
  """Mixin: creation and random numbers."""
  __slots__ = ()

  @staticmethod
  def manual_seed(seed=0):
    """Starts the random numbers of a seed."""
    _core.manual_seed(seed)
    _class()._seed = seed

  @staticmethod
  def empty(*shape, dtype=None, device=None, **_):
    """Undefined contents. A size may be a variable: as many elements of the largest exist. On
    "disk:file" the first bytes of a file."""
    shape = argfix(*shape)
    T = _class()
    if type(device) is str and ":" in device:
      import tinygrad_cpp.disk as disk
      if disk.is_file(device):
        return disk.empty(shape, dtype, device)
    plain = T._empty(*(getattr(n, "vmax", n) for n in shape), dtype=dtype, device=device)
    if all_int(shape):
      return plain
    return plain[tuple(slice(0, None if isinstance(n, int) else n) for n in shape)]

  @staticmethod
  def zeros(*shape, dtype=None, device=None, buffer=True, **_):
    """0 everywhere: storage, or without a buffer a value that is nowhere."""
    if buffer:
      return _class()._zeros(*shape, dtype=dtype, device=device)
    return _class().full(argfix(*shape), 0.0, dtype=dtype or dtypes.default_float, device=device, buffer=False)

  @staticmethod
  def ones(*shape, dtype=None, device=None, buffer=True, **_):
    """1 everywhere, in the same way."""
    if buffer:
      return _class()._ones(*shape, dtype=dtype, device=device)
    return _class().full(argfix(*shape), 1.0, dtype=dtype or dtypes.default_float, device=device, buffer=False)

  @staticmethod
  def arange(start, stop=None, step=1, dtype=None, device=None, **_):
    """start, start + step, ... below stop; arange(n) counts from 0."""
    if stop is None:
      start, stop = 0, start
    if not all(isinstance(x, (int, float)) for x in (start, stop, step)):
      return _arange_of_sizes(start, stop, step, dtype, device)
    if dtype is None and any(isinstance(x, float) for x in (start, stop, step)):
      dtype = dtypes.default_float
    if dtype is None and dtypes.default_int is not dtypes.int32:
      dtype = dtypes.default_int
    if dtype is not None and dtypes.is_int(dtype) and step:
      last = start + max(0, math.ceil((stop - start) / step) - 1) * step
      if not all(dtypes.min(dtype) <= x <= dtypes.max(dtype) for x in (start, last)):
        raise OverflowError(f"arange: {dtype} does not hold all from {start} to {last}")
    return _class()._arange(stop, start, step, dtype=dtype, device=device_name(device))

  @staticmethod
  def linspace(start, stop, steps, dtype=None, device=None, **_):
    """`steps` numbers from start to stop, each as far from the next; either may be a tensor of one."""
    T = _class()
    if not isinstance(start, T) and not isinstance(stop, T):
      return T._linspace(start, stop, steps, dtype=dtype, device=device_name(device))
    dtype = to_dtype(dtype or dtypes.default_float)
    like = start if isinstance(start, T) else stop
    if steps == 1:
      return (T.zeros(1, device=like.device) + start).cast(dtype)
    numbers = T.arange(steps, dtype=dtypes.default_float, device=like.device)
    return (start + numbers * ((stop - start) / (steps - 1))).cast(dtype)

  @staticmethod
  def eye(n, m=None, dtype=None, device=None, **_):
    """Ones on the diagonal of an n by m matrix, zeros elsewhere."""
    if m is not None and m < 0:
      raise ValueError(f"eye: sizes must not be negative: {n} by {m}")
    return _class()._eye(n, -1 if m is None else m, dtype=dtype, device=device_name(device))

  @staticmethod
  def invalids(*shape, device=None, dtype=None, **_):
    """Storage that is written before it is read."""
    return _class().empty(*shape, dtype=dtype, device=device_name(device))

  @staticmethod
  def const(value, dtype=None, **_):
    """A number that lives nowhere. Without a dtype it has a weak one: it gives way to others."""
    if dtype in dtypes.weaks:
      value, dtype = float(value) if dtype is dtypes.weakfloat else int(value), None
    return _class()(value, dtype=dtype)

  def const_like(self, b, dtype=None):
    """A number stretched to this shape."""
    if isinstance(self.device, tuple):  # as a number it is wherever it is needed
      return _class().full(self.shape, b, dtype=dtype or self._stored_dtype, buffer=False)
    return _class().full(self.shape, b, dtype=dtype or self._stored_dtype, device=self.device, buffer=False)

  def _device_like(self, device):
    """The device of what is to be like this tensor."""
    if device is not None and isinstance(self.device, tuple):
      raise RuntimeError(f"a tensor like one on {self.device} cannot be made on {device}")
    return device_name(device or self.device)

  def full_like(self, fill_value, dtype=None, device=None, buffer=True, **_):
    """One value everywhere, of this shape, and of this dtype and device if none is given."""
    device = self._device_like(device)
    if isinstance(self.device, tuple):
      made = self.const_like(fill_value, dtype)
      return made.shard_like(self).clone() if buffer else made
    return _class().full(self.shape, fill_value, dtype=dtype or self._stored_dtype, device=device,
                         buffer=buffer)

  def zeros_like(self, dtype=None, device=None, **_):
    """0 everywhere, of this shape."""
    return self._zeros_like() if dtype is device is None else self.full_like(0, dtype, device)

  def ones_like(self, dtype=None, device=None, **_):
    """1 everywhere, of this shape."""
    return self._ones_like() if dtype is device is None else self.full_like(1, dtype, device)

  def empty_like(self, dtype=None, device=None, **_):
    """Undefined contents of this shape."""
    if dtype is device is None:
      return self._empty_like()
    device = self._device_like(device)
    if isinstance(self.device, tuple):
      return self._empty_like().cast(dtype)
    return _class().empty(*self.max_shape, dtype=dtype or self._stored_dtype, device=device)

  def rand_like(self, dtype=None, device=None, **_):
    """Uniform in [0, 1), of this shape."""
    return self._drawn_like(_class().rand, self._rand_like, dtype, device)

  def randn_like(self, dtype=None, device=None, **_):
    """Standard normal, of this shape."""
    return self._drawn_like(_class().randn, self._randn_like, dtype, device)

  def _drawn_like(self, draw, draw_like, dtype, device):
    if dtype is None and self._is_weak:
      raise ValueError(f"random numbers need a dtype with a width, got {self.dtype}")
    device = self._device_like(device)
    if isinstance(self.device, tuple):
      return draw_like() if dtype is None or dtype is self.dtype else draw(
        *self.max_shape, dtype=dtype).shard_like(self)
    return draw(*self.max_shape, dtype=dtype or self._stored_dtype, device=device)

  @staticmethod
  def from_blob(ptr, shape, dtype=None, device=None, **_):
    """A tensor on the memory at an address, which has to live as long."""
    dtype = to_dtype(dtype or dtypes.default_float)
    count = 1
    for n in shape:
      count *= n
    return _core.wrap(ptr, count * dtype.itemsize, dtype, tuple(shape), None)

  @staticmethod
  def from_buffer(memory, shape=None, dtype=None):
    """A tensor on the memory of a writable object (a NumPy array, a bytearray): no copy."""
    view = memoryview(memory)
    if dtype is None:
      dtype = _class()(memoryview(bytearray(view.itemsize)).cast(view.format)).dtype
    address, size = _core.address_of(view)
    return _core.wrap(address, size, dtype, tuple(shape or view.shape), view)

  @staticmethod
  def from_url(url, gunzip=False, device=None, **_):
    """The bytes of a file on the net, kept in a cache."""
    from tinygrad_cpp.helpers import fetch
    return _class()(fetch(url, gunzip=gunzip), device=device)

  # ---- random numbers

  @staticmethod
  def random_bits(key, counter, num):
    """`num` words of the Threefry stream of a key: the key and the counter give the key of the
    stream, whose numbers from 0 on are encrypted under it."""
    return key._random_bits(counter, num)

  @staticmethod
  def _threefry_random_bits(key, counts0, counts1):
    """The first words of all pairs of counts under a key [2], behind them the second; uint32."""
    def pair(low, high):
      return high.cast(dtypes.uint64) << 32 | low.cast(dtypes.uint64)
    mixed = pair(counts0, counts1).threefry(pair(key[0], key[1]))
    return mixed.cast(dtypes.uint32).cat((mixed >> 32).cast(dtypes.uint32))

  @staticmethod
  def randperm(n, device=None, dtype=dtypes.int32, **_):
    """The numbers below n in random order."""
    return _class()._randperm(n, device=device_name(device)).cast(dtype)
