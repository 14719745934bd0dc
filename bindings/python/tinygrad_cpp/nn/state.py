"""The tensors of a model by name, and files of them."""
import json
import pathlib
from collections import OrderedDict

from tinygrad_cpp import _core
from tinygrad_cpp.device import device_name
from tinygrad_cpp.tensor import Tensor


def get_state_dict(obj, prefix="", tensor_type=Tensor):
  """All tensors of an object by name: "layers.0.weight"."""
  if isinstance(obj, tensor_type):
    return {prefix.strip("."): obj}
  if hasattr(obj, "_asdict"):
    return get_state_dict(obj._asdict(), prefix, tensor_type)
  if isinstance(obj, (list, tuple)):
    parts = enumerate(obj)
  elif isinstance(obj, dict):
    parts = obj.items()
  elif hasattr(obj, "__dict__"):
    parts = vars(obj).items()
  else:
    return {}
  state = {}
  for name, part in parts:
    state.update(get_state_dict(part, f"{prefix}{name}.", tensor_type))
  return state


def get_parameters(obj):
  """All tensors of an object."""
  return list(get_state_dict(obj).values())


def load_state_dict(model, state_dict, strict=True, verbose=True, consume=False, realize=True):
  """Puts the tensors of a dict into the model's of the same names. Gives those of the model."""
  loaded = []
  for name, tensor in get_state_dict(model).items():
    if name not in state_dict:
      if strict:
        raise KeyError(f"load_state_dict: {name} is missing")
      continue
    value = state_dict.pop(name) if consume else state_dict[name]
    if value.shape != tensor.shape:
      raise ValueError(f"load_state_dict: shape mismatch in {name}: expected {tensor.shape}, "
                       f"got {value.shape}")
    tensor.replace(value.to(tensor.device).cast(tensor.dtype).clone())
    if tensor.is_param:
      tensor.is_param_()
    loaded.append(tensor)
  if realize and loaded:
    loaded[0].realize(*loaded[1:])
  return loaded


def safe_load(fn):
  """The tensors of a safetensors file, or of its bytes in a tensor."""
  if isinstance(fn, Tensor):
    import tempfile
    with tempfile.NamedTemporaryFile(suffix=".safetensors") as file:
      file.write(bytes(fn.data()))
      file.flush()
      return _core.load(file.name, None)
  return _core.load(str(fn), device_name(None))


def safe_save(tensors, fn, metadata=None):
  """Writes tensors by name as a safetensors file."""
  if metadata:
    raise NotImplementedError("safe_save: metadata")
  _core.save({name: t.contiguous() for name, t in tensors.items()}, str(fn))


def safe_load_metadata(fn):
  """(the header, its size in bytes) of a safetensors file."""
  with open(pathlib.Path(fn), "rb") as file:
    size = int.from_bytes(file.read(8), "little")
    return json.loads(file.read(size), object_pairs_hook=OrderedDict), size + 8


def torch_load(fn):
  """Not there: a pickle of PyTorch can run any code; convert it to safetensors."""
  raise NotImplementedError("torch_load: convert the file to safetensors")


def gguf_load(fn):
  """Not there."""
  raise NotImplementedError("gguf_load: convert the file to safetensors")
