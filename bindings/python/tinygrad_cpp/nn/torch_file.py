"""torch_load: the tensors of files that PyTorch wrote, without PyTorch and without running anything.

Such a file is a pickle in which storages stand as names, and the bytes of the storages: today as
members of a zip archive, before as pickles and bytes one after another, in the beginning as a tar
archive. The unpickler here knows the functions that rebuild tensors; whatever else a pickle names
becomes an `Unknown`, an object without behaviour, so that a file can run no code. Files that are
damaged or made to harm raise FileError.
"""
import collections
import math
import pickle
import struct
import tarfile
import zipfile
import zlib

from tinygrad_cpp.dtype import dtypes
from tinygrad_cpp.errors import FileError
from tinygrad_cpp.nn.files import check_zip, opened, size_of, title_of
from tinygrad_cpp.tensor import Tensor

_DTYPES = {"Half": "float16", "Float": "float32", "Double": "float64", "BFloat16": "bfloat16",
           "Char": "int8", "Byte": "uint8", "Short": "int16", "Int": "int32", "Long": "int64",
           "Bool": "bool"}
_STORAGES = {f"{name}Storage": getattr(dtypes, dtype) for name, dtype in _DTYPES.items()}
_SCALARS = {d.name: d for d in dtypes.all} | {"half": dtypes.half, "float": dtypes.float,
                                              "double": dtypes.double, "int": dtypes.int,
                                              "long": dtypes.long, "short": dtypes.short,
                                              "float8_e4m3fn": dtypes.fp8e4m3,
                                              "float8_e5m2": dtypes.fp8e5m2}
_MAGIC = 0x1950a86a20f9469cfc6c
_PROTOCOL = 1001
# What damaged bytes make the readers of the standard library and this file raise.
_DAMAGE = (pickle.UnpicklingError, EOFError, LookupError, ValueError, TypeError, AttributeError,
           ArithmeticError, RecursionError, AssertionError, MemoryError, ImportError, struct.error,
           zlib.error, zipfile.BadZipFile, tarfile.TarError, NotImplementedError, RuntimeError,
           OSError)


class Damaged(ValueError):
  """What is wrong with a file."""


