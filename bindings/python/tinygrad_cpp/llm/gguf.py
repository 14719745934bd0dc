"""gguf_load: GGUF files, versions 2 and 3: what a model says of itself, and its tensors. Quantised
tensors stay as they are in memory and become floats in the kernels that read them (ggml.py). Files
that are damaged or made to harm raise FileError."""
import io
import math
import pathlib
import re
import struct

from tinygrad_cpp.errors import FileError
from tinygrad_cpp.llm.ggml import bytes_of, ggml_data_to_tensor  # noqa: F401
from tinygrad_cpp.nn.files import opened, title_of
from tinygrad_cpp.tensor import Tensor

_NUMBERS = {0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?", 10: "<Q",
            11: "<q", 12: "<d"}
_STRING, _ARRAY = 8, 9
_MOST_AXES = 8


class _Reader:
  """Numbers and strings from the start of a file."""

  def __init__(self, file):
    self.file = file
    self.size = file.seek(0, io.SEEK_END)
    file.seek(0)

  def bytes(self, count):
    """Exactly so many bytes."""
    if count > self.size - self.file.tell():
      raise ValueError(f"it ends {count - self.size + self.file.tell()} bytes too early")
    return self.file.read(count)

  def number(self, form):
    return struct.unpack(form, self.bytes(struct.calcsize(form)))[0]

  def string(self):
    return self.bytes(self.number("<Q")).decode("utf-8")

  def array(self, depth):
    kind, count = self.number("<I"), self.number("<Q")
    if depth > 8 or count > self.size:
      raise ValueError(f"an array of {count} elements, {depth} arrays deep")
    if kind in _NUMBERS:
      form = _NUMBERS[kind]
      data = self.bytes(count * struct.calcsize(form))
      return [x for x, in struct.iter_unpack(form, data)]
    return [self.value(kind, depth + 1) for _ in range(count)]

  def value(self, kind, depth=0):
    """A value of a type of GGUF."""
    if kind == _STRING:
      return self.string()
    if kind == _ARRAY:
      return self.array(depth)
    if kind not in _NUMBERS:
      raise ValueError(f"there is no type {kind} of values")
    return self.number(_NUMBERS[kind])


def _tensor_of(reader, begin, shape, ggml_type):
  count = math.prod(shape)
  size = bytes_of(count, ggml_type)
  if begin + size > reader.size:
    raise ValueError(f"a tensor of {size} bytes at {begin}, but the file has {reader.size}")
  reader.file.seek(begin)
  return ggml_data_to_tensor(Tensor(reader.bytes(size)), count, ggml_type).reshape(shape)


def _parse(file):
  reader = _Reader(file)
  if reader.bytes(4) != b"GGUF" or reader.number("<I") not in (2, 3):
    raise ValueError("it does not begin as GGUF files of version 2 or 3 do")
  tensors, pairs = reader.number("<Q"), reader.number("<Q")
  facts = {}
  for _ in range(pairs):
    key = reader.string()
    facts[key] = reader.value(reader.number("<I"))
  listed = []
  for _ in range(tensors):
    name, axes = reader.string(), reader.number("<I")
    if axes > _MOST_AXES:
      raise ValueError(f"{name} has {axes} axes")
    shape = [reader.number("<Q") for _ in range(axes)][::-1]
    listed.append((name, shape, reader.number("<I"), reader.number("<Q")))
  step = facts.get("general.alignment", 32)
  if not isinstance(step, int) or step < 1:
    raise ValueError(f"the alignment is {step!r}")
  begin = (file.tell() + step - 1) // step * step
  return facts, {name: _tensor_of(reader, begin + offset, shape, kind)
                 for name, shape, kind, offset in listed}


def _parse_or_refuse(fn):
  try:
    with opened(fn) as file:
      return _parse(file)
  except (ValueError, struct.error, OverflowError, TypeError, MemoryError) as error:
    raise FileError(f"gguf_load: {title_of(fn)} is no GGUF file, or damaged: {error}.") from None


def _parts(path, facts):
  """The other files of a model in several."""
  count = facts.get("split.count", 1)
  if count <= 1:
    return []
  match = re.match(r"(.*)-00001-of-\d{5}\.gguf$", str(path))
  if facts.get("split.no", 0) != 0 or match is None:
    raise FileError(f"gguf_load: {path} is one of {count} files: load that which ends with "
                    f"-00001-of-{count:05d}.gguf.")
  return [pathlib.Path(f"{match[1]}-{i:05d}-of-{count:05d}.gguf") for i in range(2, count + 1)]


def gguf_load(fn):
  """(facts, tensors), both by name, of a GGUF file: a path, or a tensor of the file's bytes. Of a
  model in several files the first is named, and the tensors of all come."""
  facts, tensors = _parse_or_refuse(fn)
  for part in [] if isinstance(fn, Tensor) else _parts(fn, facts):
    tensors.update(_parse_or_refuse(part)[1])
  return facts, tensors
