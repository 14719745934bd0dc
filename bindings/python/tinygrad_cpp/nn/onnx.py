"""ONNX models, as tinygrad's OnnxRunner: a file becomes a function of tensors by name. The importer is the
library's own (docs/onnx.md), so results are lazy, gradients flow to the weights, and TinyJit captures calls.

  model = OnnxRunner("mobilenet.onnx")
  print(model.graph_inputs)                     # {'input': OnnxValue(shape=('batch', 3, 224, 224), ...)}
  print(model({"input": picture})["output"].argmax().item())
"""
import json
import os
import warnings
from dataclasses import dataclass

from tinygrad_cpp.dtype import DType, dtypes
from tinygrad_cpp.errors import ArgumentError, DTypeError, Error
from tinygrad_cpp.tensor import Tensor

try:
  import tinygrad_cpp._onnx as _onnx
except ModuleNotFoundError:  # the package was built without protobuf
  _onnx = None

__all__ = ["OnnxRunner", "OnnxValue"]


@dataclass(frozen=True)
class OnnxValue:
  """What a file says of an input or output. An axis is a number, a name, or None, which is any size; of tensors
  of texts the dtype is None."""
  shape: tuple
  dtype: DType | None
  is_optional: bool
  is_sequence: bool


def _value_of(described):
  name = described.get("dtype")
  return OnnxValue(tuple(described.get("shape", ())), None if name is None else getattr(dtypes, name),
                   described["kind"] == "optional", described["kind"] == "sequence")


def _model_of(source):
  """A file's path, or its bytes: in a tensor or as they are."""
  if _onnx is None:
    raise Error("OnnxRunner: this package was built without ONNX. Hint: install protobuf (Debian: libprotobuf-dev, "
                "protobuf-compiler) and build it again.")
  if isinstance(source, Tensor):
    if source.dtype != dtypes.uint8:
      raise DTypeError(f"OnnxRunner: a file in a tensor must be uint8, not {source.dtype}.")
    return _onnx.parse(bytes(source.data()), None, None)
  if isinstance(source, (bytes, bytearray, memoryview)):
    return _onnx.parse(source, None, None)
  return _onnx.load(os.fspath(source), None)


class OnnxRunner:
  """A model of an .onnx file: its path, or its bytes (a uint8 Tensor, or `bytes`; external data is read beside a path
  only). Operators that are not supported are found when a call reaches them: `unsupported` lists them."""

  def __init__(self, model_path):
    self._model = _model_of(model_path)
    described = json.loads(_onnx.describe(self._model))
    #: name -> OnnxValue, of what a call must be given
    self.graph_inputs = {v["name"]: _value_of(v) for v in described["inputs"]}
    #: the names of what a call returns
    self.graph_outputs = tuple(v["name"] for v in described["outputs"])
    #: the name of each operator -> how many nodes it has
    self.operators = described["operators"]
    #: (node, operator, why it cannot run)
    self.unsupported = [(u["node"], u["op"], u["reason"]) for u in described["unsupported"]]
    self._sequences = {v["name"] for v in described["outputs"] if v["kind"] == "sequence"}
    self.is_training = any(op.startswith(("ai.onnx.training.", "ai.onnx.preview.training.")) for op in self.operators)

  @property
  def graph_values(self):
    """The weights by name; they are the model's own tensors."""
    return {"": None, **_onnx.parameters(self._model)}

  def to(self, device):
    """Moves the weights to a device; the results of a call are where its inputs are. Returns the model."""
    _onnx.set_parameters(self._model, {name: t.to(device) for name, t in _onnx.parameters(self._model).items()})
    return self

  def __call__(self, inputs, debug=0):
    """The outputs by name, those of kind "sequence" as lists. `inputs`: by name, tensors or what becomes one (lists
    of them for sequences); dtypes other than the file's are cast, with a warning."""
    if debug:
      print(f"{sum(self.operators.values())} nodes: {', '.join(f'{n} {op}' for op, n in self.operators.items())}")
    given = {}
    for name, spec in self.graph_inputs.items():
      if name not in inputs:
        raise ArgumentError(f"OnnxRunner: please provide input data for {name}: it is {spec.dtype} {list(spec.shape)}.")
      given.update(_given(name, inputs[name], spec))
    outputs = _onnx.call(self._model, given)
    return {name: self._output(outputs, name) for name in self.graph_outputs}

  def _output(self, outputs, name):
    """A tensor, the items of a sequence, or None for an optional without a value."""
    if name in outputs:
      return outputs[name]
    items = _items(outputs, name)
    return items if items or name in self._sequences else None


def _tensor(name, value, dtype):
  tensor = value if isinstance(value, Tensor) else Tensor(value, dtype=None if hasattr(value, "dtype") else dtype)
  if dtype is None or tensor.dtype == dtype:
    return tensor
  warnings.warn(f"input {name} has mismatch on dtype. Expected {dtype}, received {tensor.dtype}.", stacklevel=4)
  return tensor.cast(dtype)


def _given(name, value, spec):
  """The value as the library takes it: items of a sequence have names of their own, an empty optional none."""
  if spec.is_optional and value is None:
    return {}
  if not spec.is_sequence and not (spec.is_optional and _holds_tensors(value)):
    return {name: _tensor(name, value, spec.dtype)}
  if not isinstance(value, (list, tuple)):
    raise ArgumentError(f"OnnxRunner: input {name} received {value}, expected a sequence type.")
  return {f"{name}.{i}": _tensor(name, item, spec.dtype) for i, item in enumerate(value)}


def _holds_tensors(value):
  return isinstance(value, (list, tuple)) and all(hasattr(item, "shape") for item in value)


def _items(outputs, name):
  items = []
  while (item := outputs.get(f"{name}.{len(items)}")) is not None:
    items.append(item)
  return items