class Storage:
  """The elements of one storage; `read()` gives their bytes when a tensor needs them."""

  def __init__(self, dtype, count, read):
    self.dtype, self.count, self.read, self._tensor = dtype, count, read, None

  def tensor(self):
    """All elements in a row."""
    if self._tensor is None:
      size = self.count * (self.dtype or dtypes.uint8).itemsize
      data = self.read()
      if len(data) < size:
        raise Damaged(f"a storage has {len(data)} of {size} bytes")
      self._tensor = Tensor(data[:size]).bitcast(self.dtype or dtypes.uint8).realize()
    return self._tensor

  def typed(self, dtype):
    """An untyped storage as one of this dtype."""
    return Storage(dtype, self.count // dtype.itemsize, self.read)


def _row_major(size):
  strides, step = [], 1
  for n in reversed(size):
    strides.append(step)
    step *= n
  return strides[::-1]


def _view(storage, offset, size, stride):
  """The elements of a storage that a tensor of such sizes and strides shows."""
  numbers = (offset, *size, *stride)
  if len(size) != len(stride) or not all(isinstance(n, int) and n >= 0 for n in numbers):
    raise Damaged(f"a tensor has sizes {size}, strides {stride} and offset {offset}")
  if 0 in size:
    return Tensor.zeros(*size, dtype=storage.dtype)
  last = offset + sum((n - 1) * s for n, s in zip(size, stride))
  if last >= storage.count:
    raise Damaged(f"a tensor reads element {last} of a storage of {storage.count}")
  elements = storage.tensor()
  axes = sorted(range(len(size)), key=lambda i: (-stride[i], i))
  ordered = [size[i] for i in axes]
  if all(size[i] == 1 or stride[i] == s for i, s in zip(axes, _row_major(ordered))):
    dense = elements[offset:offset + math.prod(size)].reshape(tuple(ordered))
    return dense.permute([axes.index(i) for i in range(len(size))]) if axes else dense
  place = Tensor.full((1,) * len(size), offset, dtype=dtypes.int64)
  for i, (n, s) in enumerate(zip(size, stride)):
    own = [1] * len(size)
    own[i] = n
    place = place + (Tensor.arange(n, dtype=dtypes.int64) * s).reshape(*own)
  return elements[place.expand(tuple(size))]


class _Reader(pickle.Unpickler):
  """An unpickler that imports nothing. What it hands out is made again for each file, so that no file
  can change it for the next."""

  def __init__(self, file, storage_of, rebuilds=True):
    super().__init__(file, encoding="utf-8")
    self.persistent_load = storage_of
    self.known = self._known(rebuilds)

  @staticmethod
  def _known(rebuilds):
    def rebuild(storage, offset, size, stride, *_):
      return _view(storage, offset, tuple(size), tuple(stride)) if rebuilds else None

    def rebuild_v3(storage, offset, size, stride, grad, hooks, dtype, *_):
      return rebuild(storage.typed(dtype), offset, size, stride)

    def rebuild_parameter(data, *_):
      return data

    def size(values=()):
      return tuple(values)

    def device(kind="cpu", index=None):
      return kind if index is None else f"{kind}:{index}"

    def encode(text, encoding="latin1", *_):
      if not isinstance(text, str):
        raise Damaged("text that is none")
      return text.encode("latin1" if encoding != "utf-8" else "utf-8")

    return {("torch._utils", "_rebuild_tensor"): rebuild,
            ("torch._utils", "_rebuild_tensor_v2"): rebuild,
            ("torch._utils", "_rebuild_tensor_v3"): rebuild_v3,
            ("torch._utils", "_rebuild_parameter"): rebuild_parameter,
            ("torch", "Size"): size, ("torch", "device"): device, ("_codecs", "encode"): encode,
            ("collections", "OrderedDict"): collections.OrderedDict,
            ("torch.storage", "UntypedStorage"): None, ("torch", "UntypedStorage"): None}

  def find_class(self, module, name):
    if (module, name) in self.known:
      return self.known[module, name]
    if module in ("torch", "torch.cuda", "torch.storage"):
      found = _STORAGES.get(name) or _SCALARS.get(name)
      if found is not None:
        return found
    return self._unknown(module, name)

  def _unknown(self, module, name):
    class Unknown:
      """An object of a class that is not known here: what the file says of it, nothing else."""

      def __new__(cls, *_args, **_kwargs):
        return super().__new__(cls)

      def __init__(self, *args, **kwargs):
        self.args = args

      def __setstate__(self, state):
        self.__dict__.update(state if isinstance(state, dict) else {"state": state})

      def __setitem__(self, key, value):
        self.__dict__[str(key)] = value

      def append(self, item):
        self.__dict__.setdefault("items", []).append(item)

    Unknown.__name__ = Unknown.__qualname__ = f"{module}.{name}"
    self.known[module, name] = Unknown
    return Unknown


# ---- zip: PyTorch since 1.6

def _zip_load(file):
  packed = size_of(file)
  with zipfile.ZipFile(file) as archive:
    check_zip(archive.infolist(), packed)
    members = {info.filename: info for info in archive.infolist()}
    root = next((n[:-len("data.pkl")] for n in members if n.endswith("/data.pkl")), None)
    if root is None:
      raise Damaged("the archive has no data.pkl")
    if members.get(f"{root}byteorder") and archive.read(f"{root}byteorder").strip() != b"little":
      raise Damaged("the numbers are big-endian")
    storages = {}

    def storage_of(name):
      kind, dtype, key, _, count = name[:5]
      if kind != "storage" or not isinstance(count, int) or count < 0:
        raise Damaged(f"a storage is called {name!r}")
      size = count * (dtype or dtypes.uint8).itemsize

      def read():
        with archive.open(members[f"{root}data/{key}"]) as member:
          return member.read(size)
      if key not in storages:
        storages[key] = Storage(dtype, count, read)
      return storages[key]
    with archive.open(members[f"{root}data.pkl"]) as member:
      return _Reader(member, storage_of).load()


# ---- pickles and bytes one after another: PyTorch before 1.6

def _legacy_load(file):
  def refuse(_):
    raise Damaged("a storage where none can be")
  if _Reader(file, refuse).load() != _MAGIC or _Reader(file, refuse).load() != _PROTOCOL:
    raise Damaged("it does not begin as files of PyTorch do")
  _Reader(file, refuse).load()  # about the machine
  begin, storages = file.tell(), {}

  def storage_of(name):
    kind, dtype, key, _, count, view = name
    if kind != "storage" or view is not None or not isinstance(count, int) or count < 0:
      raise Damaged(f"a storage is called {name!r}")
    return storages.setdefault(key, Storage(dtype, count, None))
  _Reader(file, storage_of, rebuilds=False).load()
  for key in _Reader(file, refuse).load():
    storage = storages[key]
    count, = struct.unpack("<q", file.read(8))
    if count != storage.count:
      raise Damaged(f"a storage of {storage.count} elements has {count}")
    data = file.read(count * storage.dtype.itemsize)
    storage.read = lambda data=data: data
  file.seek(begin)
  return _Reader(file, storage_of).load()


# ---- tar: PyTorch before 0.1.11

def _tar_load(archive):
  def refuse(_):
    raise Damaged("a storage where none can be")
  storages, tensors = {}, {}
  with archive.extractfile("storages") as file:
    for _ in range(_Reader(file, refuse).load()):
      key, _, dtype = _Reader(file, refuse).load()
      count, = struct.unpack("<q", file.read(8))
      data = file.read(count * dtype.itemsize)
      storages[key] = Storage(dtype, count, lambda data=data: data)
  with archive.extractfile("tensors") as file:
    for _ in range(_Reader(file, refuse).load()):
      key, storage, _ = _Reader(file, refuse).load()
      ndim, _ = struct.unpack("<ii", file.read(8))
      if not 0 <= ndim <= 64:
        raise Damaged(f"a tensor of {ndim} axes")
      numbers = struct.unpack(f"<{2 * ndim + 1}q", file.read(8 * (2 * ndim + 1)))
      tensors[str(key)] = _view(storages[storage], numbers[-1], numbers[:ndim], numbers[ndim:-1])
  with archive.extractfile("pickle") as file:
    return _Reader(file, lambda name: tensors[str(name)]).load()


def _load(file):
  if zipfile.is_zipfile(file):
    file.seek(0)
    return _zip_load(file)
  file.seek(0)
  try:
    archive = tarfile.open(fileobj=file, mode="r:")
  except tarfile.TarError:
    file.seek(0)
    return _legacy_load(file)
  with archive:
    return _tar_load(archive)


def torch_load(fn):
  """What a file of PyTorch (.pth, .pt, .bin) holds, with tensors of this package: mostly a dict of
  them by name. `fn` is a path, or a tensor of the file's bytes. Runs nothing that is in the file."""
  with opened(fn) as file:
    try:
      return _load(file)
    except _DAMAGE as error:
      raise FileError(f"torch_load: {title_of(fn)} is no file of PyTorch, or damaged: "
                      f"{error}.") from None
