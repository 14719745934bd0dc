"""gguf_load: GGUF files, versions 2 and 3: what a model says of itself, and its tensors. The library
reads them (src/nn/format/gguf.h): quantised tensors stay as they are in memory and become floats in
the kernels that read them. Files that are damaged or made to harm raise FileError."""
import json
import tempfile

from tinygrad_cpp import _core
from tinygrad_cpp.device import device_name
from tinygrad_cpp.errors import FileError
from tinygrad_cpp.nn.files import title_of
from tinygrad_cpp.tensor import Tensor


def ggml_data_to_tensor(t, n, ggml_type):
  """The first `n` elements of ggml's type number `ggml_type` in the bytes `t`: of the type itself if it
  is one of numbers, float32 if it is quantised (src/nn/ggml.cpp)."""
  return _core.ggml_tensor(t, n, ggml_type)


def _load(path, title):
  with open(path, "rb") as file:
    if file.read(4) != b"GGUF":
      raise FileError(f"gguf_load: {title} is no GGUF file: it does not begin as one.")
  tensors, facts = _core.load_with_facts(str(path), device_name(None))
  return json.loads(facts), tensors


def gguf_load(fn):
  """(facts, tensors), both by name, of a GGUF file: a path, or a tensor of the file's bytes. Of a
  model in several files the first is named, and the tensors of all come."""
  if not isinstance(fn, Tensor):
    return _load(fn, title_of(fn))
  with tempfile.NamedTemporaryFile(suffix=".gguf") as file:
    file.write(bytes(fn.data()))
    file.flush()
    return _load(file.name, title_of(fn))
