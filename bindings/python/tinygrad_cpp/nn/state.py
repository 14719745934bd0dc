"""The tensors of a model by name, and files of them."""
import json
import pathlib

from tinygrad_cpp import _core
from tinygrad_cpp.device import device_name
from tinygrad_cpp.downloads import replacing
from tinygrad_cpp.dtype import dtypes
from tinygrad_cpp.errors import FileError
from tinygrad_cpp.nn.files import TensorIO, tar_extract, title_of, zip_extract  # noqa: F401
from tinygrad_cpp.tensor import Tensor

safe_dtypes = {"BOOL": dtypes.bool, "I8": dtypes.int8, "U8": dtypes.uint8, "I16": dtypes.int16,
               "U16": dtypes.uint16, "I32": dtypes.int32, "U32": dtypes.uint32, "I64": dtypes.int64,
               "U64": dtypes.uint64, "F8_E4M3": dtypes.fp8e4m3, "F8_E5M2": dtypes.fp8e5m2,
               "F16": dtypes.float16, "BF16": dtypes.bfloat16, "F32": dtypes.float32,
               "F64": dtypes.float64}
inverse_safe_dtypes = {dtype: name for name, dtype in safe_dtypes.items()}


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
  elif isinstance(getattr(obj, "__dict__", None), dict):  # that of a class is none
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
  """Puts the tensors of a dict into the model's of the same names. Gives those of the model. They keep
  their dtypes, each in storage of its own; with realize=False they become names of what is in the dict,
  in its dtypes, so that weights which are quantised stay so."""
  loaded = []
  for name, tensor in get_state_dict(model).items():
    if name not in state_dict:
      if strict:
        raise KeyError(f"load_state_dict: {name} is missing")
      continue
    value = state_dict.pop(name) if consume else state_dict[name]
    if {value.shape, tensor.shape} == {(), (1,)}:  # one number, as either side writes it
      value = value.reshape(tensor.shape)
    if value.shape != tensor.shape:
      raise ValueError(f"load_state_dict: Shape mismatch in layer `{name}`: Expected shape {tensor.shape}, but found "
                       f"{value.shape} in state dict.")
    there = value if value.device == tensor.device else value.shard_like(tensor)
    tensor.replace(there.cast(tensor.dtype).clone() if realize else there)
    if realize and tensor.is_param:
      tensor.is_param_()  # which gives it storage
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
  """Writes tensors by name as a safetensors file; `metadata`: strings by name that stand in it, too."""
  tensors = {name: t.contiguous() for name, t in tensors.items()}
  if not metadata:
    return _core.save(tensors, str(fn))
  if not all(isinstance(x, str) for pair in metadata.items() for x in pair):
    raise TypeError("safe_save: metadata are strings by name")
  header, end = {"__metadata__": dict(metadata)}, 0
  for name, t in tensors.items():
    header[name] = {"dtype": inverse_safe_dtypes[t.dtype], "shape": list(t.shape),
                    "data_offsets": [end, end + t.nbytes()]}
    end += t.nbytes()
  text = json.dumps(header, separators=(",", ":")).encode()
  text += b" " * (-len(text) % 8)
  with replacing(fn, "safe_save") as file:
    file.write(len(text).to_bytes(8, "little") + text)
    for t in tensors.values():
      file.write(_core.read(t))


def safe_load_metadata(fn):
  """(the file's bytes, where those of the tensors begin, the header with "__metadata__") of a
  safetensors file, or of its bytes in a tensor."""
  t = fn if isinstance(fn, Tensor) else Tensor(pathlib.Path(fn))
  if t.ndim != 1 or t.numel() < 8:
    raise FileError(f"safe_load_metadata: {title_of(fn)} is too short for a safetensors file.")
  begin = int.from_bytes(bytes(t[:8].data()), "little") + 8
  try:
    if begin > t.numel():
      raise ValueError(f"a header of {begin - 8} bytes in {t.numel()}")
    header = json.loads(bytes(t[8:begin].data()))
    if not isinstance(header, dict):
      raise ValueError("the header is no object")
  except (ValueError, RecursionError) as error:
    raise FileError(f"safe_load_metadata: {title_of(fn)} is no safetensors file, or damaged: "
                    f"{error}.") from None
  return t, begin, header


def torch_load(fn):
  """What a file of PyTorch holds, with tensors of this package: mostly a dict of them by name. Runs
  nothing that is in the file (nn/torch_file.py)."""
  from tinygrad_cpp.nn.torch_file import torch_load as load
  return load(fn)


def gguf_load(fn):
  """(facts, tensors), both by name, of a GGUF file (llm/gguf.py)."""
  from tinygrad_cpp.llm.gguf import gguf_load as load
  return load(fn)
