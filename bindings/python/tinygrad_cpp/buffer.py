"""Buffer: storage on a device as bytes, and windows of it, as tinygrad's programs handle them below tensors.

  whole = Buffer("CPU", 10, dtypes.uint8, initial_value=bytes(range(10)))
  pair = whole.view(2, dtypes.uint8, offset=3).ensure_allocated()
  pair.as_memoryview().tolist()   # [3, 4]

It is a tensor of bytes behind another interface; kernels take tensors, so most programs need none of this.
"""
from dataclasses import dataclass

from tinygrad_cpp import _core
from tinygrad_cpp.device import Device
from tinygrad_cpp.dtype import dtypes


@dataclass(frozen=True, eq=True)
class BufferSpec:
  """What tinygrad lets a program ask of storage; here every request is met by ordinary storage."""
  uncached: bool = False
  cpu_access: bool = False
  host: bool = False
  nolru: bool = False
  zero: bool = False
  external_ptr: int | None = None


class Buffer:
  """`size` elements of a dtype on a device, once `allocate` was called; or a window of another buffer, `offset` bytes from its
  beginning. `opaque` is memory of the program that is used as it is, `initial_value` is copied."""

  def __init__(self, device, size, dtype, opaque=None, options=None, initial_value=None, uop_refcount=0, base=None, offset=0,
               preallocate=False):
    self.device, self.size, self.dtype, self.options = Device.canonicalize(device), size, dtype, options
    self.offset, self._base, self._bytes = offset, base, None
    if base is None:
      assert offset == 0, "base buffers can't have offset"
    else:
      assert base._base is None, "base can't have a base"
      assert base.device == self.device, "base must have the same device"
    if opaque is not None or initial_value is not None or preallocate:
      self.allocate(opaque)
    if initial_value is not None:
      self._write(initial_value)

  @property
  def base(self):
    """The buffer that owns the storage."""
    return self if self._base is None else self._base

  @property
  def nbytes(self):
    """Bytes from the first to the last element."""
    return self.size * self.dtype.itemsize

  def is_allocated(self):
    """Whether there is storage, its own or that of the buffer it is a window of."""
    return self.base._bytes is not None

  def is_initialized(self):
    """Whether it can be read and written: there is storage, and the window has been opened."""
    return self.is_allocated() and self._bytes is not None

  def allocate(self, opaque=None):
    """Makes the storage, or opens the window; AssertionError if that was done."""
    from tinygrad_cpp.tensor import Tensor
    assert not self.is_initialized(), "can't allocate already allocated buffer"
    if self._base is not None:
      self._base.ensure_allocated()
      self._bytes = range(self.offset, self.offset + self.nbytes)
    elif opaque is not None:
      address, _ = _core.address_of(opaque)
      self._bytes = _core.wrap(address, self.nbytes, dtypes.uint8, (self.nbytes,), opaque)
    else:
      self._bytes = Tensor.zeros(self.nbytes, dtype=dtypes.uint8, device=self.device).contiguous().realize()
    return self

  def ensure_allocated(self):
    """allocate, unless that was done."""
    return self if self.is_initialized() else self.allocate()

  def deallocate(self):
    """Gives the storage back, or closes the window; AssertionError if there is none."""
    assert self._bytes is not None, "buffer must be allocated to deallocate"
    self._bytes = None

  def view(self, size, dtype, offset):
    """A window of `size` elements, `offset` bytes from the beginning of this one."""
    assert offset < self.nbytes, "offset must be less than nbytes"
    return Buffer(self.device, size, dtype, base=self.base, offset=self.offset + offset)

  def _tensor(self):
    assert self.is_initialized(), "the buffer is not allocated"
    return self._bytes if self._base is None else self._base._bytes[self._bytes.start:self._bytes.stop]

  def _write(self, data):
    from tinygrad_cpp.tensor import Tensor
    target = self._tensor()
    target.assign(Tensor(bytes(data), device=target.device)).realize()

  def copy_from(self, src):
    """Takes the bytes of another buffer of the same size."""
    assert self.nbytes == src.nbytes, f"copy size mismatch, {self.nbytes} != {src.nbytes}"
    assert self.is_initialized() and src.is_initialized(), "copy requires allocated buffers"
    self._write(src.as_memoryview())
    return self

  def as_memoryview(self, allow_zero_copy=False, force_zero_copy=False):
    """The bytes: a copy, or with one of the two the storage itself where that is memory of the processor."""
    tensor = self._tensor()
    if force_zero_copy or (allow_zero_copy and self.device.split(":")[0] in ("CPU", "INTERP")):
      whole = memoryview(self.base._bytes)
      return whole[self.offset:self.offset + self.nbytes]
    return memoryview(bytearray(tensor.data()))

  def numpy(self):
    """The elements as an array of NumPy's, copied."""
    import numpy
    from tinygrad_cpp.dtype import _to_np_dtype
    return numpy.frombuffer(self.as_memoryview(), dtype=_to_np_dtype(self.dtype))

  def __reduce__(self):
    if self._base is not None:
      return Buffer, (self.device, self.size, self.dtype, None, None, None, 0, self.base, self.offset, self.is_initialized())
    value = bytes(self.as_memoryview()) if self.is_allocated() else None
    return Buffer, (self.device, self.size, self.dtype, None, self.options, value)

  def __repr__(self):
    place = f" offset:{self.offset}" if self._base is not None else ""
    return f"<buf real:{self.is_allocated()} device:{self.device} size:{self.size} dtype:{self.dtype}{place}>"
