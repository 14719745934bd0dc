"""tinygrad_cpp: lazy tensors, a compiler, training, behind tinygrad's Python interface.

  from tinygrad_cpp import Tensor, TinyJit, nn

docs/python.md of the project is the introduction.
"""
from tinygrad_cpp import _core
from tinygrad_cpp.errors import (ArgumentError, CancelledError, DeviceError, DeviceMemoryError,
                                 DTypeError, Error, FileError, OutOfRangeError, ShapeError)
from tinygrad_cpp.dtype import DType, dtypes
from tinygrad_cpp.uop.ops import UOp, Variable
from tinygrad_cpp.helpers import Context, GlobalCounters, fetch, getenv, set_log
from tinygrad_cpp.device import Device
from tinygrad_cpp.tensor import Tensor
from tinygrad_cpp.engine.jit import TinyJit
from tinygrad_cpp.function import function
from tinygrad_cpp.aliases import install_as_tinygrad

__version__ = _core.version()
__all__ = ["ArgumentError", "CancelledError", "Context", "DType", "DTypeError", "Device",
           "DeviceError", "DeviceMemoryError", "Error", "FileError", "GlobalCounters", "OutOfRangeError", "ShapeError",
           "Tensor", "TinyJit", "UOp", "Variable", "dtypes", "fetch", "function", "getenv",
           "install_as_tinygrad", "nn", "set_log"]


def __getattr__(name):
  if name == "nn":  # read only by programs that use it
    import importlib
    return importlib.import_module("tinygrad_cpp.nn")
  raise AttributeError(f"module 'tinygrad_cpp' has no attribute {name!r}")
