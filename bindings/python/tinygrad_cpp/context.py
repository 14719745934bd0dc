"""Context variables: numbers and names that the environment or `with Context(NAME=1):` sets. Options
of the library (docs/options.md) are the library's own; TRAINING, NO_GRAD, JIT and DEV do what they
do in tinygrad; its other names are kept, so that programs find them, and change nothing here.
"""
import contextlib
import os

from tinygrad_cpp import _core
from tinygrad_cpp.device import Device
from tinygrad_cpp.dtype import set_default
from tinygrad_cpp.errors import ArgumentError

CONTEXT = {}  # all variables by name

# What tinygrad has, with what holds until somebody says otherwise.
_VARIABLES = {
  "DEBUG": 0, "BEAM": 0, "NOOPT": 0, "TRAINING": 0, "NO_GRAD": 0, "JIT": 1, "JIT_BATCH_SIZE": 32,
  "IMAGE": 0, "FLOAT16": 0, "WINO": 0, "CAPTURING": 1, "TRACEMETA": 1, "NO_COLOR": 0, "TC": 1,
  "TC_SELECT": -1, "TC_OPT": 0, "TRANSCENDENTAL": 1, "NOLOCALS": 0, "SPLIT_REDUCEOP": 1,
  "NO_MEMORY_PLANNER": 0, "LRU": 1, "RING": 1, "ALL2ALL": 0, "ALLREDUCE_CAST": 0, "CACHELEVEL": 2,
  "IGNORE_BEAM_CACHE": 0, "VALIDATE_WITH_CPU": 0, "DISABLE_FAST_IDIV": 1, "FUSE_OPTIM": 0,
  "ALLOW_DEVICE_USAGE": 1, "MAX_BUFFER_SIZE": 0, "MAX_KERNEL_BUFFERS": 0, "EMULATED_DTYPES": "",
  "CAPTURE_PROCESS_REPLAY": 0, "NULL_ALLOW_COPYOUT": 0, "VIZ": 0, "PARALLEL": 0, "PROFILE": 0,
  "SPEC": 1, "CHECK_OOB": 0, "PCONTIG": 0, "DEBUG_RANGEIFY": 0, "TUPLE_ORDER": 1, "CCACHE": 1,
  "ALLOW_TF32": 0, "DEFAULT_FLOAT": "float32", "DEFAULT_INT": "int32", "TRACK_MATCH_STATS": 0,
  "OPENPILOT_HACKS": 0, "NUM_CPU_THREADS": os.cpu_count() or 1, "SCACHE": 1, "USE_ATOMICS": 0,
  "DISALLOW_BROADCAST": 0, "THREADS": 0}


def _parsed(text, default):
  """The text as a number, if it is one; the default for none."""
  try:
    return int(text or default)
  except ValueError:
    return text or default


def _option(key):
  """The option of the library as text; None if it has no such option."""
  try:
    return _core.get_option(key)
  except ArgumentError as error:
    return None if "there is no option" in str(error) else os.getenv(key, "")


class ContextVar:
  """A number by name, from the environment or the default; `with Context(NAME=1)` changes it. There
  is one of each name."""

  def __new__(cls, key, default_value):
    return CONTEXT.setdefault(key, super().__new__(cls))

  def __init__(self, key, default_value):
    if hasattr(self, "key"):
      return
    self.key = key
    option = _option(key)
    self.is_option = option is not None
    self.value = _parsed(option if self.is_option else os.getenv(key), default_value)

  def __getnewargs__(self):
    return self.key, self.value

  def set(self, value):
    """Changes it, in the library too."""
    if self.key in ("DEFAULT_FLOAT", "DEFAULT_INT"):
      set_default(self.key.lower(), value)
    elif self.key == "TRAINING":
      _core.set_training(bool(value))
    elif self.key == "NO_GRAD":
      _core.set_grad_enabled(not value)
    elif self.is_option:
      _core.set_option(self.key, str(value))
    self.value = value

  def tolist(self, names=None):
    """The parts of a text between commas; with `names` what these are attributes of that."""
    parts = [part for part in str(self.value or "").split(",") if part]
    return parts if names is None else [getattr(names, part) for part in parts]

  def __bool__(self):
    return bool(self.value)

  def __int__(self):
    return int(self.value)

  def __ge__(self, other):
    return self.value >= other

  def __gt__(self, other):
    return self.value > other

  def __lt__(self, other):
    return self.value < other

  def __eq__(self, other):
    return self.value == other

  __hash__ = None


class _DefaultDevice:
  """DEV, the default device as a context variable: `with Context(DEV="INTERP"):`. Its parts as
  tinygrad names them; "" where the device's name says nothing of it."""
  key = "DEV"

  @property
  def value(self):
    """The name of the device with its settings, as Device.DEFAULT."""
    return Device.DEFAULT

  @staticmethod
  def set(value):
    """Makes a device the default one, as Device.DEFAULT = value does."""
    Device.DEFAULT = value

  def _part(self, place):
    return (*self.value.split(":"), "", "")[place]

  device = property(lambda self: self._part(0), doc="CPU of CPU:LLVM:x86-64-v3")
  renderer = property(lambda self: self._part(1), doc="LLVM of CPU:LLVM:x86-64-v3")
  arch = property(lambda self: self._part(2), doc="x86-64-v3 of CPU:LLVM:x86-64-v3")
  interface = ""  # tinygrad's ways to one device (PCI, USB, a mocked GPU): there is one way here

  def __repr__(self):
    return self.value


DEV = CONTEXT["DEV"] = _DefaultDevice()
for _name, _default in _VARIABLES.items():
  globals()[_name] = ContextVar(_name, _default)
USE_TC = CONTEXT["TC"]
for _name in ("DEFAULT_FLOAT", "DEFAULT_INT"):
  if os.getenv(_name):
    set_default(_name.lower(), CONTEXT[_name].value)
if CONTEXT["TRAINING"]:
  _core.set_training(True)


class Context(contextlib.ContextDecorator):
  """`with Context(TRAINING=1):`, also as a decorator: the variables for as long as the block runs.
  KeyError for a name that nothing knows."""

  def __init__(self, **kwargs):
    self.kwargs = kwargs
    self.before = []

  def __enter__(self):
    for key in self.kwargs:
      if key not in CONTEXT and _option(key) is None:
        raise KeyError(f"Context: there is no variable {key}. Hint: ContextVar({key!r}, 0) makes one.")
    before = {}
    self.before.append(before)
    try:
      for key, value in self.kwargs.items():
        variable = ContextVar(key, 0)
        before[key] = variable.value
        variable.set(value)
    except BaseException:
      self.__exit__()
      raise
    return self

  def __exit__(self, *_):
    for key, value in self.before.pop().items():
      CONTEXT[key].set(value)
