"""Writes files as PyTorch does, in its three formats, without PyTorch: for test_files.py."""
import collections
import contextlib
import io
import pickle
import struct
import sys
import tarfile
import types
import zipfile

KINDS = {"FloatStorage": "f", "DoubleStorage": "d", "LongStorage": "q", "IntStorage": "i", "ByteStorage": "B",
         "HalfStorage": "e", "BoolStorage": "?"}


class Storage:
  def __init__(self, kind, values):
    self.kind, self.values = kind, values

  @property
  def data(self):
    return struct.pack(f"<{len(self.values)}{KINDS[self.kind]}", *self.values)


class FakeTensor:
  """A view of a storage, pickled as torch.Tensor is."""

  def __init__(self, storage, size, stride, offset=0):
    self.storage, self.size, self.stride, self.offset = storage, size, stride, offset

  def __reduce_ex__(self, protocol):
    arguments = (self.storage, self.offset, self.size, self.stride, False, collections.OrderedDict())
    return sys.modules["torch._utils"]._rebuild_tensor_v2, arguments


@contextlib.contextmanager
def fake_torch():
  """Modules by whose names the pickler refers to functions and classes."""
  torch, utils = types.ModuleType("torch"), types.ModuleType("torch._utils")

  def _rebuild_tensor_v2(*_):
    raise AssertionError("nobody calls PyTorch")
  _rebuild_tensor_v2.__module__, _rebuild_tensor_v2.__qualname__ = "torch._utils", "_rebuild_tensor_v2"
  utils._rebuild_tensor_v2 = _rebuild_tensor_v2
  for kind in (*KINDS, "FloatTensor"):
    setattr(torch, kind, type(kind, (), {"__module__": "torch", "__qualname__": kind}))
  sys.modules.update({"torch": torch, "torch._utils": utils})
  try:
    yield torch
  finally:
    del sys.modules["torch"], sys.modules["torch._utils"]


def pickled(value, name_of):
  class Pickler(pickle.Pickler):
    def persistent_id(self, item):
      return name_of(item)
  file = io.BytesIO()
  Pickler(file, 2).dump(value)
  return file.getvalue()


class Names:
  """What storages are called in the pickle."""

  def __init__(self, torch, *more):
    self.torch, self.more, self.storages = torch, more, []

  def __call__(self, item):
    if not isinstance(item, Storage):
      return None
    if item not in self.storages:
      self.storages.append(item)
    key = str(self.storages.index(item))
    return ("storage", getattr(self.torch, item.kind), key, "cpu", len(item.values), *self.more)


def zip_file(value, compression=zipfile.ZIP_STORED):
  with fake_torch() as torch:
    names = Names(torch)
    data = pickled(value, names)
  file = io.BytesIO()
  with zipfile.ZipFile(file, "w", compression) as archive:
    archive.writestr("model/data.pkl", data)
    archive.writestr("model/byteorder", "little")
    for i, storage in enumerate(names.storages):
      archive.writestr(f"model/data/{i}", storage.data)
    archive.writestr("model/version", "3\n")
  return file.getvalue()


def legacy_file(value):
  with fake_torch() as torch:
    names = Names(torch, None)
    body = pickled(value, names)
  parts = [pickle.dumps(0x1950a86a20f9469cfc6c, 2), pickle.dumps(1001, 2),
           pickle.dumps({"little_endian": True}, 2), body,
           pickle.dumps([str(i) for i in range(len(names.storages))], 2)]
  for storage in names.storages:
    parts.append(struct.pack("<q", len(storage.values)) + storage.data)
  return b"".join(parts)


def tar_file(tensors):
  """{name: FakeTensor of a storage of its own}"""
  with fake_torch() as torch:
    storages, places = pickle.dumps(len(tensors), 2), pickle.dumps(len(tensors), 2)
    for i, t in enumerate(tensors.values()):
      storages += pickle.dumps((i, "cpu", getattr(torch, t.storage.kind)), 2)
      storages += struct.pack("<q", len(t.storage.values)) + t.storage.data
      places += pickle.dumps((100 + i, i, torch.FloatTensor), 2) + struct.pack("<ii", len(t.size), 0)
      places += struct.pack(f"<{2 * len(t.size) + 1}q", *t.size, *t.stride, t.offset)
    keys = {id(t): 100 + i for i, t in enumerate(tensors.values())}
    body = pickled(tensors, lambda item: keys.get(id(item)))
  file = io.BytesIO()
  with tarfile.open(fileobj=file, mode="w") as archive:
    for name, data in (("storages", storages), ("tensors", places), ("pickle", body)):
      info = tarfile.TarInfo(name)
      info.size = len(data)
      archive.addfile(info, io.BytesIO(data))
  return file.getvalue()
